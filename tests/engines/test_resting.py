"""Abstract threads rest only where they have to: what is found so is a relation of the goal itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.resting import as_written, resting
from sa.game.runs import Bounds
from sa.question.asked import GoalAsked, Related
from sa.question.goals import goals
from sa.refinement.deciders import at_start, by_relation, by_search
from sa.simulation.endings import Patience, Tactics
from tests.endtoend.asking import read
from tests.generators.automata import random_goal
from tests.oracle.game import decide

TACTICS = Tactics("first-answers", 100, 4, Bounds(100, 1, 1), Patience.FULL)

ABSTRACT = """
global lo, hi : int = 0;
thread Set[i : 1..2] { local v : int = 0; while (true) { havoc v; @set(i, v) lo, hi := v, v; } }
thread Get { local a, b : int = 0; while (true) { a, b := lo, hi; @got(a, b) skip; } }
"""
CONCRETE = """
global l, r : int = 0;
thread Set[i : 1..2] { local v : int = 0; while (true) { havoc v; @set(i, v) l, r := v, v; } }
thread Get { local a, b : int = 0; while (true) { a, b := l, r; @got(a, b) skip; } }
"""


def _whole(abstract: str, concrete: str) -> Goal:
    (goal,) = goals(*read(abstract, concrete), whole=True)
    return goal


def _related(goal: Goal) -> Iterator[Relation]:
    bounds = limits(60.0, None)
    rest = resting(goal, bounds)
    # What the initial states refute is refuted before anything is searched.
    if rest is not None and not list(at_start(GoalAsked(goal), Budget(bounds), unheard)):
        for answer in by_relation(TACTICS, GoalAsked(rest.goal), Budget(bounds), unheard):
            if isinstance(answer.evidence, Relation):
                yield as_written(rest, answer.evidence)


def test_a_relation_with_fewer_places_to_rest_is_one_of_the_goal() -> None:
    goal = _whole(ABSTRACT, CONCRETE)
    (found,) = _related(goal)
    assert isinstance(check(goal, found, limits(60.0, None)), Accepted)


def test_who_wants_a_relation_pays_for_no_play() -> None:
    goal = _whole(ABSTRACT, CONCRETE.replace("a, b := l, r;", "a := l; b := r;"))
    search, relation = limits(60.0, None), limits(60.0, None)
    assert list(by_relation(TACTICS, GoalAsked(goal), Budget(relation), unheard)) == []
    (said,) = by_search(TACTICS, GoalAsked(goal), Budget(search), unheard)
    assert not isinstance(said, Related)
    assert relation.work.done < search.work.done


def test_what_does_not_refine_is_not_related() -> None:
    broken = CONCRETE.replace("a, b := l, r;", "a := l; b := r;")
    assert not list(_related(_whole(ABSTRACT, broken)))


def _places(text: str) -> int:
    goal = _whole(text, text)
    rest = resting(goal, limits(60.0, None))
    return len(goal.abstract.locations if rest is None else rest.goal.abstract.locations)


def test_setters_rest_at_the_start_and_a_getter_also_behind_its_read() -> None:
    assert len(_whole(ABSTRACT, ABSTRACT).abstract.locations) == 27
    assert _places(ABSTRACT) == 2


@pytest.mark.parametrize("step", ["x := 1;", "r := x;", "await x == 0;", "@seen skip;"])
def test_a_thread_may_rest_behind_a_step_that_others_notice_or_that_notices_them(step: str) -> None:
    text = "global x : int = 0; thread A { local r : int = 0; STEP @end(r) skip; } thread B { @b(x) x := 2; }"
    assert _places(text.replace("STEP", "r := r + 1;")) < _places(text.replace("STEP", step))


def test_loops_of_own_steps_have_a_place_to_rest() -> None:
    text = "thread A { local r : int = 0; while (*) { r := r + 1; } @end(r) skip; } thread B { @b skip; }"
    (found,) = _related(_whole(text, text))
    assert isinstance(check(_whole(text, text), found, limits(60.0, None)), Accepted)


def test_choices_of_blocks_keep_their_steps() -> None:
    goal = _whole(ABSTRACT, CONCRETE)
    (found,) = _related(goal)
    chosen = [path for answer in found.answers for path in answer.answers if path.witnesses]
    assert chosen
    for path in chosen:
        for var, _ in path.witnesses:
            assert any(
                var.name == f"{c.var.name}@{position}"
                for position, edge in enumerate(path.edges)
                for c in goal.abstract.edges[edge].choices
            )


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(40, 400, 40))])
def test_what_is_related_so_is_related_by_the_oracle(first: int) -> None:
    for seed in range(first, first + 40):
        goal = random_goal(seed).goal
        for found in _related(goal) if goal.closed else ():
            assert isinstance(check(goal, found, limits(60.0, None)), Accepted)
            assert decide(goal).simulated
