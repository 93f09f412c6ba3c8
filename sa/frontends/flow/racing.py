"""Which memory locations two threads may access at once, one of them writing, not both atomically (C11 5.1.2.4p25).

These are the ones that claims about races speak of. Of others nothing is claimed, for there is nothing to show: all
accesses of them are by one thread, or of a kind that does not conflict, or while nobody else runs, or by owners of one
lock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from sa.frontends.flow.graph import Load, Node, Op, Step, Store, outgoing
from sa.frontends.flow.layout import EXTENT, Layout, location_of
from sa.frontends.flow.lives import Free
from sa.frontends.flow.locks import Guarded
from sa.frontends.flow.regions import inside_program_regions
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import Found, ended_by


class Manner(NamedTuple):
    """How something is accessed."""

    writes: bool
    atomic: bool


def conflict(one: Manner, other: Manner) -> bool:
    """Whether two unordered accesses of one memory location are a race."""
    return (one.writes or other.writes) and not (one.atomic and other.atomic)


class Racing(Struct, frozen=True):
    """Accesses while others may run, of what `may` race: memory locations, by the numbers of their first cells.

    `users` are by location the threads that access it in a manner; `meets` says who may run while the first thread
    does. Steps are known by their identity: the `cells` that they access, and in which `manners`.
    """

    may: frozenset[int] = frozenset()
    users: Mapping[int, Mapping[Manner, frozenset[int]]] = {}
    meets: Mapping[tuple[int, Manner], frozenset[int]] = {}
    manners: Mapping[int, Manner] = {}
    cells: Mapping[int, Sequence[int]] = {}


#: Nothing is asked about races.
UNASKED = Racing()


class Concurrency(NamedTuple):
    """Who may run where the first thread is, and what the copies of a thread are called that use a cell."""

    running: Mapping[Node, frozenset[int]]
    users: Callable[[int, Thread], frozenset[int]]


def plainly(
    threads: Sequence[Thread], cells: Mapping[int, tuple[int, ...]], found: Found
) -> dict[int, tuple[int, ...]]:
    """The cells of the program that steps access, by the steps' identity: to free an object is to write all of it."""
    made = dict[int, tuple[int, ...]]()
    for thread in threads:
        for step in thread.graph.steps:
            match step.op:
                case Load() | Store():
                    made[id(step)] = cells[id(step)]
                case Free():
                    ended = sorted(ended_by(step.op, found, thread.number))
                    made[id(step)] = tuple(n for first in ended for n in found.layout.units[first])
                case _:
                    continue
    return made


def racing(
    threads: Sequence[Thread], cells: Mapping[int, Sequence[int]], where: Layout, known: Concurrency, owned: Guarded
) -> Racing:
    """What may race, of all `cells` that steps access, by the steps' identity; to free an object writes all of it."""
    manners = {i: m for t in threads for i, m in _manners(t).items()}
    users, meets = dict[int, dict[Manner, frozenset[int]]](), dict[tuple[int, Manner], frozenset[int]]()
    for thread in threads:
        for step in thread.graph.steps:
            there = known.running.get(step.source, frozenset())
            if thread.number == 1 and not there:
                continue
            for cell in cells.get(id(step), ()):
                if is_internal(cell, where):
                    continue
                location, manner = location_of(cell, where), manners[id(step)]
                found = users.setdefault(location, {})
                found[manner] = found.get(manner, frozenset()) | known.users(cell, thread)
                if thread.number == 1:
                    meets[location, manner] = meets.get((location, manner), frozenset()) | there
    guarded = _owned_locations(owned, where)
    made = Racing(frozenset(users), users, meets, manners, cells)
    may = {
        location_of(cell, where)
        for thread in threads
        for step in thread.graph.steps
        for cell in cells.get(id(step), ())
        if meets_rival(cell, thread.number, step, made, known.running, where)
    }
    return Racing(frozenset(may - guarded), users, meets, manners, cells)


def meets_rival(
    cell: int, thread: int, step: Step, found: Racing, running: Mapping[Node, frozenset[int]], where: Layout
) -> bool:
    """Whether another thread may do what conflicts with an access, before or after it, unless that is ordered."""
    if cell not in where.places or is_internal(cell, where):
        return False
    location = location_of(cell, where)
    if location not in found.may:
        return False
    here = found.manners[id(step)]
    for manner, who in found.users[location].items():
        if not conflict(here, manner):
            continue
        if thread == 1:
            if (who - {1}) & running.get(step.source, frozenset()):
                return True
        elif who - {1, thread} or (1 in who and thread in found.meets.get((location, manner), frozenset())):
            return True
    return False


def _manners(thread: Thread) -> dict[int, Manner]:
    """How each step accesses memory: what is in an atomic region of the program is atomic, too."""
    steps = outgoing(thread.graph.steps)
    inside = inside_program_regions(thread, steps)
    return {
        id(s): Manner(not isinstance(s.op, Load), _is_ordered(s.op) or s.source in inside)
        for s in thread.graph.steps
        if isinstance(s.op, Load | Store | Free)
    }


def _is_ordered(op: Op) -> bool:
    return isinstance(op, Load | Store) and op.order is not None


def is_internal(cell: int, where: Layout) -> bool:
    """Whether a cell is the library's: what a lock is made of, or how long an array is."""
    found = where.places[cell].cell
    return (found.synchronises and not found.atomic) or found.key == EXTENT


def _owned_locations(owned: Guarded, where: Layout) -> frozenset[int]:
    """The locations all of whose accesses have a lock in common: neighbours may have different ones."""
    common = dict[int, frozenset[int]]()
    for cell, locks in owned.common.items():
        here = location_of(cell, where)
        common[here] = common.get(here, locks) & locks
    return frozenset(n for n, locks in common.items() if locks)
