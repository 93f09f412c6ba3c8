"""Trace partitioning (Mauborgne and Rival 2005): automata whose locations have a copy for each of several tokens.

A token says what is known of how a location was reached: the values of some variables, or how often a loop was gone
around. Edges lead from copy to copy, so runs are those of the automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Location

T = TypeVar("T", bound=Hashable)


class Partitioned(Struct, Generic[T], frozen=True, eq=False):
    """The automaton of the copies that are reached, the name of each, and by edge the number of what it is a copy of.

    Copies are in the order of their locations, then in that in which they are reached; edges are in the latter.
    """

    automaton: Automaton
    names: Mapping[tuple[str, T], str]
    edges: tuple[int, ...]

    def place(self) -> dict[str, str]:
        """What each location is a copy of."""
        return {name: place for (place, _), name in self.names.items()}


def partitioned(
    automaton: Automaton,
    first: T,
    follow: Callable[[int, Edge, T], Iterable[tuple[Edge, T]]],
    name: Callable[[str, T, int], str],
    most: int | None = None,
    told: Callable[[Location, T], Location] = lambda location, _: location,
) -> Partitioned[T] | None:
    """The automaton with a copy of a location for each token that it is reached with; None beyond `most` copies.

    `follow` yields what an edge, by its number, becomes at a token of its source, each time with the token of its
    target; `name` is a copy's name, by its location, token and number; `told` puts into a location what its token says.
    """
    leaving: dict[str, list[tuple[int, Edge]]] = {q.name: [] for q in automaton.locations}
    for number, edge in enumerate(automaton.edges):
        leaving[edge.source].append((number, edge))
    start = automaton.initial, first
    names, pending, edges = {start: name(*start, 0)}, [start], list[tuple[int, Edge]]()
    # The list grows while it is walked.
    for here in pending:
        for number, edge in leaving[here[0]]:
            for made, token in follow(number, edge, here[1]):
                there = edge.target, token
                if there not in names:
                    if len(names) == most:
                        return None
                    names[there] = name(*there, len(names))
                    pending.append(there)
                edges.append((number, replace(made, source=names[here], target=names[there])))
    places = {q.name: q for q in automaton.locations}
    order = {q: n for n, q in enumerate(places)}
    copies = {copy: names[copy] for copy in sorted(names, key=lambda copy: order[copy[0]])}
    made_of = replace(
        automaton,
        locations=tuple(replace(told(places[place], token), name=its) for (place, token), its in copies.items()),
        initial=names[start],
        edges=tuple(edge for _, edge in edges),
    )
    return Partitioned(made_of, copies, tuple(number for number, _ in edges))
