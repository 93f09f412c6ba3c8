"""Compares what a program does, executed by the interpreter, with what its automata do, step by step.

Both are followed as sets of states: from a set, one step with one observation (the label with its values and all
shared values afterwards) leads to one set. Two programs agree to a depth when every sequence of that many
observations is possible in both or in neither; silent steps are observed too, so step is held against step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton
from sa.automata.program import Program
from sa.terms.sort import Value
from tests.oracle.compatibility import composition, own_locals
from tests.oracle.explicit import State, component_steps, explicit, initial_states, is_unbounded, restrict
from tests.oracle.interpreter import World, initial_worlds, world_steps
from tests.oracle.loading import Interpreted

Shared = tuple[Value, ...]
Observation = tuple[object, Shared]
S = TypeVar("S")


class Behaviour(Struct, Generic[S], frozen=True):
    """Initial states, what is shared in a state, and the steps as (what is seen, state afterwards)."""

    initial: tuple[S, ...]
    shared: Callable[[S], Shared]
    steps: Callable[[S], Iterable[tuple[object, S]]]


def of_interpreter(program: Interpreted) -> Behaviour[World]:
    """The behaviour of the surface syntax."""
    known: dict[World, list[tuple[object, World]]] = {}

    def steps(world: World) -> list[tuple[object, World]]:
        if world not in known:
            known[world] = [(step.seen, step.after) for step in world_steps(program, world)]
        return known[world]

    return Behaviour(tuple(initial_worlds(program)), lambda world: world.shared, steps)


def of_automata(program: Program, names: tuple[str, ...], integers: range) -> Behaviour[State]:
    """The behaviour of the threads' automata together, shared values in the order of `names`."""
    whole = composition([own_locals(thread) for thread in program.threads])
    x = explicit(_choices_restricted(whole, integers))
    places = [[v.name for v in x.order].index(name) for name in names]
    start = initial_states(explicit(restrict(_initially_bounded(whole), integers.start, integers.stop - 1)))
    # Both list parameters, globals and locals in that order, so rows of one are rows of the other.
    return Behaviour(
        tuple(start),
        lambda s: tuple(s.row[i] for i in places),
        lambda s: [(step.action and (step.action[0], step.action[2]), step.after) for step in component_steps(x, s)],
    )


def _choices_restricted(automaton: Automaton, integers: range) -> Automaton:
    """Unbounded choices are confined; variables stay free to hold any integer."""
    return replace(automaton, edges=restrict(automaton, integers.start, integers.stop - 1).edges)


def _initially_bounded(automaton: Automaton) -> Automaton:
    """Variables that `init` speaks of may start with any value of these programs, others are left as they are."""
    mentioned = [v.var for v in automaton.variables if v.var in automaton.init.free and is_unbounded(v)]
    variables = (replace(v, low=-40, high=40) if v.var in mentioned else v for v in automaton.variables)
    return replace(automaton, variables=tuple(variables))


def disagreement(one: Behaviour[S], other: Behaviour[World], depth: int, limit: int) -> list[Observation] | None:
    """A shortest sequence of observations that only one of the two allows, or None up to a depth.

    Looks at no more than `limit` pairs of sets. After a `fail` nothing is compared.
    """
    start: list[Observation] = []
    starts = _grouped(one, ((None, s) for s in one.initial)), _grouped(other, ((None, s) for s in other.initial))
    groups = [(start, *starts)]
    seen: set[tuple[frozenset[S], frozenset[World]]] = set()
    for _ in range(depth):
        further = []
        for trail, left, right in groups:
            for observation in left.keys() ^ right.keys():
                return [*trail, observation]
            for observation, states in left.items():
                pair = states, right[observation]
                if observation[0] == (FAIL, ()) or pair in seen or len(seen) >= limit:
                    continue
                seen.add(pair)
                nexts = _after(one, pair[0]), _after(other, pair[1])
                further.append(([*trail, observation], *nexts))
        groups = further
    return None


def _after(behaviour: Behaviour[S], states: frozenset[S]) -> dict[Observation, frozenset[S]]:
    return _grouped(behaviour, (step for s in states for step in behaviour.steps(s)))


def _grouped(behaviour: Behaviour[S], steps: Iterable[tuple[object, S]]) -> dict[Observation, frozenset[S]]:
    found: dict[Observation, set[S]] = {}
    for seen, after in steps:
        found.setdefault((seen, behaviour.shared(after)), set()).add(after)
    return {observation: frozenset(states) for observation, states in found.items()}
