"""The declared range of a variable, as values and as a formula, and what there is of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from sa.automata.automaton import Variable
from sa.terms import build
from sa.terms.sort import INT, BoolSort, EnumSort, IntSort, Value, finite_values
from sa.terms.term import Term

#: A number with more values is handled like one without a range: nothing tries them one by one.
_LARGE = 1 << 16


def values_of(variable: Variable) -> Sequence[Value] | None:
    """All values that a variable or a choice may have, in order; None for infinitely many."""
    if variable.low is not None and variable.high is not None:
        return range(variable.low, variable.high + 1)
    return finite_values(variable.var.sort)


def count_of(variable: Variable) -> int | None:
    """How many values that are; None for infinitely many."""
    if variable.low is not None and variable.high is not None:
        return variable.high - variable.low + 1
    every = finite_values(variable.var.sort)
    return None if every is None else len(every)


def is_large(variable: Variable) -> bool:
    """Whether it is a number with so many values that it is handled like one without a range."""
    return variable.var.sort == INT and ((n := count_of(variable)) is None or n > _LARGE)


def within(variable: Variable, value: Term | None = None) -> Term:
    """That a value, the variable's own if none is given, lies in the variable's declared range."""
    term = variable.var if value is None else value
    low = build.TRUE if variable.low is None else build.le(build.integer(variable.low), term)
    high = build.TRUE if variable.high is None else build.le(term, build.integer(variable.high))
    return build.land(low, high)


def beyond(element: Variable) -> Term:
    """The value of the elements behind the end of a sequence."""
    sort = element.var.sort
    match sort:
        case BoolSort():
            return build.FALSE
        case EnumSort():
            return build.constant(0, sort)
        case IntSort():
            low, high = element.low, element.high
            inside = low is None or high is None or low <= 0 <= high
            return build.ZERO if inside else build.integer(low or 0)
        case _:
            raise AssertionError(sort)


def canonical(variables: Sequence[Variable]) -> Term:
    """That the sequences among some variables have the same value everywhere behind their length.

    The elements of a sequence come right before its length.
    """
    parts = list[Term]()
    for number, length in enumerate(variables):
        if length.sequence:
            for element in takewhile(lambda v: v.var.name.position is not None, reversed(variables[:number])):
                position = element.var.name.position or 0
                inside = build.lt(build.integer(position), length.var)
                parts.append(build.lor(inside, build.eq(element.var, beyond(element))))
                if position == 0:
                    break
    return build.land(*parts)


def without_ranges(formula: Term, variables: Sequence[Variable]) -> Term:
    """What a formula says of variables beyond what their declarations say."""
    declared = build.land(*map(within, variables), canonical(variables))
    said = frozenset(build.conjuncts(declared))
    return build.land(*(part for part in build.conjuncts(formula) if part not in said))
