"""Moments of abstract steps that are read off runs: helping is found, and what is wrong is not proved by it."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.portfolio_of_goals import LINEARIZED
from sa.question.asked import GoalAsked
from sa.question.goals import goals
from sa.refinement.by_moments import plan_of
from tests.endtoend.asking import read
from tests.generators.automata import random_goal
from tests.oracle.game import decide

#: Two clients have a value changed and are told what it was.
ABSTRACT = """
global x : 0..1 = 0;
thread Ask[i : 1..2] { local d, r : 0..1 = 0; while (true) { havoc d; r, x := x, d; @got(i, d, r) skip; } }
thread Serve { skip; }
"""

#: They leave the value with a server, who makes the abstract step of the one whose turn it is.
CONCRETE = """
global y : 0..1 = 0;
global asked : bool[3] = false;
global arg, ans : 0..1[3] = 0;
thread Ask[i : 1..2] {
  local d : 0..1 = 0;
  while (true) { havoc d; atomic { arg[i] := d; asked[i] := true; } @got(i, d, ans[i]) await !asked[i]; }
}
thread Serve {
  local j : 1..2 = 1;
  while (true) {
    atomic { if (asked[j]) { ans[j] := y; y := arg[j]; asked[j] := false; } j := 3 - j; }
  }
}
refinement r { relate true; }
"""


def _whole(concrete: str) -> Goal:
    (goal,) = goals(*read(ABSTRACT, concrete), whole=True)
    return goal


def _found(goal: Goal, seconds: float = 200.0) -> bool:
    """Whether the engine alone finds a relation; the checker accepts it."""
    bounds = limits(seconds, None)
    for answer in LINEARIZED.decide(GoalAsked(goal), Budget(bounds), unheard):
        assert isinstance(answer.evidence, Relation)
        assert isinstance(check(goal, answer.evidence, bounds), Accepted)
        return True
    return False


@pytest.mark.slow
def test_the_server_makes_the_abstract_steps_of_its_clients() -> None:
    goal = _whole(CONCRETE)
    plan = plan_of(goal, Budget(limits(None, None)))
    assert plan is not None
    made = {(move[0], rule.step[0]) for move, rules in plan.rules.items() for rule in rules if move[3].updates}
    assert {(0, 2), (1, 2)} <= made


@pytest.mark.slow
def test_helping_is_proved() -> None:
    assert _found(_whole(CONCRETE))


@pytest.mark.parametrize(
    ("written", "broken"),
    [("ans[j] := y; y := arg[j];", "y := arg[j]; ans[j] := y;"), ("y := arg[j];", "y := 1 - arg[j];")],
)
def test_wrong_help_is_not(written: str, broken: str) -> None:
    assert not _found(_whole(CONCRETE.replace(written, broken)))


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(40, 400, 40))])
def test_what_is_related_so_is_related_by_the_oracle(first: int) -> None:
    for seed in range(first, first + 40):
        goal = random_goal(seed).goal
        if goal.closed and _found(goal, 30.0):
            assert decide(goal).simulated
