"""Regions and what is said of silent steps are accepted where the solver shows all of it, and rejected elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.play import Beyond, Exhausted, Play, Position, Region, Silent, Step
from sa.certificates.play_json import play_json, read_play
from sa.certificates.shape import Entry
from sa.checker.check import Accepted, check
from sa.engines.goals import decide
from sa.terms.build import FALSE, TRUE, ZERO, add, integer
from tests.simulation.examples import goal_of

EARLY = "local k : int = 0; havoc k; @b skip; @a(k) skip;", "local j : int = 0; @b skip; havoc j; @a(j) skip;"
LOOP = "local k : int = 0; while (*) { k := k + 2; } @a(k) skip;", "@a(3) skip;"


def refuted(abstract: str, concrete: str) -> tuple[Goal, Play]:
    goal = goal_of(abstract, concrete)
    evidence = decide(goal, Limits()).evidence
    assert isinstance(evidence, Position)
    return goal, evidence


def steps(play: Play) -> Iterator[Step]:
    pending = [play] if isinstance(play, Position) else []
    while pending:
        move = pending.pop().move
        assert isinstance(move, Step)
        yield move
        pending.extend(r.then for r in move.replies if isinstance(r.then, Position))


def changed(play: Play, change: Callable[[Step], Step]) -> Play:
    """The play with its steps changed."""
    assert isinstance(play, Position)
    move = play.move
    assert isinstance(move, Step)
    replies = tuple(
        replace(r, then=changed(r.then, change)) if isinstance(r.then, Position) else r for r in move.replies
    )
    return replace(play, move=change(replace(move, replies=replies)))


def with_regions(change: Callable[[Region], Region]) -> Callable[[Step], Step]:
    def region(old: Region) -> Region:
        return change(replace(old, then=tuple(map(region, old.then))))

    return lambda step: replace(step, others=tuple(map(region, step.others)))


def with_silent(change: Callable[[Silent], Silent]) -> Callable[[Step], Step]:
    return lambda step: replace(step, silent=tuple(map(change, step.silent)))


def accepted(goal: Goal, play: Play) -> bool:
    return isinstance(check(goal, play, Limits()), Accepted)


@pytest.fixture(scope="module")
def early() -> tuple[Goal, Play]:
    found = refuted(*EARLY)
    assert any(step.others for step in steps(found[1]))
    return found


@pytest.fixture(scope="module")
def loop() -> tuple[Goal, Play]:
    found = refuted(*LOOP)
    assert any(step.silent for step in steps(found[1]))
    return found


def test_the_plays_are_accepted_and_the_same_after_writing_and_reading(
    early: tuple[Goal, Play], loop: tuple[Goal, Play]
) -> None:
    for goal, play in (early, loop):
        assert accepted(goal, play)
        assert read_play(Entry(play_json(play, goal)), goal) == play


def everywhere(region: Region) -> Region:
    return replace(region, states=TRUE)


def nowhere(region: Region) -> Region:
    return replace(region, states=FALSE)


def to_nothing(region: Region) -> Region:
    return replace(region, then=())


def another_value(region: Region) -> Region:
    """The same step with the value that the abstract side has chosen."""
    return replace(region, choices=tuple((v, add(t, integer(-1))) for v, t in region.choices))


def without_choices(region: Region) -> Region:
    return replace(region, choices=())


def another_step(region: Region) -> Region:
    return replace(region, edge=region.edge + 1)


def another_place(region: Region) -> Region:
    return replace(region, abstract="exit")


@pytest.mark.parametrize(
    "change", [everywhere, nowhere, to_nothing, another_value, without_choices, another_step, another_place]
)
def test_regions_that_are_wrong_are_rejected(early: tuple[Goal, Play], change: Callable[[Region], Region]) -> None:
    goal, play = early
    assert not accepted(goal, changed(play, with_regions(change)))


def test_answers_that_are_neither_listed_nor_in_a_region_are_missed(early: tuple[Goal, Play]) -> None:
    goal, play = early
    assert not accepted(goal, changed(play, lambda step: replace(step, others=())))
    assert not accepted(goal, changed(play, lambda step: replace(step, exhausted=Exhausted.ENUMERATED)))


def anything(said: Silent) -> Silent:
    return replace(said, relation=TRUE)


def impossible(said: Silent) -> Silent:
    return replace(said, relation=FALSE)


@pytest.mark.parametrize("change", [anything, impossible])
def test_what_is_said_of_silent_steps_must_hold_and_be_enough(
    loop: tuple[Goal, Play], change: Callable[[Silent], Silent]
) -> None:
    goal, play = loop
    assert not accepted(goal, changed(play, with_silent(change)))


def test_each_place_that_silent_steps_lead_to_is_needed(loop: tuple[Goal, Play]) -> None:
    goal, play = loop
    (step, *_) = (s for s in steps(play) if s.silent)
    for left_out in step.silent:
        if left_out.source == goal.abstract.initial:
            assert not accepted(goal, changed(play, without(left_out)))


def without(left_out: Silent) -> Callable[[Step], Step]:
    return lambda step: replace(step, silent=tuple(s for s in step.silent if s != left_out))


def test_what_is_beyond_is_a_formula(loop: tuple[Goal, Play]) -> None:
    goal, play = loop
    assert not accepted(goal, changed(play, lambda step: replace(step, beyond=(Beyond(goal.abstract.initial, ZERO),))))
