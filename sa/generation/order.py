"""Weak topological order of a thread's locations: every cycle goes through a head, inner loops stand inside outer ones.

A worklist in this order is stable in a loop before it goes past it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.components import components


class Order(Struct, frozen=True):
    """The position of each location that can be reached along edges, and the heads, at which cycles are cut."""

    position: Mapping[str, int]
    heads: frozenset[str]


def order_of(automaton: Automaton) -> Order:
    """A weak topological order of the automaton's graph."""
    successors: dict[str, list[str]] = {q.name: [] for q in automaton.locations}
    for edge in automaton.edges:
        successors[edge.source].append(edge.target)
    found = list[str]()
    heads = set[str]()
    # What is left to put in order: a set of locations, entered at the first one; or a location in its place.
    waiting: list[tuple[str, frozenset[str]] | str] = [(automaton.initial, frozenset(successors))]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found.append(item)
            continue
        entry, inside = item
        for component in _components((entry,), successors, inside):
            # Components come last ones first, and so they lie on the stack.
            head = component[0]
            if len(component) == 1:
                heads.update({head} & {*successors[head]})
                waiting.append(head)
                continue
            heads.add(head)
            waiting.extend(_body(head, frozenset(component) - {head}, successors))
            waiting.append(head)
    return Order({name: place for place, name in enumerate(found)}, frozenset(heads))


def _body(
    head: str, inside: frozenset[str], successors: Mapping[str, Sequence[str]]
) -> list[tuple[str, frozenset[str]] | str]:
    """The components of a loop without its head, last ones first, to be put in order themselves."""
    found: list[tuple[str, frozenset[str]] | str] = []
    for component in _components(successors[head], successors, inside):
        first = component[0]
        alone = len(component) == 1 and first not in successors[first]
        found.append(first if alone else (first, frozenset(component)))
    return found


def _components(
    entries: Iterable[str], successors: Mapping[str, Sequence[str]], inside: frozenset[str]
) -> list[tuple[str, ...]]:
    """Strongly connected components within `inside` from the entries, last ones first; each begins at its entry."""
    within = {place: [n for n in successors[place] if n in inside] for place in inside}
    return components((e for e in entries if e in inside), within)
