"""Automata with the values in their locations that locals have which only get constants.

After a compare-and-swap a location stands for two: where it did what it was asked to, and where it did not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, edges_from, location_of, variables_of
from sa.invariants.cases import TwoValued, cases
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Int, Member, Term, Var

#: Locations with values at most.
POINTS = 60


class Points(Struct, frozen=True):
    """The automaton, for each of its locations what it stands for, and the locals whose values are in them."""

    automaton: Automaton
    meant: Mapping[str, tuple[str, Term]]
    known: frozenset[Var]


def points(thread: Automaton, two: TwoValued) -> Points:
    """The thread with values in its locations; as it is where these are too many."""
    split = {q: [e for edge in edges for e in cases(edge, two)] for q, edges in edges_from(thread).items()}
    own = _constant(thread, [e for edges in split.values() for e in edges])
    found, edges = {(thread.initial, tuple(own.items())): "0"}, list[Edge]()
    waiting = list(found)
    while waiting:
        place, known = waiting.pop()
        values = dict(known)
        for edge in split[place]:
            guard = substitute(edge.guard, values)
            if guard is build.FALSE:
                continue
            updates = tuple((v, substitute(t, values)) for v, t in edge.updates)
            after = values | {v: t for v, t in updates if v in values}
            there = (edge.target, tuple(after.items()))
            if there not in found:
                if len(found) == POINTS:
                    return Points(thread, {q.name: (q.name, build.TRUE) for q in thread.locations}, frozenset())
                found[there] = str(len(found))
                waiting.append(there)
            edges.append(replace(edge, source=found[place, known], target=found[there], guard=guard, updates=updates))
    places = tuple(replace(location_of(thread, q), name=name) for (q, _), name in found.items())
    meant = {name: (q, build.land(*(build.eq(v, t) for v, t in known))) for (q, known), name in found.items()}
    return Points(replace(thread, locations=places, initial="0", edges=tuple(edges)), meant, frozenset(own))


def _constant(thread: Automaton, edges: Sequence[Edge]) -> dict[Var, Term]:
    """Locals that have a known first value and get constants only, with their first values."""
    said = (solution(f, f.free) for f in build.conjuncts(thread.init) if len(f.free) == 1)
    begun = {s[0]: s[1] for s in said if s is not None and isinstance(s[1], Int | Bool | Member)}
    other = {v for e in edges for v, t in e.updates if not isinstance(t, Int | Bool | Member)}
    moved = {v for e in edges for v, _ in e.updates}
    locals_ = frozenset(variables_of(thread, Kind.LOCAL))
    return {v: t for v, t in begun.items() if v in locals_ and v in moved - other}
