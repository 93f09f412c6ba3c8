"""Plays along one run, in which answers wait: accepted exactly where enumeration sees that no answer is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count, islice

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.certificates.goal import Goal
from sa.certificates.play import Exhausted, Play, Position, Step, following
from sa.checker.check import Accepted, check
from sa.question.asked import GoalAsked
from sa.refinement.inclusion import by_inclusion
from tests.generators.automata import Sample, random_goal
from tests.oracle.replay import judge
from tests.refinement.escaping import goal_of


def closed(number: int) -> Iterator[Sample]:
    """Random closed goals without a choice of initial states."""
    samples = (random_goal(seed) for seed in count())
    return islice((s for s in samples if s.goal.closed and not s.goal.choose_init), number)


def refuted(goal: Goal, steps: int = 2_000) -> Play | None:
    """The play along a run, by so many steps."""
    found = next(by_inclusion(steps, GoalAsked(goal), Budget(limits(60.0, None)), unheard), None)
    return None if found is None else found.evidence


def positions(play: Play) -> Iterator[Position]:
    """All positions of a play, each once."""
    pending, seen = [play], set[int]()
    while pending:
        here = pending.pop()
        if isinstance(here, Position) and id(here) not in seen:
            seen.add(id(here))
            yield here
            pending += (then for then in following(here) if isinstance(then, Position))


def without_a_reply(play: Position) -> Iterator[Position]:
    """The play with a reply at its start left out."""
    assert isinstance(play.move, Step)
    for n in range(len(play.move.replies)):
        rest = play.move.replies[:n] + play.move.replies[n + 1 :]
        yield replace(play, move=replace(play.move, replies=rest))


def _assert_judged_alike(samples: Iterator[Sample]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for sample in samples:
        play = refuted(sample.goal)
        if not isinstance(play, Position):
            continue
        assert not sample.decision.simulated, sample.seed
        assert judge(sample.goal, play).fault is None, sample.seed
        assert isinstance(check(sample.goal, play, limits(60.0, None)), Accepted), sample.seed
        waits = [p for p in positions(play) if isinstance(p.move, Step) and p.move.exhausted is Exhausted.UP_TO_WAITING]
        seen["waiting"] += bool(waits)
        for less in without_a_reply(play):
            right = judge(sample.goal, less).fault is None
            assert isinstance(check(sample.goal, less, limits(60.0, None)), Accepted) is right, sample.seed
            seen["right" if right else "wrong"] += 1
    return seen


def test_plays_along_runs_are_right_and_those_with_an_answer_left_out_are_judged_alike() -> None:
    seen = _assert_judged_alike(closed(40))
    assert seen["waiting"] > 5 and seen["wrong"] > 5


@pytest.mark.fuzz
def test_hundreds_of_plays_along_runs_are_judged_alike() -> None:
    seen = _assert_judged_alike(closed(1_000))
    assert seen["waiting"] > 100 and seen["wrong"] > 100 and seen["right"] > 10


#: Threads that choose silently on and on: answers could end in any of their states.
CHOOSE = "thread Pick[i : 1..2] { local v : 0..7 = 0; while (true) { havoc v; @pick(i, v) last := v; } } "
LOOK = "thread Look { local a, b : 0..7 = 0; while (true) { a := last; @looked(a) skip; } }"
TWICE = "thread Look { local a, b : 0..7 = 0; while (true) { a := last; b := last; @looked(b) skip; a := b; } }"
AGAIN = "thread Look { local a, b : 0..7 = 0; while (true) { a := last; @looked(a) skip; @looked(a) skip; } }"


def test_a_play_has_few_positions_however_much_others_may_choose_meanwhile() -> None:
    goal = goal_of(CHOOSE + LOOK, CHOOSE + AGAIN, "global last : 0..7 = 0;")
    play = refuted(goal, 20_000)
    assert isinstance(play, Position)
    assert isinstance(check(goal, play, limits(60.0, None)), Accepted)
    assert len(list(positions(play))) < 200
    assert refuted(goal_of(CHOOSE + LOOK, CHOOSE + TWICE, "global last : 0..7 = 0;")) is None
