"""Which cells each step of each thread accesses, and which of these accesses others can see.

An access is seen if another thread may, at the same time, access the same cell and one of the two writes. Others are
both-movers (Lipton): they may be joined with the step before them. Before the first thread is created nobody sees
anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.dataflow import forward
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.creations import NO_THREAD, OFFER, ROW, THREADS
from sa.frontends.flow.graph import Live, Load, Node, Step, Storage, Store, base, outgoing
from sa.frontends.flow.joins import EARLY
from sa.frontends.flow.layout import Layout, Place, cell_at, extent_of
from sa.frontends.flow.liveness import live
from sa.frontends.flow.lives import HOLDERS, Dead, Free, Freeable, Recycle, Track
from sa.frontends.flow.locks import Guarded, guarded
from sa.frontends.flow.racing import UNASKED, Concurrency, Racing, plainly, racing
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Found, constants, ended_by, pointed, recyclable, targets
from sa.frontends.flow.waiting import SPURIOUS
from sa.terms import build


class Access(Struct, frozen=True):
    """The cells that a step may be about; `sure`: it is about one of them. Of what is `beside` all may be read, too.

    That an object ends, or begins again, is a store to its life; that it may be used is read there.
    """

    cells: tuple[int, ...]
    sure: bool
    writes: bool
    beside: tuple[int, ...] = ()


#: Who uses a cell because something is claimed of it: no thread has this number.
CLAIM = 0


def touched(access: Access) -> Iterator[tuple[int, bool]]:
    """The cells of an access, and whether each of them is written."""
    yield from ((cell, access.writes) for cell in access.cells)
    yield from ((cell, False) for cell in access.beside)


#: Who may run at each node of the first thread, by the numbers of threads; of families negative ones, too.
Running: TypeAlias = Mapping[Node, frozenset[int]]


class Accesses(Struct, frozen=True):
    """What is known of a program's accesses. Steps are known by their identity.

    `running` are by node of the first thread the numbers of those who may run there. `loaders` and `storers` are
    threads that access a cell while others may run, `users` those that do at all; `meets` says, by cell and whether it
    is written, who may run while the first thread accesses it. `fixed` are cells that have one value, `loaded` those
    that are read at all. `arbitrary` are cells whose arbitrary first value may be read; that of `unset` ones is chosen
    when it is. What is `guarded` by locks is seen by nobody. Where races are asked for, it is known what is `racing`.
    """

    found: Found
    of: Mapping[int, Access]
    running: Running
    loaders: Mapping[int, frozenset[int]]
    storers: Mapping[int, frozenset[int]]
    meets: Mapping[tuple[int, bool], frozenset[int]]
    fixed: Mapping[int, int]
    arbitrary: frozenset[int]
    unset: frozenset[int]
    loaded: frozenset[int]
    users: Mapping[int, frozenset[int]]
    guarded: Guarded
    racing: Racing


def accesses(threads: Sequence[Thread], where: Layout, races: bool, lazy: bool) -> Accesses:
    """The accesses of all threads, and where `races` are asked for what may race.

    Where it is `lazy` an arbitrary first value is chosen when it is read.
    """
    arbitrary = frozenset[int]()
    while True:
        found = constants(threads, where, arbitrary)
        of = {id(s): a for t in threads for s in t.graph.steps if (a := _access(s, t.number, found)) is not None}
        running = _running(threads, of, where)
        loaders, storers = _who(threads, of, running, where)
        more = arbitrary | _read_first(threads, of, loaders, storers, running, where)
        if more == arbitrary:
            break
        arbitrary = more
    _stay(threads, found)
    fixed = {a: v for a, vs in found.cells.items() if len(vs) == 1 and (v := next(iter(vs))) is not OTHER}
    loaded, users = set[int](), dict[int, frozenset[int]]()
    for thread in threads:
        for step in thread.graph.steps:
            if (access := of.get(id(step))) is not None:
                beside = {*_extents(access, where), *access.beside}
                loaded |= beside if access.writes else {*access.cells, *beside}
                for cell in {*access.cells, *beside}:
                    users[cell] = users.get(cell, frozenset()) | _users(cell, thread, where)
    for thread in threads:
        for step in thread.graph.steps:
            # Who gives an object its first values uses it, even where others alone read them.
            for cell in _begun(step, where) & users.keys():
                users[cell] |= _users(cell, thread, where)
    for name in (EARLY, SPURIOUS):
        # Whatever goes wrong anywhere asks for the one, and the claim about deadlocks for the other.
        if (number := where.addresses.get(base(name))) is not None:
            loaded.add(number)
            # Where there is one thread, the claim is another user.
            users[number] = frozenset({CLAIM}).union(*map(numbers_of, threads))
    cells = {i: (*a.cells, *a.beside) for i, a in of.items()}
    # Who frees an object without its lock races with who uses it, lock or not.
    plain = plainly(threads, {i: a.cells for i, a in of.items()}, found) if races else {}
    locked = {i: (*cs, *(c for c in plain.get(i, ()) if c not in cs)) for i, cs in cells.items()}
    owned = guarded(threads, found, locked, lambda t, s: is_solo(t, s, running))
    together = Concurrency(running, lambda cell, thread: _users(cell, thread, where))
    raced = racing(threads, plain, where, together, owned) if races else UNASKED
    meets = _meets(threads[0], of, running)
    unset, used = arbitrary - where.columns.keys() if lazy else frozenset[int](), frozenset(loaded)
    return Accesses(found, of, running, loaders, storers, meets, fixed, arbitrary, unset, used, users, owned, raced)


def _extents(access: Access, where: Layout) -> set[int]:
    """The cells that say how long the arrays of an access are."""
    return {extent for c in access.cells if (extent := extent_of(c, where)) is not None}


def looked_at(threads: Sequence[Thread], where: Layout) -> tuple[Found, Mapping[int, Access], Running]:
    """A first look at a program: what values there are, what steps access, and who runs when."""
    found = constants(threads, where, frozenset())
    of = {id(s): a for t in threads for s in t.graph.steps if (a := _access(s, t.number, found)) is not None}
    return found, of, _running(threads, of, where)


def _stay(threads: Sequence[Thread], found: Found) -> None:
    """Addresses of what each copy of a family has for itself must not leave it: they are the same in all copies."""
    for thread in threads:
        if thread.identity is None:
            continue
        own = {a for a, p in found.layout.places.items() if is_own(p, thread)}
        values = {v for a, vs in found.cells.items() if a not in own for v in vs}
        if left := [n for v in values if v is not OTHER and (n := cell_at(v, found.layout)) in own]:
            where = found.layout.places[left[0] or 0].object
            message = f"the address of `{where.name.split('.', 1)[1]}` leaves a thread of which there is any number"
            raise InputError((error("SA714", message, where.origin.span),))


def _access(step: Step, thread: int, found: Found) -> Access | None:
    match step.op:
        case Load(_, address, key, _, among) | Store(address, _, key, _, among):
            values = pointed(address, among, found, thread)
            cells = tuple(targets(values, key, found.layout))
            sure = all(v is not OTHER and cell_at(v, found.layout) in cells for v in values)
            return Access(cells, sure, isinstance(step.op, Store), lives_of(step, cells, found.layout))
        case Free() | Freeable() | Dead():
            ended = ended_by(step.op, found, thread)
            lives = tuple(sorted(found.layout.lives[first] for first in ended & found.layout.lives.keys()))
            held = tuple(c for first in sorted(ended) for c in locks_in(first, found.layout))
            beside = () if isinstance(step.op, Dead) else (*lives, *held)
            return Access(() if isinstance(step.op, Freeable) else lives, len(ended) == 1, True, beside)
        case Recycle(_, name):
            lives = tuple(sorted(found.layout.lives[first] for first in recyclable(name, found.layout)))
            return Access(lives, False, True, lives)
        case Track():
            return Access((), True, False, (*found.layout.lives.values(), *leading(found)))
        case Live(name):
            life = found.layout.lives.get(found.layout.addresses[base(name)])
            return None if life is None else Access((life,), True, True)
        case _:
            return None


def lives_of(step: Step, cells: Iterable[int], where: Layout) -> tuple[int, ...]:
    """The lives of the objects that have the cells of a load or store, as far as they may have ended before.

    A variable is named in its own scope only, where it has not ended.
    """
    assert isinstance(step.op, Load | Store)
    named = {where.homes[where.addresses[v]][0] for v in step.op.address.free if v in where.addresses}
    firsts = {where.homes[c][0] for c in cells} - (named - where.allocated)
    return tuple(sorted(where.lives[first] for first in firsts & where.lives.keys()))


def leading(found: Found) -> tuple[int, ...]:
    """The static and allocated cells that may lead to allocated objects; what a thread was given is its own."""
    where = found.layout
    heads = {
        a for first in where.allocated for a in range(first, where.homes[first][1] + 1) if where.homes[a][0] == first
    }
    heads |= {n for n in where.columns if where.homes[n][0] in where.allocated}
    kept, given = (Storage.STATIC, Storage.HEAP), ("argument", "result")
    cells = ((n, p) for n, p in where.places.items() if p.object.storage in kept and p.cell.key not in given)
    return tuple(n for n, _ in cells if found.cells[n] & heads)


def locks_in(first: int, where: Layout) -> Iterator[int]:
    """The cells of an object that tell who holds a lock."""
    return (n for n in where.units[first] if where.places[n].cell.path.endswith(HOLDERS))


def _running(threads: Sequence[Thread], of: Mapping[int, Access], where: Layout) -> Running:
    """Who may run where the first thread is: those that it has created on some way there, and has not waited for, and
    those that always run.

    Where others create threads, or there is any number of them, all may run as soon as any does.
    """
    every = frozenset[int]().union(*map(numbers_of, threads[1:]))
    first = threads[0]
    steps = outgoing(first.graph.steps)
    others = any(_creates(s) and _is_start(s) for t in threads[1:] for s in t.graph.steps)

    def follow(node: Node, now: frozenset[int]) -> Iterator[tuple[Node, frozenset[int]]]:
        for step in steps.get(node, ()):
            after = now
            if _creates(step):
                after |= {_row(c, where) for c in of[id(step)].cells} or {_NOBODY}
            elif isinstance(step.op, Load) and step.op.wrong == NO_THREAD and not others:
                found = of[id(step)]
                after -= {_row(c, where) for c in found.cells} if found.sure and len(found.cells) == 1 else set()
            yield step.target, after

    running = forward({first.graph.entry: frozenset[int]()}, follow, frozenset.union)
    always = frozenset[int]().union(*(numbers_of(t) for t in threads[1:] if t.always))
    return {
        n: every if rows and (others or _NOBODY in rows) else always | {r + 1 for r in rows}
        for n, rows in running.items()
    }


#: The row of what is in none.
_NOBODY = -1


def _row(cell: int, where: Layout) -> int:
    """The row of a thread's cell; copies of families have none."""
    place = where.places[cell]
    return (cell - where.addresses[base(THREADS)]) // ROW if place.object.name == THREADS else _NOBODY


def _is_start(step: Step) -> bool:
    """Whether a store of a thread's state says that it runs."""
    return isinstance(step.op, Store) and step.op.key == "thread" and step.op.term is build.ONE


def is_solo(thread: Thread, step: Step, running: Running) -> bool:
    """Whether nobody else runs at the step."""
    return thread.number == 1 and not running.get(step.source)


def _meets(first: Thread, of: Mapping[int, Access], running: Running) -> dict[tuple[int, bool], frozenset[int]]:
    found = dict[tuple[int, bool], frozenset[int]]()
    for step in first.graph.steps:
        if (access := of.get(id(step))) is not None:
            for key in touched(access):
                found[key] = found.get(key, frozenset()) | running.get(step.source, frozenset())
    return found


def _who(
    threads: Sequence[Thread], of: Mapping[int, Access], running: Running, where: Layout
) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """By cell the threads that load and that store it while others may run."""
    tables = dict[int, frozenset[int]](), dict[int, frozenset[int]]()
    for thread in threads:
        for step in thread.graph.steps:
            access = of.get(id(step))
            if access is not None and not is_solo(thread, step, running):
                for cell, writes in touched(access):
                    table = tables[writes]
                    table[cell] = table.get(cell, frozenset()) | _users(cell, thread, where)
    return tables


def numbers_of(thread: Thread) -> frozenset[int]:
    """The thread's number; of a family a second one, for its copies are others to each other."""
    return frozenset({thread.number} if thread.identity is None else {thread.number, -thread.number})


def _users(cell: int, thread: Thread, where: Layout) -> frozenset[int]:
    """Each copy of a family has its own objects."""
    return frozenset({thread.number}) if is_own(where.places[cell], thread) else numbers_of(thread)


def _read_first(
    threads: Sequence[Thread],
    of: Mapping[int, Access],
    loaders: Mapping[int, frozenset[int]],
    storers: Mapping[int, frozenset[int]],
    running: Running,
    where: Layout,
) -> frozenset[int]:
    """Cells of activations and allocations whose arbitrary first value may be read."""
    result, bare = set[int](), frozenset(a for a, p in where.places.items() if p.cell.initial is None)
    for thread in threads:
        owned = frozenset(a for a in bare if is_owned(where.places[a], thread))
        if not owned:
            continue
        users = {a: (loaders.get(a, frozenset()) | storers.get(a, frozenset())) - {thread.number} for a in owned}
        shared = frozenset(a for a, others in users.items() if others)

        def read(
            step: Step,
            thread: Thread = thread,
            users: Mapping[int, frozenset[int]] = users,
            shared: frozenset[int] = shared,
        ) -> Iterable[int]:
            """What is read here, or by others who see that it is written here."""
            access = of.get(id(step))
            if access is None:
                return ()
            if not access.writes:
                return access.cells
            if thread.number > 1:
                return shared - frozenset(killed(step))
            there = running.get(step.target, frozenset())
            return frozenset(a for a in shared if users[a] & there) - frozenset(killed(step))

        def killed(step: Step) -> Iterable[int]:
            access = of.get(id(step))
            if access is None or not (access.writes and access.sure and len(access.cells) == 1):
                return ()
            return () if access.cells[0] in where.columns else access.cells

        after = live(thread.graph.steps, thread.graph.entry, read, killed)
        result |= after.get(thread.graph.entry, frozenset()) & owned
        for step in thread.graph.steps:
            result |= after.get(step.target, frozenset()) & _begun(step, where) & bare
    return frozenset(result)


def is_owned(place: Place, thread: Thread) -> bool:
    """Whether the object of a place belongs to an activation of the thread or was allocated by it."""
    return place.object.storage is not Storage.STATIC and place.object.name.startswith(f"{thread.name}.")


def is_own(place: Place, thread: Thread) -> bool:
    """Whether each copy of the thread has such an object; what copies allocate is one supply."""
    return is_owned(place, thread) and place.object.storage is not Storage.HEAP


def _creates(step: Step) -> bool:
    """Whether the step lets a thread begin."""
    return isinstance(step.op, Store) and any(
        v.name.startswith((f"&{THREADS}", f"&{OFFER}")) for v in step.op.address.free
    )


def _begun(step: Step, where: Layout) -> frozenset[int]:
    """The cells of the objects that may begin in a step."""
    match step.op:
        case Live(name):
            return _cells(name, where)
        case Recycle(_, name):
            return frozenset(n for first in recyclable(name, where) for n in where.units[first])
        case _:
            return frozenset()


def _cells(name: str, where: Layout) -> frozenset[int]:
    return frozenset(a for a, p in where.places.items() if p.object.name == name)


def disturbs(step: Step, known: Accesses) -> bool:
    """Whether an access of the first thread is of something that others may change, or see it change."""
    access = known.of.get(id(step))
    if access is None:
        return False
    return any(
        table.get(cell, frozenset()) - {1}
        for cell, writes in touched(access)
        for table in ((known.storers, known.loaders) if writes else (known.storers,))
    )


def seen_by_others(cell: int, thread: int, source: Node, writes: bool, known: Accesses) -> bool:
    """Whether an access of a cell by a thread, from a node, is one that others see or can disturb while they run."""
    if cell in known.fixed or cell not in known.loaded or cell in known.guarded.cells:
        return False
    others = known.storers.get(cell, frozenset()) | (known.loaders.get(cell, frozenset()) if writes else frozenset())
    if thread == 1:
        return bool((others - {1}) & known.running.get(source, frozenset()))
    met = known.meets.get((cell, True), frozenset())
    met |= known.meets.get((cell, False), frozenset()) if writes else frozenset()
    return bool(others - {1, thread}) or thread in met
