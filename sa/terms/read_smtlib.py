"""SMT-LIB 2 text to terms: the inverse of `smtlib`, for untrusted text.

Names mean what the given scope says, sorts are checked, and how deep a text may be nested is bounded. Nothing else of
SMT-LIB is understood than what `smtlib` writes, and of that quantifiers over integers only where it is asked for, none
inside another: few parts of evidence may have any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from sa.base.limits import Unsupported
from sa.terms import build
from sa.terms.smtlib import RESERVED
from sa.terms.sort import BOOL, INT, ArraySort, EnumSort, Sort
from sa.terms.term import Function, Term, Var, sort_of

#: Texts may not be nested deeper; later steps are recursive.
DEEPEST = 200
#: Numbers may not have more digits.
LONGEST_NUMBER = 1000
#: Constants may not have more bits, and products that are multiplied out not more parts.
MOST_BITS, MOST_PARTS = 4096, 1000

_TOKEN = re.compile(r"\s*(?:([()])|(\|[^|\\]*\|)|([^\s()|\\;\"]+))")

Expression: TypeAlias = "str | list[Expression]"


class Unreadable(Exception):
    """The text is no term: says why."""


class Names(Struct, frozen=True):
    """What names mean: variables without primes, functions, enumerations. `quantified`: there may be quantifiers."""

    variables: Mapping[str, Var]
    functions: Mapping[str, Function]
    sorts: Mapping[str, Sort]
    quantified: bool = False


def read_smtlib(text: str, names: Names) -> Term:
    """The term of a text. Raises Unreadable."""
    return _term(_parse(text), names)


def read_symbol(text: str) -> str:
    """The name that a symbol stands for. Raises Unreadable."""
    inner = text[1:-1] if text.startswith("|") else text
    if inner.endswith("%"):
        inner = inner[:-1]
    elif not text.startswith("|") and inner in RESERVED:
        raise Unreadable(f"`{inner}` is no variable")
    return re.sub(r"%([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), inner)


def _parse(text: str) -> Expression:
    stack: list[list[Expression]] = [[]]
    at = 0
    end = len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise Unreadable(f"no symbol at character {at}")
        at = found.end()
        bracket, quoted, plain = found.groups()
        if bracket == "(":
            if len(stack) > DEEPEST:
                raise Unreadable("it is nested too deeply")
            stack.append([])
        elif bracket == ")":
            if len(stack) == 1:
                raise Unreadable("a bracket is closed that was not opened")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(quoted or plain)
    if len(stack) > 1:
        raise Unreadable("a bracket is not closed")
    if len(stack[0]) != 1:
        raise Unreadable("it is not one term")
    return stack[0][0]


def _term(expression: Expression, names: Names) -> Term:
    """Bottom up: nesting is bounded by `_parse`."""
    if isinstance(expression, str):
        return _leaf(expression, names)
    match expression:
        case ["forall", [_, *_] as binders, body] if names.quantified:
            return _for_all(binders, body, names)
        case [str(head), *rest] if rest:
            return _applied(head, [_term(r, names) for r in rest], names)
        case [["as", "const", written], value]:
            sort = _sort(written, names)
            if not isinstance(sort, ArraySort):
                raise Unreadable("a constant array has the sort of an array")
            return build.constant_array(sort, _of(sort.element, _term(value, names)))
        case _:
            raise Unreadable("an operator and its arguments are expected in brackets")


def _for_all(binders: list[Expression], body: Expression, names: Names) -> Term:
    """For all integers: a name that means something else would be read differently by a solver."""
    bound = dict[str, Var]()
    for binder in binders:
        match binder:
            case [str(symbol), "Int"]:
                name = read_symbol(symbol)
                taken = name in bound or name in names.variables or name in names.functions
                if taken or "'" in name or not name or name[0].isdigit():
                    raise Unreadable(f"`{name}` cannot be bound here")
                bound[name] = build.variable(name, INT)
            case _:
                raise Unreadable("integers are bound")
    inner = Names({**names.variables, **bound}, names.functions, names.sorts)
    return build.forall(tuple(bound.values()), _of(BOOL, _term(body, inner)))


def _leaf(text: str, names: Names) -> Term:
    if text.isascii() and text.isdigit():
        if len(text) > LONGEST_NUMBER:
            raise Unreadable("a number is too long")
        return build.integer(int(text))
    if text in ("true", "false"):
        return build.boolean(text == "true")
    name = read_symbol(text)
    if "::" in name:
        sort, _, constructor = name.partition("::")
        return _member(constructor, sort, names)
    base = name.rstrip("'")
    if base in names.variables:
        var = names.variables[base]
        return build.variable(var.name, var.sort, len(name) - len(base))
    if name in names.functions and not names.functions[name].arguments:
        return build.call(names.functions[name], ())
    raise Unreadable(f"`{name}` is not known here")


def _member(constructor: str, sort: str, names: Names) -> Term:
    known = names.sorts.get(sort)
    if not isinstance(known, EnumSort) or constructor not in known.constructors:
        raise Unreadable(f"`{constructor}` of `{sort}` is not known here")
    return build.constant(known.constructors.index(constructor), known)


def read_sort(text: str, names: Names) -> Sort:
    """The sort of a name. Raises Unreadable."""
    return _sort(_parse(text), names)


def _sort(expression: Expression, names: Names) -> Sort:
    match expression:
        case "Int" | "Bool":
            return INT if expression == "Int" else BOOL
        case ["Array", index, element]:
            try:
                return ArraySort(_sort(index, names), _sort(element, names))
            except Unsupported as problem:
                raise Unreadable(problem.what) from None
        case str(text) if (name := read_symbol(text)) in names.sorts:
            return names.sorts[name]
        case _:
            raise Unreadable("this is no sort that is known here")


def _of(sort: Sort, term: Term) -> Term:
    if sort_of(term) != sort:
        raise Unreadable(f"a term of sort `{sort.name}` is expected")
    return term


#: Operators over any number of formulas, and over any number of integers.
_FORMULAS: Mapping[str, Callable[..., Term]] = {"and": build.land, "or": build.lor}
_COMPARISONS: Mapping[str, Callable[[Term, Term], Term]] = {"<=": build.le, "<": build.lt}


def _applied(head: str, arguments: list[Term], names: Names) -> Term:
    if head in _FORMULAS:
        return _FORMULAS[head](*(_of(BOOL, a) for a in arguments))
    match head, arguments:
        case "+", [*_]:
            return _bounded(build.add(*(_of(INT, a) for a in arguments)))
        case "*", [first, *others]:
            product = _of(INT, first)
            for other in others:
                product = _product(product, _of(INT, other))
            return product
        case "-", [only]:
            return build.scale(-1, _of(INT, only))
        case (("<=" | "<"), [left, right]):
            return _COMPARISONS[head](_of(INT, left), _of(INT, right))
        case "=", [left, right]:
            return build.eq(left, _of(sort_of(left), right))
        case "not", [only]:
            return build.lnot(_of(BOOL, only))
        case "ite", [condition, positive, negative]:
            return build.ite(_of(BOOL, condition), positive, _of(sort_of(positive), negative))
        case "select", [array, index]:
            return build.select(array, _of(_array_sort(array).index, index))
        case "store", [array, index, value]:
            sort = _array_sort(array)
            return build.store(array, _of(sort.index, index), _of(sort.element, value))
        case (("div" | "mod"), [dividend, divisor]):
            return _divided(head, _of(INT, dividend), divisor)
        case _:
            return _called(head, arguments, names)


def _array_sort(term: Term) -> ArraySort:
    sort = sort_of(term)
    if not isinstance(sort, ArraySort):
        raise Unreadable("an array is expected")
    return sort


def _product(left: Term, right: Term) -> Term:
    first, second = (len(build.linear_parts(t)[1]) + 1 for t in (left, right))
    if first * second > MOST_PARTS:
        raise Unreadable(f"this product multiplies out to more than {MOST_PARTS} terms")
    return _bounded(build.mul(left, right))


def _bounded(term: Term) -> Term:
    const, parts = build.linear_parts(term)
    if max(abs(const), *map(abs, parts.values()), 0).bit_length() > MOST_BITS:
        raise Unreadable(f"a constant of more than {MOST_BITS} bits")
    return term


def _divided(head: str, dividend: Term, divisor: Term) -> Term:
    size, others = build.linear_parts(divisor)
    if sort_of(divisor) != INT or others or size == 0:
        raise Unreadable("only constants other than 0 divide")
    return build.div(dividend, size) if head == "div" else build.mod(dividend, size)


def _called(head: str, arguments: list[Term], names: Names) -> Term:
    function = names.functions.get(read_symbol(head))
    if function is None:
        raise Unreadable(f"`{head}` is no operator and no function here")
    if tuple(sort_of(a) for a in arguments) != function.arguments:
        raise Unreadable(f"`{function.name}` is given arguments that it does not take")
    return build.call(function, tuple(arguments))
