"""Loops that go around at different rates: aligned runs give answers, and wrong loops have none."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from sa.base.budget import Budget
from sa.base.limits import Limits, limits
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.engine import Turn
from sa.engines.goals import decisions
from sa.engines.portfolio_of_goals import ALIGNED
from sa.question.goals import goals
from sa.refinement.alignment import Rate, loops_of, rates, unrollings
from sa.refinement.by_alignment import couples_of
from tests.endtoend.asking import read

#: `@in` shows what the sum is made of, `@out` the sum.
AROUND = "thread T {{ local n, v, s, i : int = 0; havoc n, v; @in(n, v) skip; {} @out(s) skip; }}"

PLAIN = "s := 0; i := 0; while (i < n) { s := s + v; i := i + 1; }"
ROTATED = "s := 0; i := 0; if (i < n) { s := s + v; i := i + 1; while (i < n) { s := s + v; i := i + 1; } }"
TWICE = (
    "s := 0; i := 0; while (i + 1 < n) { s := s + v; s := s + v; i := i + 2; } if (i < n) { s := s + v; i := i + 1; }"
)
BLOCKS = (
    "local e : int = 0; s := 0; i := 0;"
    " while (i < n) { e := i + 3; while (i < e && i < n) { s := s + v; i := i + 1; } }"
)
DOWN = "s := 0; i := n; while (i > 0) { s := s + v; i := i - 1; }"
LOOPS = {"plain": PLAIN, "rotated": ROTATED, "twice": TWICE, "blocks": BLOCKS, "down": DOWN}


def _goal(abstract: str, concrete: str) -> Goal:
    (goal,) = goals(*read(AROUND.format(abstract), AROUND.format(concrete)), whole=True)
    return goal


def _proved(goal: Goal, bounds: Limits) -> bool:
    """Whether aligned runs alone lead to a relation that the checker accepts."""
    for decision in decisions(goal, Budget(bounds), (Turn(ALIGNED, 1.0),)):
        if not isinstance(decision.evidence, Unknown):
            assert isinstance(decision.evidence, Relation)
            assert isinstance(check(goal, decision.evidence, bounds), Accepted)
            return True
    return False


@pytest.mark.parametrize("concrete", ["rotated", "twice", "down"])
def test_a_loop_is_the_loop_that_it_was_made_from(concrete: str) -> None:
    assert _proved(_goal(PLAIN, LOOPS[concrete]), limits(30.0, None))


def test_a_loop_that_was_unrolled_is_rolled_up() -> None:
    assert _proved(_goal(TWICE, PLAIN), limits(30.0, None))


#: A turn with a test: three of them take eight ways.
TURN = "if (i < v) { s := s + v; } i := i + 1;"
TESTED = f"s := 0; i := 0; while (i < n) {{ {TURN} }}"
THRICE = f"s := 0; i := 0; while (i + 2 < n) {{ {TURN} {TURN} {TURN} }} while (i < n) {{ {TURN} }}"


@pytest.mark.slow
def test_a_loop_whose_turns_take_two_ways_is_unrolled_by_three() -> None:
    assert _proved(_goal(TESTED, THRICE), limits(None, None))


@pytest.mark.fuzz
def test_a_loop_that_makes_a_turn_too_many_is_not_unrolled_by_three() -> None:
    assert not _proved(_goal(TESTED, THRICE.replace("i + 2 < n", "i + 1 < n")), limits(None, None))


@pytest.mark.parametrize(
    "broken",
    [
        TWICE.replace("i + 1 < n", "i < n", 1),  # one turn too many where the number is odd
        TWICE.replace("i + 1 < n", "i + 2 < n", 1),  # where two are left, one is made
        ROTATED.replace("if (i < n)", "if (i <= n)"),  # a turn where there is none
        DOWN.replace("i > 0", "i > 1"),
    ],
)
def test_a_loop_that_makes_other_turns_is_not_aligned(broken: str) -> None:
    assert not _proved(_goal(PLAIN, broken), limits(30.0, None))


def test_the_rate_of_a_loop_that_is_unrolled_by_two() -> None:
    goal = _goal(TWICE, PLAIN)
    first, second = loops_of(goal.concrete), loops_of(goal.abstract)
    found = rates(first, second, couples_of(goal, Budget(limits(30.0, None))))
    (rate,) = found
    assert [w for _, w in rate.concrete] == [1] and [w for _, w in rate.abstract] == [2]
    (unrolled,) = unrollings(first, found) or ()
    assert (unrolled.first, unrolled.period) == (0, 2)


def test_a_loop_that_is_a_turn_behind_has_a_copy_before_those_that_are_counted() -> None:
    goal = _goal(PLAIN, PLAIN)
    first = loops_of(goal.concrete)
    (head,) = first.heads
    (unrolled,) = unrollings(first, (Rate(((head, 1),), ((head, 1),), 1),)) or ()
    assert (unrolled.first, unrolled.period) == (1, 1)


def _sum(turns: range) -> str:
    return " ".join("s := s + v;" for _ in turns)


@pytest.mark.fuzz
def test_random_unrolled_loops_are_proved_exactly_where_they_make_as_many_turns() -> None:
    """Unrolled by k with a rest; the step, the guard and the rest are changed at random."""
    dice, proved, refused = Random(7), 0, 0
    for _ in range(120):
        k, step, slack, made = dice.choice((2, 3, 4)), *(dice.choice((0, 0, 0, 1)) for _ in range(3))
        rest = dice.choice(("while", "while", "if"))
        text = f"s := 0; i := 0; while (i + {k - 1 - slack} < n) {{ {_sum(range(k - made))} i := i + {k - step}; }}"
        text += f" {rest} (i < n) {{ s := s + v; i := i + 1; }}"
        concrete, abstract = dice.choice(((text, PLAIN), (PLAIN, text), (text, ROTATED)))
        right = all(_turns(n, k, step, slack, made, rest) == max(n, 0) for n in range(-2, 30))
        if _proved(_goal(abstract, concrete), limits(60.0, None)):
            assert right, (abstract, concrete)
            proved += 1
        refused += not right
    assert proved >= 15 and refused >= 15


def _turns(n: int, k: int, step: int, slack: int, made: int, rest: str) -> int:
    """How often a changed loop adds."""
    i = total = 0
    while i + k - 1 - slack < n:
        total, i = total + k - made, i + k - step
    left = max(n - i, 0)
    return total + (left if rest == "while" else min(left, 1))


@pytest.mark.fuzz
def test_all_forms_of_a_loop_refine_each_other() -> None:
    missed = [
        (one, other)
        for one, other in product(LOOPS, LOOPS)
        if one != other and not _proved(_goal(LOOPS[one], LOOPS[other]), limits(60.0, None))
    ]
    assert len(missed) <= 4, missed
