"""Locations that differ by steps which do nothing are one location.

A silent step without test, choice or update leaves the state as it is. Where the location before it has no other step,
or the one behind it is reached by such steps only, both are one place of the game: what is related at one is related
at the other. Each of several threads is looked at alone, so that the work is that of the threads and not of their
product.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Location, mover
from sa.terms import build

#: Of a place of one thread: its neighbours, each with whether the step between them does nothing.
_Steps = set[tuple[str, bool]]


class Merged(Struct, frozen=True, eq=False):
    """An automaton with such locations merged.

    `place` is what became of a location, and `number` of an edge: None where it stays at one place. `edges` are the
    edges that one stands for, and `idle` the steps within places, by their source.
    """

    automaton: Automaton
    place: Mapping[str, str]
    number: tuple[int | None, ...]
    edges: tuple[tuple[int, ...], ...]
    idle: Mapping[str, tuple[tuple[int, str], ...]]


def merged(automaton: Automaton) -> Merged | None:
    """The automaton with as few locations as that makes; None where these are all of them."""
    locations = {q.name: q for q in automaton.locations}
    place = _places(automaton, locations)
    if place is None:
        return None
    number, edges = list[int | None](), dict[tuple[object, ...], list[int]]()
    made, known = list[Edge](), dict[tuple[object, ...], int]()
    idle: dict[str, list[tuple[int, str]]] = {}
    for n, edge in enumerate(automaton.edges):
        source, target = place[edge.source], place[edge.target]
        if source == target and _does_nothing(edge):
            number.append(None)
            idle.setdefault(edge.source, []).append((n, edge.target))
            continue
        key = (source, target, edge.label, edge.guard, edge.updates, edge.choices, edge.failure, edge.thread)
        if key not in known:
            known[key] = len(made)
            made.append(replace(edge, source=source, target=target))
        number.append(known[key])
        edges.setdefault(key, []).append(n)
    kept = frozenset(place.values())
    return Merged(
        replace(
            automaton,
            locations=tuple(q for q in automaton.locations if q.name in kept),
            initial=place[automaton.initial],
            edges=tuple(made),
        ),
        place,
        tuple(number),
        tuple(tuple(edges[key]) for key in known),
        {name: tuple(listed) for name, listed in idle.items()},
    )


def route(side: Merged, start: str, end: str) -> tuple[int, ...] | None:
    """Steps that do nothing from a location to another one of the same place; None where there are none."""
    pending, seen = deque([(start, tuple[int, ...]())]), {start}
    while pending:
        here, way = pending.popleft()
        if here == end:
            return way
        for number, target in side.idle.get(here, ()):
            if target not in seen:
                seen.add(target)
                pending.append((target, (*way, number)))
    return None


def _does_nothing(edge: Edge) -> bool:
    return (edge.label, edge.failure) == (None, None) and not (
        edge.updates or edge.choices or edge.guard is not build.TRUE
    )


def _places(automaton: Automaton, locations: Mapping[str, Location]) -> dict[str, str] | None:
    """The location that stands for each; None where each stands for itself."""
    by_parts = {_parts(q): q for q in automaton.locations}
    kept = [_representatives(out, into, first) for out, into, first in _threads(automaton, locations)]
    if len(by_parts) < len(locations) or all(p == q for known in kept for p, q in known.items()):
        return None
    found = dict[str, str]()
    for name, here in locations.items():
        there = by_parts.get(tuple(known[p] for known, p in zip(kept, _parts(here), strict=True)))
        # An invariant or an environment of its own makes a location another one.
        if there is None or here.inv is not there.inv or here.env is not there.env:
            return None
        found[name] = there.name
    return found


def _parts(location: Location) -> tuple[str, ...]:
    return location.parts or (location.name,)


def _threads(
    automaton: Automaton, locations: Mapping[str, Location]
) -> Iterator[tuple[dict[str, _Steps], dict[str, _Steps], str]]:
    """Of each thread: the steps from and to each of its places, and where it begins."""
    initial = _parts(locations[automaton.initial])
    out = [dict[str, _Steps]() for _ in initial]
    into = [dict[str, _Steps]() for _ in initial]
    for location in automaton.locations:
        for thread, place in enumerate(_parts(location)):
            out[thread].setdefault(place, set())
            into[thread].setdefault(place, set())
    for edge in automaton.edges:
        first, second = locations[edge.source], locations[edge.target]
        moving = mover(first, second) if len(initial) > 1 else 0
        # Whose step it is cannot be seen where nobody goes anywhere: then it may be anybody's.
        for thread in range(len(initial)) if moving is None else (moving,):
            before, after = _parts(first)[thread], _parts(second)[thread]
            idle = before != after and _does_nothing(edge)
            out[thread][before].add((after, idle))
            into[thread][after].add((before, idle))
    yield from zip(out, into, initial, strict=True)


def _representatives(out: Mapping[str, _Steps], into: Mapping[str, _Steps], initial: str) -> dict[str, str]:
    """The place of a thread that stands for each."""
    stands = {place: place for place in out}
    outgoing = {place: set(steps) for place, steps in out.items()}
    incoming = {place: set(steps) for place, steps in into.items()}

    def find(place: str) -> str:
        while stands[place] != place:
            place = stands[place]
        return place

    def others(steps: _Steps, here: str) -> _Steps:
        return {(q, idle) for p, idle in steps if (q := find(p)) != here or not idle}

    changed = True
    while changed:
        changed = False
        for place in out:
            if stands[place] != place:
                continue
            left, before = others(outgoing[place], place), others(incoming[place], place)
            (there, nothing) = next(iter(left)) if len(left) == 1 else (place, False)
            (here, nothing_before) = next(iter(before)) if len(before) == 1 else (place, False)
            if nothing and there != place:
                into_place = there
            elif nothing_before and here != place and find(initial) != place:
                into_place = here
            else:
                continue
            stands[place] = into_place
            outgoing[into_place] |= outgoing[place]
            incoming[into_place] |= incoming[place]
            changed = True
    return {place: find(place) for place in out}
