"""Candidates fall to counterexamples, many to one, not each to a question of its own."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.invariants.houdini import atoms_of, surviving
from sa.smt.session import Session
from sa.terms.build import ZERO, call, eq, integer, le, variable
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitution
from sa.terms.term import Function

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


def test_a_number_that_a_function_takes_is_no_atom() -> None:
    assert list(atoms_of(call(Function("even", (INT,), BOOL), (X,)))) == []
