"""Plays on small values in declared environments: whose moves are steps of a closed game."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits
from sa.certificates.goal import Goal
from sa.certificates.play import EnvironmentMove, Play, Position, following
from sa.checker.check import Accepted, check
from sa.question.asked import GoalAsked, Lost
from sa.question.goals import goals
from sa.refinement.deciders import by_guess, by_states
from sa.refinement.moving import closed_goal
from sa.values.search_bounds import Sought
from tests.endtoend.asking import read
from tests.generators.refinements import random_question
from tests.simulation.examples import goal_of


def refuted(goal: Goal, steps: int = 20_000) -> Play | None:
    asked, budget = GoalAsked(goal), Budget(limits(30.0, None), 0)
    found = next((a for a in by_states(Sought(steps, pool=4, plays=True), asked, budget, unheard)), None)
    found = found or next(by_guess(steps, (2, 4), asked, budget, unheard), None)
    return found.evidence if isinstance(found, Lost) else None


def moves(play: Play) -> int:
    """How often environments move in a play."""
    pending, found = [play], 0
    while pending:
        here = pending.pop()
        if isinstance(here, Position):
            found += isinstance(here.move, EnvironmentMove)
            pending.extend(p for p in following(here) if isinstance(p, Position))
    return found


#: A bound is read in each round, or once.
EACH = "rely n >= old(n); local i, t : int = 0; while (i < 3) { t := n; s := s + t; i := i + 1; }"
ONCE = "rely n >= old(n); local i, t : int = 0; t := n; while (i < 3) { s := s + t; i := i + 1; }"
SHARED = "global n, s : int;"


def test_a_play_in_which_others_move_is_found_and_accepted() -> None:
    goal = goal_of(EACH, ONCE, SHARED)
    play = refuted(goal)
    assert play is not None and moves(play) > 0
    assert isinstance(check(goal, play, limits(20.0, None)), Accepted)


def test_nothing_is_refuted_that_holds() -> None:
    still = (text.replace("n >= old(n)", "unchanged n") for text in (EACH, ONCE))
    assert refuted(goal_of(*still, SHARED)) is None


def test_who_may_not_do_nothing_is_made_to_do_something() -> None:
    goal = goal_of(
        "rely x > old(x); @a(x) skip; @a(x) skip;", "rely x > old(x); @a(x) skip; @a(x + 1) skip;", "global x : int;"
    )
    play = refuted(goal)
    assert play is not None and isinstance(check(goal, play, limits(20.0, None)), Accepted)


def test_moves_that_the_abstract_environment_cannot_make_are_not_made() -> None:
    goal = goal_of(
        "rely unchanged x; local k : int = 0; k := x; @a(k - x) skip;", "rely true; @a(0) skip;", "global x : int;"
    )
    assert refuted(goal) is None


def test_where_nothing_says_what_others_do_on_the_other_side_nothing_is_asked() -> None:
    hidden = "global x : int; global y : int; thread T { rely true; local k : int = 0; k := y; @a(k) skip; }"
    shown = "global x : int; thread T { rely true; @a(0) skip; }"
    (goal,) = goals(*read(hidden, shown), whole=False)
    assert closed_goal(goal) is None and refuted(goal) is None


def _random(seed: int) -> list[Goal]:
    try:
        question = random_question(seed)
        asked = goals(*read(question.abstract, question.concrete), whole=False)
        return [g for g in asked if not g.closed and not g.choose_init]
    except InputError:
        return []


@pytest.mark.parametrize("part", range(4))
def test_random_plays_are_accepted(part: int) -> None:
    found = 0
    for seed in range(60 * part, 60 * (part + 1)):
        for goal in _random(seed):
            try:
                play = refuted(goal, 2_000)
                if play is not None:
                    found += 1
                    assert isinstance(check(goal, play, limits(20.0, None)), Accepted), seed
            except LimitReached:
                continue
    assert found > 0
