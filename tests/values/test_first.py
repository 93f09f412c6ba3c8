"""Spoiler may let threads go first whose steps nobody else notices: he finds the same plays, by fewer steps."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.certificates.goal import Goal
from sa.question.goals import goals
from sa.values.first import first
from sa.values.search import search
from sa.values.search_bounds import Closed, Sought
from tests.endtoend.asking import read
from tests.generators.refinements import random_question
from tests.values.proofs import asked

ALL = Sought(200_000)

WORKERS = """global x : int = 0;
thread A { local t : int = 0; while (true) { t := x; t := t + 1; x := t; } }
thread B { local u : int = 0; u := 2; u := u + x; @seen(u) skip; }"""


def _is_refuted(goal: Goal, plays: bool) -> bool:
    found = search(goal, limits(60.0, None), replace(ALL, plays=plays))
    return found is not None and not isinstance(found, Closed)


def test_a_thread_goes_first_among_steps_on_its_own_locals() -> None:
    goal = asked(WORKERS, WORKERS)
    at = {q.parts: names for q, names in zip(goal.concrete.locations, first(goal.concrete, frozenset()), strict=True)}
    assert at["q0", "q0"] == ("A", "B")
    assert at["q3", "q1"] == ()
    assert at["q2", "q1"] == ("A",)


def test_no_thread_goes_first_to_choose_since_duplicator_would_know_what() -> None:
    text = WORKERS.replace("u := 2;", "havoc u;")
    goal = asked(text, text)
    assert all("B" not in names for names in first(goal.concrete, frozenset()))


def test_no_thread_goes_round_a_loop_for_ever_while_others_wait() -> None:
    text = "global x : int = 0; thread A { while (true) { skip; } } thread B { @seen(x) skip; }"
    assert _is_refuted(asked(text, text.replace("@seen(x)", "@seen(1)")), plays=True)


def test_nothing_is_proved_where_threads_go_first() -> None:
    """All pairs that are looked at are not all pairs."""
    text = "global x : 0..1 = 0; thread A { local t : 0..1 = 0; t := 1 - t; x := t; } thread B { @seen(x) skip; }"
    assert isinstance(search(asked(text, text), limits(60.0, None), ALL), Closed)
    assert search(asked(text, text), limits(60.0, None), replace(ALL, plays=True)) is None


def test_what_iota_reads_is_noticed() -> None:
    goal = asked(WORKERS, WORKERS)
    assert first(goal.concrete, frozenset(v.var for v in goal.concrete.variables)) != first(goal.concrete, frozenset())


def _agreed(seeds: range) -> tuple[int, int]:
    """How many goals of two threads have a play and how many have none, with and without threads that go first."""
    refuted = others = 0
    for seed in seeds:
        question = random_question(seed)
        if not {"closed", "threads 2"} <= question.tags:
            continue
        try:
            (goal,) = goals(*read(question.abstract, question.concrete), whole=True)
        except InputError:
            continue
        found = _is_refuted(goal, plays=False)
        assert _is_refuted(goal, plays=True) == found, seed
        refuted, others = refuted + found, others + (not found)
    return refuted, others


def test_random_goals_have_a_play_if_they_have_one_where_threads_go_first() -> None:
    refuted, others = _agreed(range(60))
    assert refuted > 3 and others > 3


@pytest.mark.fuzz
def test_thousands_of_random_goals_have_a_play_if_they_have_one_where_threads_go_first() -> None:
    refuted, others = _agreed(range(1_000, 9_000))
    assert refuted > 500 and others > 500
