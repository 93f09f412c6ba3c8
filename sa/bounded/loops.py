"""Loops of a graph of places: which steps go back, and which places are inside.

Places are numbered depth first; a step that does not go to a later place in reverse postorder goes back, to a head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sa.automata.components import postorder


class Loops(Struct, frozen=True):
    """`rank` is the place in reverse postorder; `inside` maps each head to the places of its loop, itself included."""

    rank: tuple[int, ...]
    inside: dict[int, frozenset[int]]

    def goes_back(self, source: int, target: int) -> bool:
        """Whether a step goes back."""
        return self.rank[target] <= self.rank[source]


def loops(size: int, start: int, steps: Iterable[tuple[int, int]]) -> Loops:
    """The loops of a graph with places 0..size-1. Places that are not reachable come last, each by itself."""
    after: list[list[int]] = [[] for _ in range(size)]
    before: list[list[int]] = [[] for _ in range(size)]
    for source, target in steps:
        after[source].append(target)
        before[target].append(source)
    rank = _ranks(size, start, after)
    inside = dict[int, frozenset[int]]()
    for head in range(size):
        back = [p for p in before[head] if rank[head] <= rank[p]]
        if back:
            inside[head] = inside.get(head, frozenset()) | _around(head, back, before, rank)
    return Loops(rank, inside)


def _ranks(size: int, start: int, after: Sequence[Sequence[int]]) -> tuple[int, ...]:
    order, _ = postorder(start, dict(enumerate(after)))
    apart = set(range(size)).difference(order)
    ranks = [0] * size
    for number, place in enumerate((*reversed(order), *sorted(apart))):
        ranks[place] = number
    return tuple(ranks)


def _around(head: int, back: Sequence[int], before: Sequence[Sequence[int]], rank: Sequence[int]) -> frozenset[int]:
    """The places from which a step back to the head is reachable among places behind the head."""
    found, pending = {head}, [p for p in back if p != head]
    while pending:
        here = pending.pop()
        if here not in found:
            found.add(here)
            pending += [p for p in before[here] if rank[p] > rank[head]]
    return frozenset(found)
