"""The declared range of a variable as a formula."""

from __future__ import annotations

from sa.automata.automaton import Variable
from sa.terms import build
from sa.terms.term import Term


def within(variable: Variable, value: Term | None = None) -> Term:
    """That a value, the variable's own if none is given, lies in the variable's declared range."""
    term = variable.var if value is None else value
    low = build.TRUE if variable.low is None else build.le(build.integer(variable.low), term)
    high = build.TRUE if variable.high is None else build.le(term, build.integer(variable.high))
    return build.land(low, high)
