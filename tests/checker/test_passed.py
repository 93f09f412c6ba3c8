"""What answers pass is accepted where no step leaves it, and rejected elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.play import Exhausted, Passed, Play, Position, Region, Step
from sa.certificates.play_json import play_json, read_play
from sa.certificates.shape import Entry
from sa.checker.check import Accepted, check
from sa.terms.build import FALSE, TRUE
from tests.checker.test_regions import changed, steps, with_regions
from tests.plays.guesses import goal_of, refuted_by_guess

PAIR = (
    "local k, j, i : int = 0; while (*) { havoc k; atomic { j := k; i := k + 1; } } @out(j, i) skip; @end skip;",
    "local k : int = 0; havoc k; @out(k, k + 1) skip; @out(k, k) skip;",
)


@pytest.fixture(scope="module")
def found() -> tuple[Goal, Play]:
    goal = goal_of(*PAIR)
    play = refuted_by_guess(goal)
    assert isinstance(play, Position) and all(step.passed for step in steps(play))
    return goal, play


def accepted(goal: Goal, play: Play) -> bool:
    return isinstance(check(goal, play, Limits()), Accepted)


def test_the_play_is_accepted_and_the_same_after_writing_and_reading(found: tuple[Goal, Play]) -> None:
    goal, play = found
    assert accepted(goal, play)
    assert read_play(Entry(play_json(play, goal)), goal) == play


def everywhere(passed: tuple[Passed, ...]) -> tuple[Passed, ...]:
    return tuple(replace(p, states=TRUE) for p in passed)


def nowhere(passed: tuple[Passed, ...]) -> tuple[Passed, ...]:
    return tuple(replace(p, states=FALSE) for p in passed)


def without_the_first(passed: tuple[Passed, ...]) -> tuple[Passed, ...]:
    return passed[1:]


def twice(passed: tuple[Passed, ...]) -> tuple[Passed, ...]:
    return (*passed, *passed)


def shown_from_the_beginning(passed: tuple[Passed, ...]) -> tuple[Passed, ...]:
    return tuple({p.location: replace(p, shown=True) for p in passed}.values())


def never_shown(passed: tuple[Passed, ...]) -> tuple[Passed, ...]:
    return tuple({p.location: replace(p, shown=False) for p in passed}.values())


WRONG = [nowhere, without_the_first, twice, never_shown, shown_from_the_beginning]


@pytest.mark.parametrize("change", WRONG)
def test_what_a_step_passes_must_hold(
    found: tuple[Goal, Play], change: Callable[[tuple[Passed, ...]], tuple[Passed, ...]]
) -> None:
    goal, play = found

    def worse(step: Step) -> Step:
        return replace(step, passed=change(step.passed))

    assert not accepted(goal, changed(play, worse))


@pytest.mark.parametrize("change", WRONG)
def test_what_answers_from_regions_pass_must_hold(
    found: tuple[Goal, Play], change: Callable[[tuple[Passed, ...]], tuple[Passed, ...]]
) -> None:
    goal, play = found

    def worse(region: Region) -> Region:
        return replace(region, passed=change(region.passed))

    assert not accepted(goal, changed(play, with_regions(worse)))


def test_what_is_passed_must_leave_no_answer(found: tuple[Goal, Play]) -> None:
    goal, play = found
    assert not accepted(goal, changed(play, lambda step: replace(step, passed=everywhere(step.passed))))
    assert not accepted(goal, changed(play, lambda step: replace(step, others=())))
    assert not accepted(goal, changed(play, lambda step: replace(step, exhausted=Exhausted.ENUMERATED)))
