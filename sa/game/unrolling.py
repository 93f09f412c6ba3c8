"""Automata whose loops are unrolled: first some turns, then turns modulo a number, each with locations of their own.

A copy is a location with how often its loop was gone around, counted where it is entered again. Nothing else changes,
so that runs are those of the automaton: it is a trace partitioning (`partitioning.py`) by turns instead of by values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.game.partitioning import Unfolded
from sa.terms import build


class Unrolling(Struct, frozen=True):
    """How a loop is unrolled: edges that are `closing` close a turn; the `first` turns have copies of their own, those
    behind them are counted modulo `period`.
    """

    places: frozenset[str]
    closing: frozenset[int]
    first: int
    period: int

    def after(self, turns: int, number: int, edge: Edge) -> int:
        """Which copy an edge leads to from a copy."""
        if edge.target not in self.places or edge.source not in self.places:
            return 0
        turns += number in self.closing
        return turns if turns < self.first + self.period else self.first


def as_it_is(automaton: Automaton) -> Unfolded:
    """The automaton as the only copy of itself."""
    place = {q.name: q.name for q in automaton.locations}
    return Unfolded(automaton, place, tuple(range(len(automaton.edges))), dict.fromkeys(place, build.TRUE))


def unrolled(automaton: Automaton, loops: Sequence[Unrolling]) -> Unfolded:
    """The automaton with these loops unrolled, which have no location in common; first copies have the old names."""
    if not loops:
        return as_it_is(automaton)
    outgoing: dict[str, list[tuple[int, Edge]]] = {q.name: [] for q in automaton.locations}
    for number, edge in enumerate(automaton.edges):
        outgoing[edge.source].append((number, edge))
    of = {place: loop for loop in loops for place in loop.places}
    start = (automaton.initial, 0)
    names, pending, edges = {start: automaton.initial}, [start], list[tuple[int, Edge]]()
    # The list grows while it is walked.
    for here in pending:
        for number, edge in outgoing[here[0]]:
            loop = of.get(edge.target)
            there = edge.target, 0 if loop is None else loop.after(here[1], number, edge)
            if there not in names:
                names[there] = f"{there[0]}#{there[1]}" if there[1] else there[0]
                pending.append(there)
            edges.append((number, replace(edge, source=names[here], target=names[there])))
    places = {q.name: q for q in automaton.locations}
    order = {q.name: n for n, q in enumerate(automaton.locations)}
    copies = sorted(names, key=lambda p: (order[p[0]], p[1]))
    place: Mapping[str, str] = {names[p]: p[0] for p in copies}
    return Unfolded(
        replace(
            automaton,
            locations=tuple(replace(places[p[0]], name=names[p]) for p in copies),
            initial=names[start],
            edges=tuple(edge for _, edge in edges),
        ),
        place,
        tuple(number for number, _ in edges),
        dict.fromkeys(place, build.TRUE),
    )
