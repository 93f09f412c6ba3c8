"""Automata with the values in their locations that locals have which only get constants.

After a compare-and-swap a location stands for two: where it did what it was asked to, and where it did not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, edges_from, location_of, variables_of
from sa.automata.live import live
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
    while True:
        made = _spread(thread, split, own)
        known = [(place, values) for place, values in made.meant.values()]
        partly = {v for v in own if own[v] is None and _is_partly_known(v, known)}
        if not partly:
            return made
        own = {v: t for v, t in own.items() if v not in partly}


def _is_partly_known(var: Var, meant: Sequence[tuple[str, Term]]) -> bool:
    """Whether some location stands for values of a variable and for any value, too."""
    told: dict[str, set[bool]] = {}
    for place, values in meant:
        told.setdefault(place, set()).add(var in values.free)
    return any(len(found) > 1 for found in told.values())


def _spread(thread: Automaton, split: Mapping[str, Sequence[Edge]], own: Mapping[Var, Term | None]) -> Points:
    """The thread with the values of its `own` variables in its locations; None is any value, also where nobody reads it
    any more of those that begin with any.
    """
    loose = frozenset(v for v, t in own.items() if t is None)
    read = live(thread, frozenset()) if loose else {}
    found, edges = {(thread.initial, tuple(own.items())): "0"}, list[Edge]()
    waiting = list(found)
    while waiting:
        place, known = waiting.pop()
        values = {v: t for v, t in known if t is not None}
        for edge in split[place]:
            guard = substitute(edge.guard, values)
            if guard is build.FALSE:
                continue
            updates = tuple((v, substitute(t, values)) for v, t in edge.updates)
            after = dict(known) | {v: t for v, t in updates if v in own}
            after |= dict.fromkeys(loose - read[edge.target] if loose else ())
            there = (edge.target, tuple(after.items()))
            if there not in found:
                if len(found) == POINTS:
                    return Points(thread, {q.name: (q.name, build.TRUE) for q in thread.locations}, frozenset())
                found[there] = str(len(found))
                waiting.append(there)
            edges.append(replace(edge, source=found[place, known], target=found[there], guard=guard, updates=updates))
    places = tuple(replace(location_of(thread, q), name=name) for (q, _), name in found.items())
    meant = {
        name: (q, build.land(*(build.eq(v, t) for v, t in known if t is not None)))
        for (q, known), name in found.items()
    }
    return Points(replace(thread, locations=places, initial="0", edges=tuple(edges)), meant, frozenset(own))


def _constant(thread: Automaton, edges: Sequence[Edge]) -> dict[Var, Term | None]:
    """Locals that get constants only, with their first values where these are known."""
    said = (solution(f, f.free) for f in build.conjuncts(thread.init) if len(f.free) == 1)
    begun = {s[0]: s[1] for s in said if s is not None and isinstance(s[1], Int | Bool | Member)}
    other = {v for e in edges for v, t in e.updates if not isinstance(t, Int | Bool | Member)}
    moved = {v for e in edges for v, _ in e.updates}
    return {v: begun.get(v) for v in variables_of(thread, Kind.LOCAL) if v in moved - other}
