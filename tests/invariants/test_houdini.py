"""Candidates fall to counterexamples, many to one, not each to a question of its own."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.invariants.houdini import surviving
from sa.smt.session import Session
from sa.terms.build import ZERO, eq, integer, le, variable
from sa.terms.substitute import substitution

X, Y = variable("x"), variable("y")


def test_candidates_that_contradict_each_other_fall_to_few_counterexamples() -> None:
    """Their conjunction is false by its form, so that the solver's model has no variables."""
    session = Session(Limits())
    contrary = (le(X, ZERO), le(integer(1), X), eq(Y, integer(5)), *(eq(X, integer(n)) for n in range(2, 12)))
    assert surviving(session, session, (), contrary, substitution({})) == ()
    assert session.calls <= 3


def test_what_follows_survives_beside_what_does_not() -> None:
    session = Session(Limits())
    true, false = le(ZERO, X), le(X, ZERO)
    assert surviving(session, session, (le(integer(3), X),), (true, false, eq(Y, ZERO)), substitution({})) == (true,)
