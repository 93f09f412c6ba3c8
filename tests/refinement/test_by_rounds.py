"""Concrete runs within bounds that no abstract run matches: found, accepted, and true by enumeration."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.base.source import Source
from sa.bounded.parts import parts_of
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.checker.check import Accepted, check
from sa.language.elaborate import program
from sa.question.asked import GoalAsked, Lost
from sa.question.goals import goals
from sa.refinement.by_rounds import Reach, by_rounds
from tests.refinement.escaping import compared, goal_of


def refuted(goal: Goal, stages: int = 3, states: int = 500) -> Play | None:
    """The first play that the engine finds within so many bounds."""
    try:
        found = next(by_rounds(Reach(6, states, stages), GoalAsked(goal), Budget(limits(60.0, None)), unheard), None)
    except LimitReached:
        return None
    assert found is None or isinstance(found, Lost)
    return None if found is None else found.evidence


#: Pairs of programs where an amount is tested before it is taken away, and another thread comes in between.
ACCOUNTS = """
    thread T {{ local m : int; havoc m; assume m > 0; {test} atomic {{ {again} x := x - m; @move(m) skip; }} }}
    thread U {{ local m : int; havoc m; assume m > 0; atomic {{ assume m <= x; x := x - m; @pay(m) skip; }} }}
    """
AT_ONCE = ACCOUNTS.format(test="", again="assume m <= x;")
BEFORE = ACCOUNTS.format(test="assume m <= x;", again="")


@pytest.mark.fuzz
def test_a_run_that_needs_large_values_and_a_switch_is_found_and_accepted() -> None:
    goal = goal_of(AT_ONCE, BEFORE, "global x : int = 1000;")
    play = refuted(goal)
    assert play is not None and isinstance(check(goal, play, limits(60.0, None)), Accepted)
    assert refuted(goal_of(BEFORE, AT_ONCE, "global x : int = 1000;"), stages=1) is None


@pytest.mark.fuzz
def test_a_run_of_many_turns_around_a_loop_is_found() -> None:
    loop = "thread T {{ local k : int = 0; while (k < 30) {{ x := x + {step}; k := k + 1; }} @end(x) skip; }}"
    late = loop.format(step="(if k == 27 then 2 else 1)")
    play = refuted(goal_of(loop.format(step="1"), late), stages=1, states=10)
    assert play is not None


ANSWERED = {
    "at the same time": "y := x; @out(y) skip;",
    "before": "@early skip; if (*) { y := 1; } else { y := 0; } @out(y) skip;",
    "by a choice that comes before its label": "havoc y; assume y > 3; @out(y) skip; @out(y + 1) skip;",
    "after many steps": "while (y < 30) { y := y + 1; } @out(y) skip;",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_a_run_that_is_answered_is_no_play_whatever_it_takes_to_answer_it(name: str) -> None:
    body = ANSWERED[name]
    abstract = f"thread T {{ local y : int = 0; {body} }} thread U {{ while (*) {{ x := x + 1; }} }}"
    concrete = f"thread T {{ local y, z : int = 0; z := 1; {body} }} thread U {{ while (*) {{ x := x + 1; }} }}"
    assert refuted(goal_of(abstract, concrete), stages=1) is None


def test_a_parameter_that_only_the_abstract_side_has_is_not_supported() -> None:
    first = program(Source("abs.sa", "param c : int; init c == 0; global x : int = 0; thread T { x := c; }"))
    second = program(Source("conc.sa", "global x : int = 0; thread T { x := 0; }"))
    assert refuted(goals(first, second, None, whole=True)[0]) is None


def test_a_composition_is_taken_apart_into_its_threads() -> None:
    text = (
        "thread A { local i : int = 0; while (i < 3) { i := i + 1; @a(i) x := i; } } "
        "thread B { while (*) { @b(x) skip; } } thread C { x := 2; }"
    )
    whole = goal_of(text, text).concrete
    parts = parts_of(whole)
    assert [part.name for part in parts] == ["A", "B", "C"]
    numbers = [number for part in parts for by_place in part.numbers for number in by_place.values()]
    assert sorted(numbers) == list(range(len(whole.edges)))


def _asked(goal: Goal, seed: int) -> Play | None:
    return refuted(goal)


def test_what_is_found_is_a_refutation_and_what_escapes_is_mostly_found() -> None:
    counts = compared(range(60), _asked)
    assert counts["escapes, found"] > 3
    assert counts["escapes, not found"] <= counts["escapes, found"] // 4


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_of_many_goals_what_escapes_is_mostly_found(part: int) -> None:
    counts = compared(range(1000 + 500 * part, 1500 + 500 * part), _asked)
    assert counts["escapes, not found"] <= counts["escapes, found"] // 10
