"""Conjuncts with remainders are shown one by one: what does not follow, or is not known to, is never shown so."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from sa.base.limits import Limits
from sa.checker import ruling
from sa.checker.obligation import Case, Obligation, discharge
from sa.smt.session import Answer, Session, Undecided
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.term import Term

X, Y, Z = (build.variable(name, INT) for name in "xyz")
EVEN, ODD = (build.eq(build.mod(X, 2), build.integer(rest)) for rest in (0, 1))


def about(hypotheses: tuple[Term, ...], *goals: Term) -> Obligation:
    return Obligation("inductive lemma", "", hypotheses, (Case((), goals),))


class Weary(Session):
    """Gives up on every question."""

    def check(self, formulas: Iterable[Term]) -> Answer:
        return Undecided("weary")


FOUR = build.eq(build.mod(X, 4), build.ZERO)


def test_conjuncts_follow_by_themselves() -> None:
    assert discharge(Session(Limits()), frozenset(), about((FOUR,), EVEN, build.ne(X, build.integer(2)))) is None


def test_and_by_hypotheses_about_variables_that_no_equation_relates_to_theirs() -> None:
    known = (FOUR, build.le(Y, X), build.le(Z, Y))
    assert discharge(Session(Limits()), frozenset(), about(known, EVEN, build.le(Z, X))) is None


@pytest.mark.parametrize("goals", [(EVEN, ODD), (ODD, EVEN), (EVEN, build.le(Y, X)), (build.le(X, Y), EVEN)])
def test_one_that_does_not_follow_is_found_wherever_it_is(goals: tuple[Term, ...]) -> None:
    assert isinstance(discharge(Session(Limits()), frozenset(), about((FOUR,), *goals)), ruling.Rejected)


def test_a_solver_that_gives_up_shows_nothing() -> None:
    goals = (EVEN, build.ne(X, build.integer(2)))
    assert isinstance(discharge(Weary(Limits()), frozenset(), about((FOUR,), *goals)), ruling.Undecided)
