"""Which locks a thread has at a node, and which cells are accessed by their owners only.

Two threads that access a cell with the same lock in their hands are never both about to do it: each access is a mover
on both sides (Lipton 1975), as one is that nobody else conflicts with. To give a lock back is a left mover as long as
nobody looks whether it is free: whoever waits for it cannot step, and nobody else cares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.dataflow import forward
from sa.frontends.flow.graph import Load, Node, Step, Storage, Store, outgoing
from sa.frontends.flow.heap import LOCK, LOCK_JOINED
from sa.frontends.flow.layout import cell_at
from sa.frontends.flow.lives import Free, Freeable
from sa.frontends.flow.orders import Act, Lock
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Found, Values, evaluate

#: The cells that steps access, by their identity.
_Cells = Mapping[int, Sequence[int]]


class Guarded(Struct, frozen=True):
    """`cells` are those that have a lock; `calm` the steps, by identity, of owners at a lock that nobody tries.

    Which locks all accesses of a cell have in `common` is known by cell, where others may run.
    """

    cells: frozenset[int]
    calm: frozenset[int]
    common: Mapping[int, frozenset[int]]


def guarded(threads: Sequence[Thread], found: Found, cells: _Cells, alone: Callable[[Thread, Step], bool]) -> Guarded:
    """The cells all of whose accesses have a lock in common, of those while others may run."""
    locks, tried, spoiled = set[int](), set[int](), set[int]()
    for thread in threads:
        for step in thread.graph.steps:
            match step.op:
                case Lock(address, act):
                    known = _meant(evaluate(address, found, thread.number), found)
                    locks |= known
                    tried |= known if act is Act.TRY else set()
                case Free() | Freeable():
                    # Memory of a lock that is held must not be freed: so it is looked at.
                    tried |= set(cells.get(id(step), ()))
                case Store(_, _, _, wrong, _) if wrong not in (LOCK, LOCK_JOINED) and not alone(thread, step):
                    spoiled |= set(cells.get(id(step), ()))
    # The copies of a family have one address for what is a lock of its own in each of them: it excludes nobody.
    families = tuple(f"{t.name}." for t in threads if t.identity is not None)
    places = found.layout.places
    own = {
        a for a in locks if places[a].object.storage is not Storage.HEAP and places[a].object.name.startswith(families)
    }
    # Of a column it is not known which element is taken.
    usable = frozenset(locks - spoiled - own - found.layout.columns.keys())
    held = {t.number: _held(t, found, usable) for t in threads}
    common = dict[int, frozenset[int]]()
    calm = set[int]()
    for thread in threads:
        mine = held[thread.number]
        for step in thread.graph.steps:
            if id(step) not in cells:
                continue
            here, owners = cells[id(step)], mine.get(step.source, frozenset())
            if len(here) == 1 and here[0] in owners - tried and isinstance(step.op, Load | Store):
                calm.add(id(step))
            if not alone(thread, step):
                for cell in here:
                    common[cell] = common.get(cell, usable) & owners
    return Guarded(frozenset(c for c, owned in common.items() if owned), frozenset(calm), common)


def _meant(values: Values, found: Found) -> frozenset[int]:
    """The cells and columns that values mean."""
    cells = {cell_at(v, found.layout) for v in values if v is not OTHER}
    return frozenset(n for n in cells if n is not None)


def _held(thread: Thread, found: Found, usable: frozenset[int]) -> Mapping[Node, frozenset[int]]:
    """By node the locks that the thread has on all ways there."""
    steps = outgoing(thread.graph.steps)

    def follow(node: Node, held: frozenset[int]) -> Iterator[tuple[Node, frozenset[int]]]:
        return ((s.target, _after(s, held, found, thread.number, usable)) for s in steps.get(node, ()))

    return forward({thread.graph.entry: frozenset[int]()}, follow, frozenset.intersection)


def _after(step: Step, owned: frozenset[int], found: Found, thread: int, usable: frozenset[int]) -> frozenset[int]:
    if not isinstance(step.op, Lock) or step.op.act is Act.TRY:
        return owned
    values = evaluate(step.op.address, found, thread)
    known = _meant(values, found)
    if step.op.act is Act.GIVE:
        return frozenset() if OTHER in values else owned - known
    return owned | (known & usable) if len(known) == 1 and OTHER not in values else owned
