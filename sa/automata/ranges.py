"""The declared range of a variable, as values and as a formula."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Variable
from sa.terms import build
from sa.terms.sort import Value, finite_values
from sa.terms.term import Term


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


def within(variable: Variable, value: Term | None = None) -> Term:
    """That a value, the variable's own if none is given, lies in the variable's declared range."""
    term = variable.var if value is None else value
    low = build.TRUE if variable.low is None else build.le(build.integer(variable.low), term)
    high = build.TRUE if variable.high is None else build.le(term, build.integer(variable.high))
    return build.land(low, high)
