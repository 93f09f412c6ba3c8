"""Which cells each step of each thread accesses, and which of these accesses others can see.

An access is seen if another thread may, at the same time, access the same cell and one of the two writes. Others are
both-movers (Lipton): they may be joined with the step before them. Before the first thread is created nobody sees
anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from sa.frontends.flow.graph import Live, Load, Node, Step, Storage, Store, base, outgoing
from sa.frontends.flow.layout import Layout, Place
from sa.frontends.flow.liveness import live
from sa.frontends.flow.order import reachable
from sa.frontends.flow.threads import THREADS, Thread
from sa.frontends.flow.values import OTHER, Found, constants, evaluate, targets


class Access(Struct, frozen=True):
    """The cells that a load or store may be about; `sure`: it is about one of them."""

    cells: tuple[int, ...]
    sure: bool
    writes: bool


class Accesses(Struct, frozen=True):
    """What is known of a program's accesses. Steps are known by their identity.

    `solo` are the nodes of the first thread where nobody else has begun. `loaders` and `storers` are threads that
    access a cell elsewhere, `users` those that do anywhere. `fixed` are cells that have one value, `loaded` those that
    are read at all. `arbitrary` are cells whose arbitrary first value may be read.
    """

    found: Found
    of: Mapping[int, Access]
    solo: frozenset[Node]
    loaders: Mapping[int, frozenset[int]]
    storers: Mapping[int, frozenset[int]]
    fixed: Mapping[int, int]
    arbitrary: frozenset[int]
    loaded: frozenset[int]
    users: Mapping[int, frozenset[int]]


def accesses(threads: Sequence[Thread], where: Layout) -> Accesses:
    """The accesses of all threads."""
    solo = _solo(threads[0])
    arbitrary = frozenset[int]()
    while True:
        found = constants(threads, where, arbitrary)
        of = {id(s): a for t in threads for s in t.graph.steps if (a := _access(s, t.number, found)) is not None}
        loaders, storers = _who(threads, of, solo)
        more = arbitrary | _read_first(threads, of, loaders, storers, solo, where)
        if more == arbitrary:
            break
        arbitrary = more
    fixed = {a: v for a, vs in found.cells.items() if len(vs) == 1 and (v := next(iter(vs))) is not OTHER}
    loaded, users = set[int](), dict[int, frozenset[int]]()
    for thread in threads:
        for step in thread.graph.steps:
            if (access := of.get(id(step))) is not None:
                loaded |= set() if access.writes else set(access.cells)
                for cell in access.cells:
                    users[cell] = users.get(cell, frozenset()) | {thread.number}
    return Accesses(found, of, solo, loaders, storers, fixed, arbitrary, frozenset(loaded), users)


def _access(step: Step, thread: int, found: Found) -> Access | None:
    match step.op:
        case Load(_, address, key, _) | Store(address, _, key, _):
            values = evaluate(address, found, thread)
            cells = tuple(targets(values, key, found.layout))
            return Access(cells, values == frozenset(cells), isinstance(step.op, Store))
        case _:
            return None


def _solo(first: Thread) -> frozenset[Node]:
    """Where no thread has been created: what no creation leads to."""
    steps = outgoing(first.graph.steps)
    successors = {n: [s.target for s in out] for n, out in steps.items()}
    created = [s.target for s in first.graph.steps if isinstance(s.op, Store) and base(THREADS) in s.op.address.free]
    after = reachable(created, successors)
    return frozenset(n for n in reachable((first.graph.entry,), successors) if n not in after)


def is_solo(thread: Thread, step: Step, solo: frozenset[Node]) -> bool:
    """Whether nobody else runs at the step."""
    return thread.number == 1 and step.source in solo


def _who(
    threads: Sequence[Thread], of: Mapping[int, Access], solo: frozenset[Node]
) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """By cell the threads that load and that store it while others may run."""
    tables = dict[int, frozenset[int]](), dict[int, frozenset[int]]()
    for thread in threads:
        for step in thread.graph.steps:
            access = of.get(id(step))
            if access is not None and not is_solo(thread, step, solo):
                table = tables[access.writes]
                for cell in access.cells:
                    table[cell] = table.get(cell, frozenset()) | {thread.number}
    return tables


def _read_first(
    threads: Sequence[Thread],
    of: Mapping[int, Access],
    loaders: Mapping[int, frozenset[int]],
    storers: Mapping[int, frozenset[int]],
    solo: frozenset[Node],
    where: Layout,
) -> frozenset[int]:
    """Cells of activations and allocations whose arbitrary first value may be read."""
    result = set[int]()
    for thread in threads:
        owned = frozenset(a for a, p in where.places.items() if p.cell.initial is None and is_owned(p, thread))
        if not owned:
            continue
        shared = frozenset(
            a for a in owned if (loaders.get(a, frozenset()) | storers.get(a, frozenset())) - {thread.number}
        )

        def read(step: Step, thread: Thread = thread, shared: frozenset[int] = shared) -> Iterable[int]:
            access = of.get(id(step))
            if access is None:
                return ()
            own = () if access.writes else access.cells
            seen = access.writes and (not is_solo(thread, step, solo) or base(THREADS) in _free(step))
            return (*own, *(shared - frozenset(access.cells if access.sure else ()) if seen else ()))

        def killed(step: Step) -> Iterable[int]:
            access = of.get(id(step))
            return (
                access.cells if access is not None and access.writes and access.sure and len(access.cells) == 1 else ()
            )

        after = live(thread.graph.steps, thread.graph.entry, read, killed)
        result |= after.get(thread.graph.entry, frozenset()) & owned
        for step in thread.graph.steps:
            if isinstance(step.op, Live):
                result |= after.get(step.target, frozenset()) & _cells(step.op.name, where) & owned
    return frozenset(result)


def is_owned(place: Place, thread: Thread) -> bool:
    """Whether the object of a place belongs to an activation of the thread or was allocated by it."""
    return place.object.storage is not Storage.STATIC and place.object.name.startswith(f"{thread.name}.")


def _free(step: Step) -> frozenset[object]:
    assert isinstance(step.op, Store)
    return frozenset(step.op.address.free)


def _cells(name: str, where: Layout) -> frozenset[int]:
    return frozenset(a for a, p in where.places.items() if p.object.name == name)


def seen_by_others(cell: int, thread: int, writes: bool, known: Accesses) -> bool:
    """Whether an access of a cell by a thread, while others may run, is one that others see or can disturb."""
    if cell in known.fixed or cell not in known.loaded:
        return False
    others = known.storers.get(cell, frozenset()) | (known.loaders.get(cell, frozenset()) if writes else frozenset())
    return bool(others - {thread})
