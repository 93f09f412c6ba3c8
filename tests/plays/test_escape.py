"""Whether a play's run escapes every abstract run: against enumeration, and with values that nobody reads."""

from __future__ import annotations

from collections import Counter

import pytest

from sa.automata.live import live
from sa.base.limits import limits
from sa.base.source import Source
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.engines.goals import decide
from sa.language.elaborate import program
from sa.plays.escape import escapes
from sa.question.goals import goals
from sa.smt.session import Session
from tests.generators.automata import random_goal
from tests.oracle.inclusion import escape


def closed_goal(abstract: str, concrete: str) -> Goal:
    first, second = program(Source("abs.sa", abstract)), program(Source("conc.sa", concrete))
    (goal,) = goals(first, second, None, whole=True)
    return goal


def escaping(goal: Goal) -> bool | None:
    """The answer for the play that is found; the goal must be refuted."""
    play = decide(goal, limits(30.0, None)).evidence
    assert not isinstance(play, Relation | Unknown)
    return escapes(goal, play, Session(limits(30.0, None)))


def judged(count: int) -> Counter[str]:
    """Random refuted closed goals: what is said, and what enumeration says."""
    tally = Counter[str]()
    for goal in (s.goal for s in map(random_goal, range(count)) if s.goal.closed and not s.decision.simulated):
        play = decide(goal, limits(30.0, None)).evidence
        if isinstance(play, Relation | Unknown):
            continue
        said = escapes(goal, play, Session(limits(30.0, None)))
        exists = escape(goal, related=True) is not None
        # A play shows some runs only, so that none of them escapes does not say that none does.
        tally[f"{said} {exists}"] += 1
    return tally


def test_a_run_that_is_said_to_escape_escapes() -> None:
    tally = judged(150)
    assert tally["True False"] == 0
    assert tally["True True"] > 10
    assert tally["False False"] > 0


@pytest.mark.fuzz
def test_a_run_that_is_said_to_escape_escapes_many() -> None:
    assert judged(3000)["True False"] == 0


def test_guessing_the_future_is_no_escape() -> None:
    abstract = "thread T { choose { @a skip; @b skip; } or { @a skip; @c skip; } }"
    assert escaping(closed_goal(abstract, "thread T { @a skip; choose { @b skip; } or { @c skip; } }")) is False


@pytest.mark.parametrize("write", ["", "t := 0; "])
def test_initial_values_that_are_never_read_are_not_told_apart(write: str) -> None:
    """Infinitely many of them would leave it open."""
    concrete = "thread T { @out(1) skip; }"
    assert escaping(closed_goal(f"thread T {{ local t : int; {write}@out(2) skip; }}", concrete)) is True
    assert escaping(closed_goal("thread T { local t : int; @out(t + t) skip; }", concrete)) is None


def test_what_is_live_is_read_before_it_is_written() -> None:
    (thread,) = program(Source("p.sa", "global x, y, z : int; thread T { x := y; @out(x) y := x; z := 0; }")).threads
    alive = live(thread, frozenset())
    assert [sorted(v.name for v in alive[q.name]) for q in thread.locations] == [["y"], ["x"], [], [], []]
    z = next(v.var for v in thread.variables if v.var.name == "z")
    assert [z in live(thread, frozenset({z}))[q.name] for q in thread.locations] == [True] * 5
