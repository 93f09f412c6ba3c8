"""Whether a play's run loss every abstract run: against enumeration, and with values that nobody reads."""

from __future__ import annotations

from collections import Counter

import pytest

from sa.automata.live import live
from sa.base.limits import limits
from sa.base.source import Source
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.play import BrokenAtStart, Loss
from sa.certificates.relation import Relation
from sa.engines.goals import decide
from sa.language.elaborate import program
from sa.plays.escape import loss
from sa.question.goals import goals
from sa.smt.session import Session
from tests.generators.automata import random_goal
from tests.oracle.inclusion import escape


def closed_goal(abstract: str, concrete: str) -> Goal:
    first, second = program(Source("abs.sa", abstract)), program(Source("conc.sa", concrete))
    (goal,) = goals(first, second, None, whole=True)
    return goal


def loss_of(goal: Goal) -> Loss | None:
    """The answer for the play that is found; the goal must be refuted."""
    play = decide(goal, limits(30.0, None)).evidence
    assert not isinstance(play, Relation | Unknown)
    return loss(goal, play, Session(limits(30.0, None)))


def judged(count: int) -> Counter[tuple[Loss | None, bool, bool]]:
    """Random refuted closed goals: what is said, and whether by enumeration a behaviour escapes, one that keeps ι."""
    tally = Counter[tuple[Loss | None, bool, bool]]()
    for goal in (s.goal for s in map(random_goal, range(count)) if s.goal.closed and not s.decision.simulated):
        play = decide(goal, limits(30.0, None)).evidence
        # Of initial states that break ι Spoiler chooses one: others may keep it.
        if isinstance(play, Relation | Unknown | BrokenAtStart):
            continue
        said = loss(goal, play, Session(limits(30.0, None)))
        tally[said, escape(goal) is not None, escape(goal, related=True) is not None] += 1
    return tally


def wrong(tally: Counter[tuple[Loss | None, bool, bool]]) -> int:
    """Answers that enumeration contradicts. A play shows some runs only: what it does not show may still be."""
    behaviour = sum(n for (said, escapes, _), n in tally.items() if said is Loss.BEHAVIOUR and not escapes)
    return behaviour + sum(n for (said, _, leaves), n in tally.items() if said is Loss.RELATION and not leaves)


def test_a_run_that_is_said_to_escape_escapes() -> None:
    tally = judged(150)
    assert wrong(tally) == 0
    said = Counter(said for said, _, _ in tally.elements())
    assert min(said[Loss.BEHAVIOUR], said[Loss.RELATION]) > 3
    assert said[Loss.FORESIGHT] > 0


@pytest.mark.fuzz
def test_a_run_that_is_said_to_escape_loss_many() -> None:
    assert wrong(judged(3000)) == 0


def test_guessing_the_future_is_no_escape() -> None:
    abstract = "thread T { choose { @a skip; @b skip; } or { @a skip; @c skip; } }"
    assert loss_of(closed_goal(abstract, "thread T { @a skip; choose { @b skip; } or { @c skip; } }")) is Loss.FORESIGHT


@pytest.mark.parametrize("write", ["", "t := 0; "])
def test_initial_values_that_are_never_read_are_not_told_apart(write: str) -> None:
    concrete = "thread T { @out(1) skip; }"
    assert loss_of(closed_goal(f"thread T {{ local t : int; {write}@out(2) skip; }}", concrete)) is Loss.BEHAVIOUR


def test_infinitely_many_initial_values_and_answers_are_followed_at_once() -> None:
    concrete = "thread T { @out(1) skip; }"
    assert loss_of(closed_goal("thread T { local t : int; @out(t + t) skip; }", concrete)) is Loss.BEHAVIOUR
    counting = "thread T { local k : int = 0; while (*) { k := k + 2; } @out(k) skip; }"
    assert loss_of(closed_goal(counting, concrete)) is Loss.BEHAVIOUR


def test_what_is_live_is_read_before_it_is_written() -> None:
    (thread,) = program(Source("p.sa", "global x, y, z : int; thread T { x := y; @out(x) y := x; z := 0; }")).threads
    alive = live(thread, frozenset())
    assert [sorted(v.name for v in alive[q.name]) for q in thread.locations] == [["y"], ["x"], [], [], []]
    z = next(v.var for v in thread.variables if v.var.name == "z")
    assert [z in live(thread, frozenset({z}))[q.name] for q in thread.locations] == [True] * 5


def test_of_runs_that_go_on_where_answers_are_infinitely_many_nothing_is_said() -> None:
    """Each concrete run has an abstract one here, but which k to take depends on what comes next."""
    abstract = (
        "global x : int = 0; thread T { local k : int = 0; while (*) { x := x + 1; }"
        " atomic { havoc k; assume k >= 0; } @a skip; @b(k % 2) skip; }"
    )
    concrete = "global x : int = 0; thread T { @a x := 7; choose { @b(0) skip; } or { @b(1) skip; } }"
    assert loss_of(closed_goal(abstract, concrete)) not in (Loss.RELATION, Loss.BEHAVIOUR)
