"""A search that a limit cuts short goes on from there, and ends as if it had not been cut."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from sa.base.limits import LimitReached, Limits
from sa.base.verdict import Reason
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import check
from sa.game.board import Pair, lay_out
from sa.game.runs import Bounds
from sa.refinement.found import relation_of
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Answered, Ending, Patience, Tactics
from sa.smt.session import Answer, Session
from sa.terms.term import Term
from tests.generators.automata import random_goal
from tests.simulation.examples import goal_of

TACTICS = Tactics("test", 100, 2, Bounds(100, 2, 4), Patience.NONE)

GOALS = [
    # A lemma at the initial pair, which is lost.
    ("local i : int; @a(i) skip;", "local i, j : int; i := j; @a(i + 1) skip;"),
    # Lemmas that flow back through a loop.
    (
        "local x : int = 0; while (true) { x := x + 1; await x < 5 { skip; } @b skip; }",
        "local x : int = 0; while (x < 3) { x := x + 1; @b skip; }",
    ),
    ("local x : int = 0; while (x < 2) { x := x + 1; @b(x) skip; }", "@b(1) skip; @b(2) skip; @b(3) skip;"),
    # Answers that choose.
    ("local x : int; havoc x; @a(x) skip; @a(x) skip;", "local y : int; havoc y; @a(2 * y) skip; @a(y + y) skip;"),
]


class _Interrupted(Session):
    """A session that is cut short at each question that it has not heard before."""

    def __init__(self, bounds: Limits, axioms: tuple[Term, ...]) -> None:
        super().__init__(bounds, axioms)
        self.heard: set[frozenset[Term]] = set()
        self.over = False

    def check(self, formulas: Iterable[Term]) -> Answer:
        asked = frozenset(formulas)
        if not self.over and asked not in self.heard:
            self.heard.add(asked)
            raise LimitReached(Reason.TIMEOUT)
        return super().check(asked)


def _ends(search: Search) -> Ending:
    while True:
        try:
            return search.run()
        except LimitReached:
            continue


def _lemmas(search: Search) -> dict[Pair, tuple[str, ...]]:
    return {pair: tuple(m.formula.key for m in state.lemmas) for pair, state in search.pairs.items()}


def _judged(goal: Goal, search: Search) -> type | None:
    """What the checker says of a search's relation; None where there is none, since initial states are not related."""
    relation = relation_of(search)
    return type(check(goal, relation, Limits())) if isinstance(relation, Relation) else None


def _compared(goal: Goal) -> int:
    """How often a search was cut that ended like one that was not, with the same lemmas and the same judgement."""
    axioms = tuple(a.formula for a in goal.axioms)
    session = _Interrupted(Limits(), axioms)
    whole, cut = Search(lay_out(goal), Session(Limits(), axioms), TACTICS), Search(lay_out(goal), session, TACTICS)
    expected, found = whole.run(), _ends(cut)
    session.over = True
    assert type(found) is type(expected)
    assert _lemmas(cut) == _lemmas(whole)
    if isinstance(found, Answered):
        assert _judged(goal, cut) == _judged(goal, whole)
    return len(session.heard)


@pytest.mark.parametrize(("abstract", "concrete"), GOALS)
def test_a_search_that_is_cut_short_at_every_question_ends_like_one_that_is_not(abstract: str, concrete: str) -> None:
    assert _compared(goal_of(abstract, concrete)) > 1


def test_random_searches_that_are_cut_short_end_like_those_that_are_not() -> None:
    assert sum(_compared(random_goal(seed).goal) for seed in range(40)) > 100


@pytest.mark.fuzz
def test_many_random_searches_that_are_cut_short_end_like_those_that_are_not() -> None:
    assert sum(_compared(random_goal(seed).goal) for seed in range(40, 1_000)) > 2_000
