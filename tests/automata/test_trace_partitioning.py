"""Partitioned automata against enumeration: copies of a location are reached in the states that it is reached in."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.automata.components import reachable
from sa.automata.trace_partitioning import partitioned
from sa.terms import build
from sa.terms.term import Term
from tests.generators.automata import random_goal
from tests.oracle.explicit import State, component_steps, explicit, initial_states


def _states(automaton: Automaton) -> set[State]:
    x = explicit(automaton)
    return reachable(initial_states(x), lambda state: (step.after for step in component_steps(x, state)))


def _by_steps(turns: int, number: int, edge: Edge) -> Iterator[tuple[Edge, int]]:
    yield edge, (turns + number) % 3


def test_copies_by_numbers_of_steps_have_the_states_of_their_locations() -> None:
    more = 0
    for seed in range(120):
        goal = random_goal(seed).goal
        for side in (goal.concrete, goal.abstract):
            found = partitioned(side, 0, lambda number, edge, n: _by_steps(n, number, edge), lambda q, n, _: f"{q}/{n}")
            assert found is not None
            place = found.place()
            assert {State(place[s.location], s.row) for s in _states(found.automaton)} == _states(side)
            assert all(
                side.edges[n].origin == e.origin for n, e in zip(found.edges, found.automaton.edges, strict=True)
            )
            more += len(place) > len(side.locations)
    assert more > 40


def test_cases_of_a_step_have_the_states_of_the_step_and_a_case_left_out_is_missed() -> None:
    missed = 0
    for seed in range(60):
        side = random_goal(seed).goal.concrete
        guards = (e.guard for e in side.edges if not e.choices and e.guard is not build.TRUE)
        test = next(guards, build.FALSE)

        def both(_: int, edge: Edge, known: bool, test: Term = test) -> Iterator[tuple[Edge, bool]]:
            yield replace(edge, guard=build.land(edge.guard, test)), True
            yield replace(edge, guard=build.land(edge.guard, build.lnot(test))), False

        def one(_: int, edge: Edge, known: bool, test: Term = test) -> Iterator[tuple[Edge, bool]]:
            yield replace(edge, guard=build.land(edge.guard, test)), True

        whole, part = (partitioned(side, False, follow, lambda q, n, _: f"{q}/{n}") for follow in (both, one))
        assert whole is not None and part is not None
        states, place = _states(side), whole.place() | part.place()
        assert {State(place[s.location], s.row) for s in _states(whole.automaton)} == states
        missed += {State(place[s.location], s.row) for s in _states(part.automaton)} != states
    assert missed > 5


def _counted(_: int, edge: Edge, steps: int) -> Iterator[tuple[Edge, int]]:
    yield edge, steps + 1


def test_there_is_none_beyond_the_most_copies() -> None:
    side = random_goal(1).goal.concrete
    made = partitioned(replace(side, edges=()), 0, _counted, lambda q, n, _: f"{q}/{n}", 1)
    assert made is not None and made.names == {(side.initial, 0): f"{side.initial}/0"}
    loop = replace(side.edges[0], source=side.initial, target=side.initial)
    assert partitioned(replace(side, edges=(loop,)), 0, _counted, lambda q, n, _: f"{q}/{n}", 20) is None
