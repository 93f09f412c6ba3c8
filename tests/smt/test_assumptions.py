"""Only what is switched on is known, and an impossible question says what of that it needed."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.smt.assumptions import Model, Switches, Used
from sa.terms.build import integer, le, lnot, variable
from sa.terms.sort import BOOL

X, B = variable("x"), variable("b", BOOL)


def test_a_question_knows_what_is_on() -> None:
    switches = Switches(Limits(), 0, 1_000_000, (), (X, B))
    low, high, other = (switches.add(f) for f in (le(integer(3), X), le(X, integer(5)), B))
    assert switches.check((low, high, other), (le(integer(6), X),)) == Used(frozenset((high,)))
    found = switches.check((low, other), (le(integer(6), X),))
    assert isinstance(found, Model)
    assert found.values[B] is True
    value = found.values[X]
    assert isinstance(value, int) and value >= 6


def test_what_always_holds_is_on() -> None:
    switches = Switches(Limits(), 0, 1_000_000, (B,), (X,))
    assert switches.check((), (lnot(B),)) == Used(frozenset())
    assert isinstance(switches.check((), ()), Model)
