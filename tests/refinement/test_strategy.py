"""A strategy that is learned on small values: what it proves that lemmas alone do not, and that it proves no more."""

from __future__ import annotations

from itertools import count, islice

import pytest

from sa.base.budget import Budget
from sa.base.limits import Limits, limits
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.engine import Turn
from sa.engines.goals import decisions
from sa.engines.portfolio_of_goals import STRATEGY
from sa.question.goals import goals
from sa.values.examples import examples
from sa.values.search_bounds import Sought
from tests.endtoend.asking import read
from tests.generators.automata import random_goal


def _by_strategy(goal: Goal, bounds: Limits) -> Relation | None:
    """The relation that the strategy alone comes to; the checker has accepted it."""
    for decision in decisions(goal, Budget(bounds), (Turn(STRATEGY, 1.0),)):
        if not isinstance(decision.evidence, Unknown) and isinstance(check(goal, decision.evidence, bounds), Accepted):
            assert isinstance(decision.evidence, Relation)
            return decision.evidence
    return None


def _whole(abstract: str, concrete: str) -> Goal:
    (goal,) = goals(*read(abstract, concrete), whole=True)
    return goal


READER = "thread R {{ local a, b : int = 0; while (*) {{ {} @got(a, b) skip; }} }}"
ATOMIC = "global x, y : int = 0; thread W { while (*) { x, y := x + 1, y + 1; } }" + READER.format("a, b := x, y;")
LOCKED = (
    "global x, y : int = 0; global l : int = 0;"
    "thread W { while (*) { lock(l); x := x + 1; y := y + 1; unlock(l); } }"
    + READER.format("lock(l); a := x; b := y; unlock(l);")
    + " refinement r { relate conc.l == 0 ==> conc.x == abs.x && conc.y == abs.y; }"
)


def test_two_stores_under_a_lock_are_one_where_the_relation_holds_outside_of_it_only() -> None:
    """The abstract writer writes when the lock is given back, the abstract reader reads when it is taken."""
    assert _by_strategy(_whole(ATOMIC, LOCKED), limits(60.0, None)) is not None


def test_where_the_reader_takes_no_lock_there_is_no_strategy() -> None:
    torn = LOCKED.replace("lock(l); a := x; b := y; unlock(l);", "a := x; b := y;")
    assert _by_strategy(_whole(ATOMIC, torn), limits(60.0, None)) is None


def test_examples_answer_each_step_that_they_lead_to() -> None:
    found = examples(_whole(ATOMIC, LOCKED), limits(60.0, None), Sought(20_000))
    assert found is not None
    edges = {number for _, _, number in found.given}
    assert all(listed for listed in found.given.values())
    # A step that fails is the only one that no run reaches.
    assert len(edges) > 20


@pytest.mark.slow
def test_what_a_strategy_proves_the_oracle_does_not_refute() -> None:
    samples = (random_goal(seed) for seed in count(5_000))
    proved = 0
    for sample in islice((s for s in samples if s.goal.closed and not s.goal.choose_init), 20):
        if _by_strategy(sample.goal, limits(20.0, None)) is not None:
            assert sample.decision.simulated
            proved += 1
    assert proved > 1
