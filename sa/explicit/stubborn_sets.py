"""Stubborn sets of threads: at a joint state, threads whose steps alone need be made (Valmari 1989).

With a thread that can move come those whose steps, now or later, its next steps are not independent of; and with one
that cannot move those that may let it move. What a blocked thread would do later is thus no obstacle: this is more
than `partial_order_reduction` sees, and is meant for searches that only look for runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge
from sa.explicit.partial_order_reduction import Footprint, all_of, later
from sa.terms.term import Term, Var


class Standing(Struct, frozen=True, eq=False):
    """A place of a thread: what its steps touch there, what they touch from there on, and what they wait for."""

    here: Footprint
    later: Footprint
    waits: int


def standings(threads: Sequence[Automaton], watched: frozenset[Var]) -> tuple[tuple[Standing, ...], ...]:
    """By thread and place. What is shown, and what is `watched`, is seen in the order in which it happens."""
    variables = dict.fromkeys(v.var for t in threads for v in t.variables)
    bits = {v: 2 << i for i, v in enumerate(variables)}
    return tuple(_of_thread(t, bits, watched) for t in threads)


def _of_thread(thread: Automaton, bits: dict[Var, int], watched: frozenset[Var]) -> tuple[Standing, ...]:
    number = {q.name: i for i, q in enumerate(thread.locations)}
    leaving: list[list[Edge]] = [[] for _ in thread.locations]
    for edge in thread.edges:
        leaving[number[edge.source]].append(edge)
    here = [_footprint(edges, bits, watched) for edges in leaving]
    targets = [[number[e.target] for e in edges] for edges in leaving]
    waits = [all_of(bits[v] for e in edges for v in e.guard.free if v in bits) for edges in leaving]
    return tuple(Standing(*parts) for parts in zip(here, later(targets, here), waits, strict=True))


def _footprint(edges: Iterable[Edge], bits: dict[Var, int], watched: frozenset[Var]) -> Footprint:
    reads, writes = 0, 0
    for edge in edges:
        read = edge.guard.free.union(*(t.free for _, t in edge.updates), *(t.free for t in _shown(edge)))
        reads |= all_of(bits[v] for v in read if v in bits)
        writes |= all_of(bits[v] for v, _ in edge.updates if v in bits)
        writes |= edge.label is not None or any(v in watched for v, _ in edge.updates)
    return Footprint(reads, writes)


def _shown(edge: Edge) -> tuple[Term, ...]:
    return () if edge.label is None else edge.label.values


def stubborn(standing: Sequence[Standing], can_move: Sequence[bool]) -> frozenset[int]:
    """Threads whose steps need be made, as few as there are with one of them that can move."""
    found = (_together(standing, can_move, n) for n, can in enumerate(can_move) if can)
    return min(found, key=lambda together: sum(can_move[n] for n in together), default=frozenset())


def _together(standing: Sequence[Standing], can_move: Sequence[bool], start: int) -> frozenset[int]:
    together, pending = {start}, [start]
    # Blocked threads that would conflict once they move: whoever lets them move comes instead of them.
    blocked = set[int]()

    def add(n: int) -> None:
        if n not in together:
            together.add(n)
            pending.append(n)

    def free(n: int) -> None:
        if n not in blocked:
            blocked.add(n)
            for k, other in enumerate(standing):
                if k != n and other.later.writes & standing[n].waits:
                    add(k)

    while pending:
        n = pending.pop()
        if not can_move[n]:
            free(n)
            continue
        for k, other in enumerate(standing):
            if k != n and k not in together and standing[n].here.conflicts(other.later):
                if can_move[k]:
                    add(k)
                else:
                    free(k)
    return frozenset(together)
