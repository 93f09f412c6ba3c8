"""Threads that Spoiler lets go first in a play: those whose steps choose nothing, and are noticed by nobody else.

To leave other steps out only restricts Spoiler, so nothing depends on this but how far he comes. As in
`explicit.reduction`, places from which a thread goes first form no cycle: else the others would wait forever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge, composed
from sa.explicit.partial_order_reduction import without_cycles
from sa.terms.term import Var

#: By number of the location the threads that go first there.
First: TypeAlias = tuple[tuple[str, ...], ...]


def first(automaton: Automaton, watched: frozenset[Var]) -> First:
    """The threads of a composed automaton that go first at its locations; `watched` is what ι reads."""
    threads = composed(automaton)
    by_thread = [[e for e in automaton.edges if e.thread == thread] for thread in threads]
    touched = [frozenset[Var]().union(*map(_touched, edges)) for edges in by_thread]
    written = [frozenset(v for e in edges for v, _ in e.updates) for edges in by_thread]
    places = list[frozenset[str]]()
    for number, edges in enumerate(by_thread):
        others = [n for n in range(len(threads)) if n != number]
        noticed = watched.union(*(touched[n] for n in others))
        changing = frozenset[Var]().union(*(written[n] for n in others))
        places.append(_quiet(automaton, number, edges, noticed, changing))
    return tuple(
        tuple(t for t, part, quiet in zip(threads, q.parts, places, strict=False) if part in quiet)
        for q in automaton.locations
    )


def _quiet(
    automaton: Automaton, number: int, edges: Sequence[Edge], noticed: frozenset[Var], changing: frozenset[Var]
) -> frozenset[str]:
    """Places whose steps neither choose nor show, nor write what is noticed, nor read what others change."""
    parts = {q.name: q.parts[number] for q in automaton.locations if q.parts}
    names = tuple(dict.fromkeys(parts.values()))
    place = {name: n for n, name in enumerate(names)}
    following: list[set[int]] = [set() for _ in names]
    loud = set[int]()
    for edge in edges:
        source = place[parts[edge.source]]
        following[source].add(place[parts[edge.target]])
        if edge.label is not None or edge.choices or not _touched(edge).isdisjoint(changing) or _writes(edge, noticed):
            loud.add(source)
    quiet = {n for n, after in enumerate(following) if after} - loud
    return frozenset(names[n] for n in without_cycles(following, quiet, quiet))


def _touched(edge: Edge) -> frozenset[Var]:
    own = (c.var for c in edge.choices)
    return edge.guard.free.union(*(t.free | {v} for v, t in edge.updates)).difference(own)


def _writes(edge: Edge, noticed: Iterable[Var]) -> bool:
    return not frozenset(v for v, _ in edge.updates).isdisjoint(noticed)
