"""Steps that do nothing are left out of a search: what is found without them is a relation of the goal itself."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.base.verdict import Reason
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.game.idle_steps import merged, route
from sa.game.runs import Bounds
from sa.question.asked import GoalAsked, Related
from sa.question.goals import goals
from sa.refinement import idle
from sa.refinement.deciders import at_start, by_search
from sa.simulation.endings import Patience, Tactics
from sa.terms.build import TRUE
from tests.endtoend.asking import read
from tests.generators.automata import random_goal
from tests.oracle.game import decide

TACTICS = Tactics("first-answers", 100, 4, Bounds(100, 1, 1), Patience.FULL)


def _whole(abstract: str, concrete: str) -> Goal:
    (goal,) = goals(*read(abstract, concrete), whole=True)
    return goal


def _lengthened(goal: Goal) -> Iterator[Relation]:
    short = idle.shortened(goal)
    # What the initial states refute is refuted before anything is searched.
    if short is not None and not list(at_start(GoalAsked(goal), Budget(limits(60.0, None)), unheard)):
        for answer in by_search(TACTICS, GoalAsked(short.goal), Budget(limits(60.0, None)), unheard):
            if isinstance(answer, Related) and isinstance(answer.evidence, Relation):
                found = idle.lengthened(short, goal, answer.evidence)
                assert found is not None
                yield found


ABSTRACT = """
global x : int = 0;
thread A { while (*) { skip; @a(x) x := x + 1; } skip; skip; }
thread B { while (*) { havoc x; @b(x) skip; } }
"""
CONCRETE = """
global x : int = 0;
thread A { while (*) { skip; @a(x) x := x + 1; skip; } skip; }
thread B { while (*) { x := 3; @b(x) skip; } }
"""


@pytest.fixture(autouse=True)
def _however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "LEAST", 0)


def test_a_relation_without_idle_steps_is_one_with_them() -> None:
    goal = _whole(ABSTRACT, CONCRETE)
    (found,) = _lengthened(goal)
    assert isinstance(check(goal, found, limits(60.0, None)), Accepted)


def test_what_is_cut_short_goes_on_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, tried = GoalAsked(_whole(ABSTRACT, CONCRETE)), list[Budget]()

    def cut_short(*given: Any) -> None:
        tried.append(given[3])
        raise LimitReached(Reason.TIMEOUT)

    monkeypatch.setattr(idle, "_found", cut_short)
    for _ in range(4):
        # The search of the goal itself is asked each time, and an end of time is no answer.
        assert list(idle.by_short_search(TACTICS, asked, Budget(limits(60.0, None)), unheard))
    assert len(tried) == 2


def test_less_is_looked_at_without_idle_steps() -> None:
    goal = _whole(ABSTRACT, CONCRETE)
    short = idle.shortened(goal)
    assert short is not None
    for side, made in ((goal.concrete, short.concrete), (goal.abstract, short.abstract)):
        assert len(made.automaton.locations) < len(side.locations) and len(made.automaton.edges) < len(side.edges)


def test_choices_and_turns_keep_their_places_in_longer_answers() -> None:
    goal = _whole(ABSTRACT, CONCRETE)
    (found,) = _lengthened(goal)
    chosen = [path for answer in found.answers for path in answer.answers if path.witnesses]
    assert chosen
    for path in chosen:
        for var, _ in path.witnesses:
            position = int(var.name.base.rsplit("@", 1)[-1]) if "@" in var.name.base else None
            assert position is None or goal.abstract.edges[path.edges[position]].choices


def _only(text: str) -> Automaton:
    return _whole(text, text).concrete


def test_a_test_between_two_places_keeps_them_apart() -> None:
    made = merged(_only("global x : int = 0; thread A { await x == 0; x := 1; skip; x := 2; }"))
    assert made is not None
    kept = {q.origin.text for q in made.automaton.locations}
    assert any("await" in text for text in kept) and any("x := 1" in text for text in kept)


def test_a_place_that_other_steps_lead_to_is_not_the_one_before_an_idle_step() -> None:
    # Behind the choice either `x := 1` or `x := 2` is possible; after the loop only the latter.
    text = "global x : int = 0; thread A { if (*) { x := 1; } else { skip; } while (*) { x := 3; } x := 2; }"
    automaton = _only(text)
    made = merged(automaton)
    if made is not None:
        for number, edge in enumerate(automaton.edges):
            if made.number[number] is None:
                assert route(made, edge.source, edge.target) == (number,)
                assert edge.label is None and not edge.updates


def _with_idle_steps(automaton: Automaton, rng: Random) -> Automaton:
    """The automaton with steps that do nothing before some of its edges."""
    locations, edges = list(automaton.locations), list[Edge]()
    places = {q.name: q for q in locations}
    for number, edge in enumerate(automaton.edges):
        if rng.random() < 0.5:
            between = f"{edge.source}~{number}"
            locations.append(replace(places[edge.source], name=between))
            edges.append(Edge(edge.source, between, None, TRUE, (), (), edge.origin))
            edge = replace(edge, source=between)
        edges.append(edge)
    return replace(automaton, locations=tuple(locations), edges=tuple(edges))


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 40, *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(80, 400, 40))])
def test_what_is_related_without_idle_steps_is_related_by_the_oracle(first: int) -> None:
    for seed in range(first, first + 40):
        goal, rng = random_goal(seed).goal, Random(seed)
        if not goal.closed:
            continue
        sides = (_with_idle_steps(side, rng) for side in (goal.concrete, goal.abstract))
        goal = replace(goal, **dict(zip(("concrete", "abstract"), sides, strict=True)))
        for found in _lengthened(goal):
            assert isinstance(check(goal, found, limits(60.0, None)), Accepted)
            assert decide(goal).simulated
