"""Whole arrays and sequences: all of their variables at once, in declarations, assignments and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sa.automata.automaton import Fault, Variable
from sa.automata.ranges import beyond
from sa.language import syntax
from sa.language.elaborate.context import Context, complain, counted
from sa.language.elaborate.references import read_all, sequence_of
from sa.language.names import ArraySymbol, SequenceSymbol, Symbol, find
from sa.lowering.paths import Wrong
from sa.terms import build
from sa.terms.sort import INT, ArraySort, BoolSort, IntSort
from sa.terms.term import Term, sort_of

Whole: TypeAlias = ArraySymbol | SequenceSymbol

#: Gives the term of an element's expression, None after an error.
Translate: TypeAlias = Callable[[syntax.Expression], Term | None]


def variables_of(whole: Whole) -> tuple[Variable, ...]:
    """The elements and, for a sequence, the length behind them."""
    return whole.elements if isinstance(whole, ArraySymbol) else (*whole.elements, whole.length)


def whole_of(place: syntax.Expression, context: Context) -> Whole | None:
    """The array or sequence that a bare name stands for; None for anything else."""
    symbol: Symbol | None = find(context.scope, place.name) if isinstance(place, syntax.Name) else None
    return symbol if isinstance(symbol, ArraySymbol | SequenceSymbol) else None


def whole_value(
    written: syntax.Expression, whole: Whole, context: Context, translate: Translate
) -> tuple[tuple[Term, syntax.Expression], ...] | None:
    """A value for every variable of an array or sequence, with the place that gives it; None after an error."""
    size = len(whole.elements)
    if isinstance(written, syntax.Elements):
        fixed = isinstance(whole, ArraySymbol)
        if len(written.values) > size or (fixed and len(written.values) < size):
            hint = "one value for each element of one array" if fixed else None
            room = f"{size} elements" if fixed else f"room for {size}"
            message = f"{counted(len(written.values), 'value')}, but {room}"
            complain(context, "SA203", message, written.span, hint)
            return None
        given = [(translate(e), e) for e in written.values]
        terms = [(t, e) for t, e in given if t is not None]
        if len(terms) < len(given):
            return None
        if isinstance(whole, SequenceSymbol):
            rest = [(beyond(v), written) for v in whole.elements[len(terms) :]]
            return (*terms, *rest, (build.integer(len(terms)), written))
        return tuple(terms)
    other = whole_of(written, context)
    if other is None or type(other) is not type(whole) or not _alike(other, whole):
        what = "an array" if isinstance(whole, ArraySymbol) else "a sequence"
        hint = f"write `{{e1, e2}}`, or the name of {what} of the same size and element type"
        complain(context, "SA208", f"this is not {what} like the other one", written.span, hint)
        return None
    values = read_whole(other, written, context)
    return None if values is None else tuple((v, written) for v in values)


def whole_equal(left: syntax.Expression, right: syntax.Expression, context: Context) -> Term | None:
    """That two arrays, or two sequences, are equal; None after an error. The left side is the name of one."""
    first, second = whole_of(left, context), whole_of(right, context)
    assert first is not None
    if second is None or type(first) is not type(second) or not _alike(first, second):
        complain(context, "SA202", "only arrays, or sequences, of the same size and type can be compared", right.span)
        return None
    one, two = read_whole(first, left, context), read_whole(second, right, context)
    if one is None or two is None:
        return None
    return build.land(*(build.eq(a, b) for a, b in zip(one, two, strict=True)))


def read_whole(whole: Whole, written: syntax.Expression, context: Context) -> tuple[Term, ...] | None:
    """The terms of all variables behind a name, primed as it is."""
    assert isinstance(written, syntax.Name)
    return read_all(variables_of(whole), written.primes, written.span, context)


def _alike(first: Whole, second: Whole) -> bool:
    mine, theirs = variables_of(first), variables_of(second)
    return [(v.var.sort, v.low, v.high) for v in mine] == [(v.var.sort, v.low, v.high) for v in theirs]


# ---------------------------------------------------------------- arrays without bounds

FUNCTIONS = frozenset({"store", "select", "everywhere"})


def of_arrays(name: str, context: Context) -> bool:
    """Whether this is the name of a function of arrays: the file declares nothing of the name."""
    return name in FUNCTIONS and find(context.scope, name) is None


def applied(expression: syntax.Apply, arguments: Sequence[Term], context: Context) -> Term | None:
    """`store(a, i, e)` is `a` but for `e` at `i`, `select(a, i)` an element, `everywhere(e)` has only elements `e`.

    None after an error.
    """
    sorts = [sort_of(a) for a in arguments]
    match expression.name, sorts:
        case "store", [ArraySort(index, element), at, value] if (index, element) == (at, value):
            return build.store(*arguments)
        case "select", [ArraySort(index), at] if index == at:
            return build.select(*arguments)
        case "everywhere", [IntSort() | BoolSort() as element]:
            return build.constant_array(ArraySort(INT, element), *arguments)
        case _:
            hint = "`store(a, i, e)` is `a` with `e` at `i`, `everywhere(e)` an array with `e` at all indices"
            complain(context, "SA203", f"`{expression.name}` does not take these values", expression.span, hint)
            return None


# ---------------------------------------------------------------- what expressions read of a sequence

READERS = frozenset({"len", "first", "last"})


def is_reader(name: str, context: Context) -> bool:
    """Whether a call of this name reads a sequence: the file declares nothing of the name."""
    return name in READERS and find(context.scope, name) is None


def read_sequence(expression: syntax.Apply, context: Context) -> Term | None:
    """`len(q)`, `first(q)` and `last(q)`; in a statement the last two go wrong where the sequence is empty."""
    name = expression.name
    if len(expression.arguments) != 1:
        complain(context, "SA325", f"`{name}` takes a sequence", expression.span, f"write `{name}(q)`")
        return None
    symbol, written = sequence_of(expression.arguments[0], context), expression.arguments[0]
    values = None if symbol is None else read_whole(symbol, written, context)
    if values is None:
        return None
    *elements, length = values
    if name == "len":
        return length
    if context.undefined is not None:
        context.undefined.append(Wrong(build.le(length, build.ZERO), Fault.EMPTY))
    return elements[0] if name == "first" else last_of(elements, length)


def last_of(elements: Sequence[Term], length: Term) -> Term:
    """The last element of a sequence that is not empty."""
    result = elements[0]
    for position in range(1, len(elements)):
        result = build.ite(build.eq(length, build.integer(position + 1)), elements[position], result)
    return result
