"""All states that threads reach together, by enumeration, and what each of them sees of them."""

from __future__ import annotations

from collections import Counter
from itertools import product

from msgspec import Struct

from sa.automata.automaton import Automaton
from tests.oracle.explicit import Explicit, State, component_steps, explicit, initial_states
from tests.oracle.formula import Row, predicate, solutions

#: Where a thread is, and the values of its locals.
Own = tuple[str, Row]


def reached_together(threads: tuple[Automaton, ...], most: int) -> list[set[State]] | None:
    """For each thread its states while the program runs; None if there are more than `most` joint ones."""
    machines = [explicit(t) for t in threads]
    shared = machines[0].visible
    pending = _starts(machines, shared)
    seen = set(pending)
    views: list[set[State]] = [set() for _ in threads]
    while pending:
        row, places = pending.pop()
        if len(seen) > most:
            return None
        for index, machine in enumerate(machines):
            location, own = places[index]
            state = State(location, (*row, *own))
            views[index].add(state)
            for step in component_steps(machine, state):
                there = (step.after.location, step.after.row[shared:])
                joint = (step.after.row[:shared], (*places[:index], there, *places[index + 1 :]))
                if joint not in seen:
                    seen.add(joint)
                    pending.append(joint)
    return views


def _starts(machines: list[Explicit], shared: int) -> list[tuple[Row, tuple[Own, ...]]]:
    starts = [[(s.row[:shared], (s.location, s.row[shared:])) for s in initial_states(m)] for m in machines]
    return [
        (joint[0][0], tuple(own for _, own in joint))
        for joint in product(*starts)
        if all(row == joint[0][0] for row, _ in joint)
    ]


class Compared(Struct, frozen=True):
    """States that invariants miss, and the locations whose invariant holds of reached states only, out of all."""

    missed: int
    exact: int
    locations: int


def compared(invariants: tuple[Automaton, ...], views: list[set[State]]) -> Compared:
    """Invariants against the states that were reached."""
    missed = exact = locations = 0
    for automaton, view in zip(invariants, views, strict=True):
        machine = explicit(automaton)
        domains = [d for d in machine.domains if d is not None]
        reached = Counter(s.location for s in view)
        for place in automaton.locations:
            inside = predicate(place.inv, machine.order)
            missed += sum(not inside(s.row) for s in view if s.location == place.name)
            rows = solutions(place.inv, (), machine.order, domains)(())
            exact += len(rows) == reached[place.name]
            locations += 1
    return Compared(missed, exact, locations)
