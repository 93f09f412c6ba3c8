"""Where blocks are cut: a block is right movers, at most one step of any kind, its commit, and left movers.

The cuts are the least that are needed in this order: initial locations, those that claims speak of, and where failing
steps lead; then, as long as there is one, a location behind the commit from which some step does not move left, one on
a cycle of steps inside of blocks, and one behind the commit from which perhaps no step is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge
from sa.automata.components import on_cycles
from sa.automata.dataflow import forward
from sa.certificates.reduced import Phase

#: Edges by their numbers.
Numbered = Mapping[str, tuple[tuple[int, Edge], ...]]


class Why(Enum):
    """Why a location is cut."""

    INITIAL = "the thread begins here"
    CLAIM = "a claim speaks of this place"
    FAILURE = "a failing step leads here"
    END = "no step leads on"
    MOVES = "the block has its commit behind it, and the next step does not move left"
    LOOP = "a loop would stay inside of the block"
    BLOCKS = "the block has its commit behind it, and the next step may have to wait"
    PATHS = "too many ways through the block come together here"


class Moves(Struct, frozen=True):
    """Which edges may be before a commit, and which behind one; the locations where some step is always possible."""

    before: frozenset[int]
    after: frozenset[int]
    goes_on: Callable[[str], bool]


class Cuts(Struct, frozen=True):
    """The phase of each location that is reached, and why those that are cut are."""

    phases: Mapping[str, Phase]
    why: Mapping[str, Why]


def cuts_of(thread: Automaton, moves: Moves, asked: Mapping[str, Why]) -> Cuts:
    """The cuts of a thread, among them those that are `asked` for."""
    outgoing = _numbered(thread)
    why = {thread.initial: Why.INITIAL, **asked}
    why.update((q, Why.END) for q, leaving in outgoing.items() if not leaving and q not in why)
    while True:
        phases = _phases(thread, outgoing, moves, why)
        found = next(_wanting(thread, outgoing, moves, phases), None)
        if found is None:
            return Cuts(phases, {q: w for q, w in why.items() if q in phases})
        why[found[0]] = found[1]


def _numbered(thread: Automaton) -> Numbered:
    found: dict[str, list[tuple[int, Edge]]] = {q.name: [] for q in thread.locations}
    for number, edge in enumerate(thread.edges):
        found[edge.source].append((number, edge))
    return {q: tuple(edges) for q, edges in found.items()}


def _phases(thread: Automaton, outgoing: Numbered, moves: Moves, why: Mapping[str, Why]) -> dict[str, Phase]:
    """The phases of locations that are reached; one that is reached in both is behind the commit."""

    def follow(place: str, phase: Phase) -> Iterator[tuple[str, Phase]]:
        for number, edge in outgoing[place]:
            if edge.target in why:
                yield edge.target, Phase.CUT
            elif phase is Phase.AFTER or number not in moves.before:
                yield edge.target, Phase.AFTER
            else:
                yield edge.target, Phase.BEFORE

    def join(one: Phase, other: Phase) -> Phase:
        return other if one is Phase.BEFORE and other is Phase.AFTER else one

    return forward({thread.initial: Phase.CUT}, follow, join)


def _wanting(
    thread: Automaton, outgoing: Numbered, moves: Moves, phases: Mapping[str, Phase]
) -> Iterator[tuple[str, Why]]:
    """Locations that have to be cut, with the reason."""
    for place, phase in phases.items():
        if phase is Phase.AFTER and any(n not in moves.after for n, _ in outgoing[place]):
            yield place, Why.MOVES
    inside = {q for q, phase in phases.items() if phase is not Phase.CUT}
    successors = {q: [e.target for _, e in outgoing[q] if e.target in inside] for q in inside}
    cycles = on_cycles([q.name for q in thread.locations if q.name in inside], successors)
    if cycles:
        yield _head(thread, cycles), Why.LOOP
    for place, phase in phases.items():
        if phase is Phase.AFTER and not moves.goes_on(place):
            yield place, Why.BLOCKS
    crowded = _crowded(outgoing, phases)
    if crowded is not None:
        yield crowded, Why.PATHS


def _head(thread: Automaton, cycles: Mapping[str, int]) -> str:
    """A location where a cycle is entered, else its first one."""
    for edge in thread.edges:
        if edge.target in cycles and cycles.get(edge.source) != cycles[edge.target]:
            return edge.target
    return next(q.name for q in thread.locations if q.name in cycles)


#: Ways through a block up to which it is composed: they become as many steps.
WAYS = 32


def _crowded(outgoing: Numbered, phases: Mapping[str, Phase]) -> str | None:
    """A location inside that more ways lead to than are composed. There are no cycles inside."""
    ways = {q: 1 for q, phase in phases.items() if phase is Phase.CUT}
    entering = {q: 0 for q, phase in phases.items() if phase is not Phase.CUT}
    for place in phases:
        for _, edge in outgoing[place]:
            if edge.target in entering:
                entering[edge.target] += 1
    pending = list(ways)
    while pending:
        place = pending.pop()
        for _, edge in outgoing[place]:
            if edge.target in entering:
                ways[edge.target] = ways.get(edge.target, 0) + ways[place]
                entering[edge.target] -= 1
                if entering[edge.target] == 0:
                    if ways[edge.target] > WAYS:
                        return edge.target
                    pending.append(edge.target)
    return None
