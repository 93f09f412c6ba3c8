"""Automata whose loops are unrolled: first some turns, then turns modulo a number, each with locations of their own.

A copy is a location with how often its loop was gone around, counted where it is entered again. Nothing else changes,
so that runs are those of the automaton: it is a trace partitioning (`automata/trace_partitioning.py`) by turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge
from sa.automata.trace_partitioning import partitioned
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
    of = {place: loop for loop in loops for place in loop.places}

    def follow(number: int, edge: Edge, turns: int) -> Iterator[tuple[Edge, int]]:
        loop = of.get(edge.target)
        yield edge, 0 if loop is None else loop.after(turns, number, edge)

    found = partitioned(automaton, 0, follow, lambda place, turns, _: f"{place}#{turns}" if turns else place)
    assert found is not None
    place = found.place()
    return Unfolded(found.automaton, place, found.edges, dict.fromkeys(place, build.TRUE))
