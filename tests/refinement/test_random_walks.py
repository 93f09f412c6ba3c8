"""Long random walks on few values that no abstract run matches: found where many steps are needed, made short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from sa.base.budget import Budget, unheard
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.certificates.play import Position as InPlay
from sa.checker.check import Accepted, check
from sa.question.asked import GoalAsked
from sa.question.goals import goals
from sa.refinement.random_walks import by_walks
from sa.values.search import search
from sa.values.search_bounds import Closed
from tests.endtoend.asking import read
from tests.generators.refinements import random_question
from tests.oracle.formula import Unbounded
from tests.oracle.game import Ending, decide
from tests.refinement.escaping import compared, goal_of, length
from tests.values.proofs import PATIENT


def refuted(goal: Goal, steps: int = 3_000, seed: int = 0) -> Play | None:
    """The play of walks with so many steps."""
    try:
        found = next(by_walks(steps, GoalAsked(goal), Budget(limits(60.0, None), seed), unheard), None)
    except LimitReached:
        return None
    return None if found is None else found.evidence


#: A cell is read, and somebody else may write it twice, so that it looks as if nobody had, before it is taken.
TAKE = """
thread Put {{ local v : int = 0; while (true) {{ havoc v; atomic {{ assume !full; cell := v; full := true; }} }} }}
thread Take[i : 1..2] {{
  local v : int = 0;
  local ok : bool = false;
  while (true) {{ {take} @taken(v) skip; }}
}}
"""
CELL = "global cell : int = 0; global full : bool = false;"
AT_ONCE = TAKE.format(take="atomic { assume full; v := cell; full := false; }")
STALE = TAKE.format(take="assume full; v := cell; atomic { assume full; full := false; }")


def test_a_stale_value_that_three_threads_are_needed_for_is_found_and_accepted() -> None:
    goal = goal_of(AT_ONCE, STALE, CELL)
    play = refuted(goal, 20_000)
    assert play is not None and isinstance(check(goal, play, limits(60.0, None)), Accepted)
    assert refuted(goal_of(AT_ONCE, AT_ONCE, CELL)) is None


def test_steps_that_are_not_needed_are_left_out() -> None:
    walk = "thread T {{ while (*) {{ x := x + 1; @now(x) skip; }} @end({shown}) skip; }}"
    play = refuted(goal_of(walk.format(shown="x"), walk.format(shown="x + 1")))
    assert play is not None and length(play) <= 3


def test_a_value_that_is_missing_on_few_values_refutes_nothing() -> None:
    """Two values that are tried are not enough for the abstract side to answer; there are others."""
    concrete = "thread T { local v : int; havoc v; @a(1) skip; }"
    abstract = "thread T { local v : int; havoc v; assume v > 100 && v < 102; @a(v - 100) skip; }"
    assert refuted(goal_of(abstract, concrete)) is None


def _asked(goal: Goal, seed: int) -> Play | None:
    return refuted(goal, seed=seed)


def test_what_is_found_is_a_refutation_and_what_escapes_is_mostly_found() -> None:
    counts = compared(range(60), _asked)
    assert counts["escapes, found"] > 3
    assert counts["escapes, not found"] <= counts["escapes, found"] // 4


def _composed(seeds: Iterable[int]) -> Counter[str]:
    """What walks and all pairs of states say of random goals of two threads, which enumeration decides."""
    counts = Counter[str]()
    for seed in seeds:
        question = random_question(seed)
        if not {"closed", "threads 2"} <= question.tags:
            continue
        try:
            (goal,) = goals(*read(question.abstract, question.concrete), whole=True)
            truth = decide(goal)
        except (InputError, Unbounded):
            continue
        if truth.ending not in (Ending.SIMULATED, Ending.LOST):
            continue
        play, found = refuted(goal, 1_500, seed), search(goal, limits(60.0, None), PATIENT)
        assert play is None or (not truth.simulated and isinstance(check(goal, play, limits(60.0, None)), Accepted)), (
            seed
        )
        assert not isinstance(found, Closed) or truth.simulated, seed
        assert not isinstance(found, InPlay) or not truth.simulated, seed
        counts[f"{'simulated' if truth.simulated else 'lost'}, {'walk' if play else 'no walk'}"] += 1
        counts[f"{'simulated' if truth.simulated else 'lost'}, {type(found).__name__}"] += 1
    return counts


def test_random_goals_of_two_threads_are_answered_as_by_enumeration() -> None:
    counts = _composed(range(40))
    assert counts["simulated, Closed"] > 2 and counts["lost, walk"] > 2


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_many_goals_of_two_threads_are_answered_as_by_enumeration(part: int) -> None:
    counts = _composed(range(20_000 + 1_000 * part, 21_000 + 1_000 * part))
    assert counts["simulated, Closed"] > 50 and counts["lost, walk"] > 20


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_of_many_goals_what_escapes_is_mostly_found(part: int) -> None:
    counts = compared(range(3000 + 500 * part, 3500 + 500 * part), _asked)
    assert counts["escapes, not found"] <= counts["escapes, found"] // 10
