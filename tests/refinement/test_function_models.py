"""Random programs with a function without a body: what some functions refute, no relation proves, and few are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.certificates.goal import Goal
from sa.checker.check import Accepted, check
from sa.engines.engine import GoalEngine
from sa.engines.portfolio_of_goals import ARRAYS, MEANINGS, QUICK_FIRST, QUICK_LIKELY
from sa.question.asked import GoalAsked, Lost, Related
from tests.refinement.escaping import goal_of

AXIOMS = (
    "",
    "axiom forall v : int :: f(f(v)) == v;",
    "axiom forall v : int :: f(v) >= v;",
    "axiom forall v : int :: f(v) == f(0);",
    "axiom forall v : int :: f(v + 1) == f(v) + 1;",
    "axiom forall v : int :: f(f(v)) == f(v);",
    "axiom f(0) == 1;",
    "axiom forall v, w : int :: v <= w ==> f(v) <= f(w);",
    "axiom forall v : int :: f(v) == 1 || f(v) == 2;",
    "axiom forall v : int :: f(v) == f(-v);",
)


def expression(dice: Random, depth: int) -> str:
    match dice.randrange(6 if depth else 3):
        case 0 | 1:
            return dice.choice("xyt")
        case 2:
            return str(dice.randrange(-1, 3))
        case 3:
            return f"({expression(dice, depth - 1)} {dice.choice('+-')} {expression(dice, depth - 1)})"
        case _:
            return f"f({expression(dice, depth - 1)})"


def statement(dice: Random) -> str:
    match dice.randrange(5):
        case 0:
            test = f"{expression(dice, 1)} {dice.choice(('<=', '==', '<'))} {expression(dice, 1)}"
            return f"if ({test}) {{ y := {expression(dice, 2)}; }} else {{ t := {expression(dice, 2)}; }}"
        case 1:
            return f"t := {expression(dice, 2)};"
        case 2:
            return f"y := {expression(dice, 2)};"
        case _:
            return f"@a({expression(dice, 2)}) skip;"


def random_goal(dice: Random) -> Goal:
    """One program against another that differs from it in a statement at most."""
    body = [statement(dice) for _ in range(dice.randrange(1, 4))]
    place = dice.randrange(len(body))
    changed = dice.choice((statement(dice), body[place], body[place].replace("x", "y", 1)))
    other = [*body[:place], changed, *body[place + 1 :]]
    first, second = (f"thread T {{ local t : int = 0; {' '.join(lines)} }}" for lines in (body, other))
    return goal_of(first, second, f"function f(int) : int; {dice.choice(AXIOMS)} global x, y : int;")


def answers(goal: Goal, *engines: GoalEngine) -> Iterator[Related | Lost]:
    """Those that the checker accepts."""
    asked = GoalAsked(goal)
    for engine in engines:
        with suppress(LimitReached):
            for answer in engine.decide(asked, Budget(limits(10.0, None)), unheard):
                if isinstance(answer, Related | Lost):
                    assert isinstance(check(goal, answer.evidence, limits(30.0, None)), Accepted)
                    yield answer


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(4))
def test_what_some_functions_refute_no_relation_proves(seed: int) -> None:
    dice, seen = Random(seed), Counter[str]()
    for _ in range(75):
        goal = random_goal(dice)
        lost = next(answers(goal, MEANINGS), None)
        other = next(answers(goal, ARRAYS, QUICK_FIRST, QUICK_LIKELY), None)
        if lost is not None:
            assert not isinstance(other, Related)
        seen["open" if lost is other is None else "lost" if isinstance(lost or other, Lost) else "related"] += 1
    assert min(seen["lost"], seen["related"]) > 10 and seen["open"] < 8
