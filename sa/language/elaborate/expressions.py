"""Expressions to terms: names are looked up, types are checked, macros and function bodies are put in.

A part with an error has no term: it is None, was reported once, and makes everything around it None.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import Kind
from sa.base.diagnostic import error
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.arithmetic import arithmetic
from sa.language.elaborate.context import CONSTANT, MOST_NEEDS, Context, complain, within
from sa.language.elaborate.quantified import quantified
from sa.language.elaborate.references import element, of_before, read, variables_named, whole_name
from sa.language.elaborate.types import Values, range_of, resolve_type
from sa.language.elaborate.wholes import applied, is_reader, of_arrays, read_sequence, whole_equal, whole_of
from sa.language.names import (
    BrokenSymbol,
    FunctionSymbol,
    MacroSymbol,
    ProcedureSymbol,
    Scope,
    TermSymbol,
    did_you_mean,
    find,
    unknown,
)
from sa.lowering.paths import Need, needed_if, renewed
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL, INT, Sort
from sa.terms.substitute import primed
from sa.terms.term import Bool, Int, Term, sort_of

_ORDERS: dict[str, Callable[[Term, Term], Term]] = {
    "<": build.lt,
    "<=": build.le,
    ">": lambda left, right: build.lt(right, left),
    ">=": lambda left, right: build.le(right, left),
}


def boolean(expression: syntax.Expression, context: Context) -> Term | None:
    """The term of a formula."""
    return of_sort(expression, BOOL, context)


def of_sort(expression: syntax.Expression, sort: Sort, context: Context) -> Term | None:
    """The term of an expression that must have a sort."""
    term = translate(expression, context)
    if term is not None and sort_of(term) != sort:
        message = f"this is of type {sort_of(term).name}, but {sort.name} is needed"
        hint = "compare it: `… != 0`" if (sort_of(term), sort) == (INT, BOOL) else None
        complain(context, "SA201", message, expression.span, hint)
        return None
    return term


def relation(expression: syntax.Expression, context: Context) -> Term | None:
    """The term of a relation between two states, written with primes or with `old`."""
    if _mentions_old(expression):
        context = replace(context, primes=1)
    return boolean(expression, context)


def translate(expression: syntax.Expression, context: Context) -> Term | None:
    """The term of an expression, None after an error."""
    match expression:
        case syntax.Name():
            return _name(expression, context)
        case syntax.Integer(value):
            return build.integer(value)
        case syntax.Boolean(value):
            return build.boolean(value)
        case syntax.Chain():
            return _chain(expression, context)
        case syntax.Compare(operator, left, right):
            return _compare(operator, left, right, expression.span, context)
        case syntax.Unary(operator, operand):
            return _unary(operator, operand, context)
        case syntax.Index():
            return element(expression, context, lambda index: of_sort(index, INT, context))
        case syntax.Conditional(condition, positive, negative):
            return _conditional(condition, positive, negative, expression.span, context)
        case syntax.Apply():
            return _apply(expression, context)
        case _:
            return _special(expression, context)


def _special(
    expression: syntax.Old | syntax.At | syntax.Member | syntax.Quantified | syntax.Unchanged | syntax.Elements,
    context: Context,
) -> Term | None:
    """What is allowed in formulas of certain kinds only."""
    match expression:
        case syntax.Old(body):
            if not context.mode.primes or context.primes == 0:
                hint = "`old` stands for the state before a step" if not context.mode.primes else None
                complain(context, "SA303", f"`old` has no meaning in {context.mode.what}", expression.span, hint)
                return None
            return of_before(translate(body, replace(context, primes=0)), expression.span, context)
        case syntax.At():
            return _at(expression, context)
        case syntax.Member(thread, index, local, span):
            owner = _owner(thread, index, context)
            return (
                None if owner is None else translate(replace(local, name=f"{owner}.{local.name}", span=span), context)
            )
        case syntax.Quantified():
            return quantified(expression, context, boolean, _bound_by)
        case syntax.Unchanged(names):
            return _unchanged(names, expression.span, context)
        case syntax.Elements():
            hint = "it is for arrays and sequences as wholes"
            complain(context, "SA208", "this is the value of several variables", expression.span, hint)
            return None
        case _:
            assert_never(expression)


def _name(expression: syntax.Name, context: Context) -> Term | None:
    symbol = find(context.scope, expression.name)
    if isinstance(symbol, MacroSymbol) and not symbol.definition.parameters:
        return _expand(symbol, (), expression.span, context)
    return whole_name(expression, symbol, context)


def _chain(expression: syntax.Chain, context: Context) -> Term | None:
    match expression.operators[0]:
        case "&&" | "||" | "==>":
            return _junction(expression, context)
        case "<==>":
            sides = [boolean(e, context) for e in expression.operands]
            return None if None in sides else reduce(build.eq, [s for s in sides if s is not None])
        case _:
            operands = [of_sort(e, INT, context) for e in expression.operands]
            return arithmetic(expression, operands, context)


def _junction(expression: syntax.Chain, context: Context) -> Term | None:
    """`&&`, `||`, `==>`: an operand is only read where those to its left do not decide."""
    operator = expression.operators[0]
    terms = list[Term]()

    def passed() -> Term:
        return build.land(*(build.lnot(t) if operator == "||" else t for t in terms))

    for position, operand in enumerate(expression.operands):
        if context.unrolled and position and passed() is build.FALSE:
            # With these values for what quantifiers bind, the rest is not read.
            return build.boolean(operator != "&&")
        term = _read_if(passed, context, partial(boolean, operand))
        if term is not None:
            terms.append(term)
    if len(terms) < len(expression.operands):
        return None
    if operator == "==>":
        return build.implies(build.land(*terms[:-1]), terms[-1])
    return build.land(*terms) if operator == "&&" else build.lor(*terms)


def _read_if(condition: Callable[[], Term], context: Context, read: Callable[[Context], Term | None]) -> Term | None:
    """A part that is only read where a condition holds, which is made only if it matters: chains may be long."""
    if context.undefined is None:
        return read(context)
    inner = replace(context, undefined=list[Need]())
    term = read(inner)
    if inner.undefined:
        known = condition()
        context.undefined.extend(needed_if(known, n) for n in inner.undefined)
    return term


def _compare(
    operator: str, left: syntax.Expression, right: syntax.Expression, span: Span, context: Context
) -> Term | None:
    if operator in _ORDERS:
        low, high = of_sort(left, INT, context), of_sort(right, INT, context)
        return None if low is None or high is None else _ORDERS[operator](low, high)
    if whole_of(left, context) is not None and whole_of(right, context) is not None:
        equal = whole_equal(left, right, context)
        return equal if equal is None or operator == "==" else build.lnot(equal)
    first, second = translate(left, context), translate(right, context)
    if first is None or second is None:
        return None
    if sort_of(first) != sort_of(second):
        message = f"{sort_of(first).name} and {sort_of(second).name} cannot be compared"
        complain(context, "SA202", message, span)
        return None
    return build.eq(first, second) if operator == "==" else build.ne(first, second)


def _unary(operator: str, operand: syntax.Expression, context: Context) -> Term | None:
    if operator == "!":
        body = boolean(operand, context)
        return None if body is None else build.lnot(body)
    number = of_sort(operand, INT, context)
    return None if number is None else build.scale(-1, number)


def _conditional(
    condition: syntax.Expression,
    positive: syntax.Expression,
    negative: syntax.Expression,
    span: Span,
    context: Context,
) -> Term | None:
    test = boolean(condition, context)
    if context.unrolled and isinstance(test, Bool):
        return translate(positive if test is build.TRUE else negative, context)
    known = build.TRUE if test is None else test
    yes = _read_if(lambda: known, context, partial(translate, positive))
    no = _read_if(lambda: build.lnot(known), context, partial(translate, negative))
    if test is None or yes is None or no is None:
        return None
    if sort_of(yes) != sort_of(no):
        message = f"the branches are of different types, {sort_of(yes).name} and {sort_of(no).name}"
        complain(context, "SA202", message, span)
        return None
    return build.ite(test, yes, no)


def _apply(expression: syntax.Apply, context: Context) -> Term | None:
    if is_reader(expression.name, context):
        return read_sequence(expression, context)
    arguments = [translate(a, context) for a in expression.arguments]
    if of_arrays(expression.name, context):
        known = [a for a in arguments if a is not None]
        return applied(expression, known, context) if len(known) == len(arguments) else None
    symbol = find(context.scope, expression.name)
    if isinstance(symbol, BrokenSymbol):
        return None
    if isinstance(symbol, ProcedureSymbol):
        hint = f"store its result in a statement of its own: `x := {expression.name}(...);`"
        complain(context, "SA103", f"`{expression.name}` is a procedure, not a function", expression.span, hint)
        return None
    if not isinstance(symbol, MacroSymbol | FunctionSymbol):
        complaint = unknown(context.scope, expression.name, expression.span, "function")
        if symbol is not None:
            complaint = error("SA103", f"`{expression.name}` is not a function", expression.span)
        context.problems.append(complaint)
        return None
    names = symbol.definition.parameters if isinstance(symbol, MacroSymbol) else symbol.function.arguments
    if len(arguments) != len(names):
        message = f"`{expression.name}` takes {len(names)} arguments, not {len(arguments)}"
        complain(context, "SA203", message, expression.span)
        return None
    terms = tuple(a for a in arguments if a is not None)
    if len(terms) < len(arguments):
        return None
    if isinstance(symbol, FunctionSymbol):
        return _call(symbol, terms, expression, context)
    return _expand(symbol, terms, expression.span, context)


def _call(
    symbol: FunctionSymbol, arguments: tuple[Term, ...], expression: syntax.Apply, context: Context
) -> Term | None:
    for argument, sort, written in zip(arguments, symbol.function.arguments, expression.arguments, strict=True):
        if sort_of(argument) != sort:
            message = f"this is of type {sort_of(argument).name}, but `{expression.name}` takes {sort.name} here"
            complain(context, "SA201", message, written.span)
            return None
    if symbol.body is None:
        return build.call(symbol.function, arguments)
    name, span = symbol.function.name, expression.span
    return _replaced(name, symbol.parameters, symbol.body, symbol.scope, arguments, span, context)


def _expand(symbol: MacroSymbol, arguments: tuple[Term, ...], span: Span, context: Context) -> Term | None:
    definition = symbol.definition
    names = tuple(p.name for p in definition.parameters)
    return _replaced(definition.name.name, names, definition.body, symbol.scope, arguments, span, context)


def _replaced(
    name: str,
    parameters: tuple[str, ...],
    body: syntax.Expression,
    scope: Scope,
    arguments: tuple[Term, ...],
    span: Span,
    context: Context,
) -> Term | None:
    """A body with arguments for its parameters; errors inside are reported where it is used."""
    if name in context.expanding:
        circle = " uses ".join(f"`{n}`" for n in (*context.expanding[context.expanding.index(name) :], name))
        complain(context, "SA106", f"`{name}` is defined by itself: {circle}", span, "write a loop instead")
        return None
    key = (name, id(scope), arguments, context.mode, context.primes)
    if key not in context.expanded:
        values = Scope(scope, {p: TermSymbol(a) for p, a in zip(parameters, arguments, strict=True)})
        undefined = None if context.undefined is None else list[Need]()
        inner = replace(within(context, values), expanding=(*context.expanding, name), undefined=undefined)
        context.expanded[key] = translate(body, inner), tuple(undefined or ())
    term, needs = renewed(*context.expanded[key], context.divisions)
    if len(needs) > MOST_NEEDS:
        complain(context, "SA205", f"`{name}` divides, or reads elements, more than {MOST_NEEDS} times", span)
        context.expanded[key] = term, needs = None, ()
    if context.undefined is not None:
        context.undefined.extend(needs)
    return term


def _at(expression: syntax.At, context: Context) -> Term | None:
    if not context.mode.locations:
        complain(context, "SA313", f"`at` has no meaning in {context.mode.what}", expression.span)
        return None
    thread = expression.thread
    if expression.index is not None:
        owner = _owner(thread, expression.index, context)
        if owner is None:
            return None
        thread = owner
    name = at_place(thread, expression.location)
    if name not in context.locations:
        message = f"there is no location `{expression.location}` in a thread `{thread}`"
        hint = did_you_mean(name, sorted(context.locations))
        if thread in context.families or thread in context.members:
            hint = f"`{thread}` is a family: `forall i : {thread} :: ... at {thread}[i].{expression.location} ...`"
        complain(context, "SA104", message, expression.span, hint)
        return None
    return build.variable(name, BOOL)


def _owner(family: str, written: syntax.Expression, context: Context) -> str | None:
    """The name of the member of a family, or of the copy, with an index; None after an error."""
    index = of_sort(written, INT, context)
    if index is None:
        return None
    copy = context.copies.get(index)
    return copy.name if copy is not None and copy.family == family else f"{family}[{index.key}]"


def domain_of(written: syntax.Type, context: Context) -> Values | None:
    """What a written type means; None after an error."""
    return resolve_type(written, context, partial(constant_integer, context=context))


def _bound_by(written: syntax.Type, context: Context) -> Values | None:
    """What a quantifier is over: `1..N` has no values where N is 0, which is no error there."""
    if isinstance(written, syntax.RangeType):
        return range_of(written, context, partial(constant_integer, context=context))
    return domain_of(written, context)


def constant_integer(expression: syntax.Expression, context: Context) -> int | None:
    """The value of an expression that must be a constant integer; None after an error."""
    term = of_sort(expression, INT, replace(context, mode=CONSTANT, undefined=None, primes=0))
    if term is None:
        return None
    if not isinstance(term, Int):
        complain(context, "SA204", "this is not a constant", expression.span)
        return None
    return term.value


def _unchanged(names: tuple[syntax.Place, ...], span: Span, context: Context) -> Term | None:
    if not context.mode.primes:
        hint = "it is about a step: write it in a `rely` or a `guarantee`"
        complain(context, "SA303", f"`unchanged` has no meaning in {context.mode.what}", span, hint)
        return None
    groups = [(name, variables_named(name, context)) for name in names]
    # Parameters never change anyway.
    named = [(v, name.span) for name, group in groups for v in group or () if v.kind is not Kind.PARAM]
    present = [read(v, 0, place, replace(context, primes=0)) for v, place in named]
    if any(group is None for _, group in groups) or any(t is None for t in present):
        return None
    return build.land(*(build.eq(primed(v.var), v.var) for v, _ in named))


def _mentions_old(expression: syntax.Expression) -> bool:
    match expression:
        case syntax.Old():
            return True
        case syntax.Chain(operands):
            return any(_mentions_old(e) for e in operands)
        case syntax.Compare(_, left, right):
            return _mentions_old(left) or _mentions_old(right)
        case syntax.Unary(_, operand):
            return _mentions_old(operand)
        case syntax.Conditional(condition, positive, negative):
            return any(_mentions_old(e) for e in (condition, positive, negative))
        case syntax.Apply(_, arguments):
            return any(_mentions_old(e) for e in arguments)
        case syntax.Index(_, index, _):
            return _mentions_old(index)
        case _:
            return False
