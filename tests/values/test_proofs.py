"""Closed goals with finitely many states are decided by all pairs of states, and never wrongly."""

from __future__ import annotations

import pytest

from sa.base.limits import Limits, limits
from sa.certificates.goal import Goal
from sa.certificates.pairs import StatePairs
from sa.certificates.play import Position
from sa.checker.check import check
from sa.checker.ruling import Accepted
from sa.explicit.live_variables import everything
from sa.explicit.machine import machine
from sa.values.closed import grows
from sa.values.search import search
from sa.values.search_bounds import Closed
from tests.generators.automata import random_goal
from tests.oracle.game import Ending
from tests.values.proofs import PATIENT, asked, proof_of

STACK = """const N = 2; global stk : 0..1[N] = 0; global top : 0..N = 0;
thread Push { local v : 0..1 = 0; while (true) { v := 1 - v; PUSH } }
thread Pop { local v : 0..1 = 0; while (true) { POP @popped(v) skip; } }"""
ATOMIC = STACK.replace("PUSH", "atomic { assume top < N; stk[top] := v; top := top + 1; }").replace(
    "POP", "atomic { assume top > 0; top := top - 1; v := stk[top]; }"
)
RETRYING = (
    STACK.replace("local v : 0..1 = 0;", "local v : 0..1 = 0; local t : 0..N = 0; local ok : bool = false;")
    .replace(
        "PUSH",
        "ok := false; while (!ok) { t := top; if (t < N) {"
        " atomic { ok := top == t; if (ok) { stk[t] := v; top := t + 1; } } } }",
    )
    .replace(
        "POP",
        "ok := false; while (!ok) { t := top; if (t > 0) {"
        " v := stk[t - 1]; atomic { ok := top == t; if (ok) { top := t - 1; } } } }",
    )
)


def _proved(goal: Goal) -> bool:
    made = proof_of(goal)
    return made is not None and check(goal, made, Limits()) == Accepted()


def _refuted(goal: Goal) -> bool:
    found = search(goal, limits(60.0, None), PATIENT)
    return isinstance(found, Position) and check(goal, found, Limits()) == Accepted()


def test_a_bounded_stack_that_retries_refines_an_atomic_one() -> None:
    assert _proved(asked(ATOMIC, RETRYING))


def test_without_the_test_before_the_write_it_does_not() -> None:
    assert _refuted(asked(ATOMIC, RETRYING.replace("ok := top == t; if (ok) { top", "ok := true; if (ok) { top")))


def test_numbers_without_a_range_need_only_have_few_values() -> None:
    text = "global x : int = 0; thread T { while (true) { @tick(x) x := BODY; } }"
    assert _proved(asked(text.replace("BODY", "1 - x"), text.replace("BODY", "(x + 1) % 2")))


def test_numbers_that_grow_are_no_proof() -> None:
    text = "global x : int = 0; thread T { while (true) { x := x + 1; } }"
    assert search(asked(text, text), limits(60.0, None), PATIENT) is None


def test_small_numbers_that_come_late_do_not_grow() -> None:
    """What the program compares with tells how far out a number may be before it counts as growing."""
    text = "global x : int = 0; thread T { while (true) { if (x < 5) { x := x + 1; } else { x := 0; } } }"
    m = machine(asked(text, text).concrete, (-1, 0, 1, 4, 5, 6), everything(asked(text, text).concrete))
    for value in (0, 0, 1, 2, 3, 4, 5):
        m.number(len(m.rows) % 2, (value,))
    assert not grows(m)
    m.number(0, (7,))
    assert grows(m)


def test_a_concrete_choice_among_all_integers_is_no_proof() -> None:
    text = "global x : int = 0; thread T { havoc x; @seen(x) skip; }"
    assert search(asked(text, text), limits(60.0, None), PATIENT) is None


def test_an_unknown_initial_value_is_no_proof() -> None:
    text = "global x : int; thread T { x := x + 1; @seen(x) skip; }"
    assert search(asked(text, text), limits(60.0, None), PATIENT) is None


def test_dead_locals_are_forgotten() -> None:
    """A local that is written before it is read has one value in all states, whatever its range."""
    text = "global x : 0..1 = 0; thread T { local t : 0..9; while (true) { t := x; x := 1 - t; } }"
    made = proof_of(asked(text, text))
    assert made is not None and len(made.concrete.states) < 10


def _assert_like_the_oracle(seeds: range) -> tuple[int, int]:
    """Every finite closed goal is decided as enumeration decides it; how many were proved, and how many refuted."""
    proved = played = 0
    for seed in seeds:
        sample = random_goal(seed)
        if not sample.goal.closed or sample.goal.choose_init:
            continue
        found = search(sample.goal, limits(60.0, None), PATIENT)
        if isinstance(found, Closed):
            made = proof_of(sample.goal)
            # Coverage is no question of the search.
            if isinstance(made, StatePairs):
                assert sample.decision.simulated, seed
                assert check(sample.goal, made, Limits()) == Accepted(), seed
                proved += 1
            else:
                assert sample.decision.ending is Ending.UNCOVERED, seed
        elif found is not None:
            assert not sample.decision.simulated, seed
            assert check(sample.goal, found, Limits()) == Accepted(), seed
            played += 1
        else:
            assert not sample.decision.simulated and sample.decision.ending is not Ending.LOST, seed
    return proved, played


def test_random_goals_are_decided_as_by_enumeration() -> None:
    proved, played = _assert_like_the_oracle(range(100))
    assert proved > 10 and played > 5


@pytest.mark.fuzz
def test_thousands_of_random_goals_are_decided_as_by_enumeration() -> None:
    proved, played = _assert_like_the_oracle(range(2_000, 14_000))
    assert proved > 1_000 and played > 500
