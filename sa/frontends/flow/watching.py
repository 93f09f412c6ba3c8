"""What steps do to a monitor for data races: they begin to watch, pass on what was seen, and find races.

The conditions and values are terms over the state before the step, as all on paths. What an access acquires counts
for itself, so that comes first; what it releases includes itself, so that comes last.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.flow.access import Access
from sa.frontends.flow.claims import manner
from sa.frontends.flow.cuts import Work, may_race
from sa.frontends.flow.graph import Load, Lock, Step, Store, base
from sa.frontends.flow.heap import JOINED
from sa.frontends.flow.joins import EARLY
from sa.frontends.flow.layout import element, is_at, location_of
from sa.frontends.flow.monitor import ANY_THREAD, Monitor, cells_at, ended, order_at
from sa.frontends.flow.naming import told
from sa.frontends.flow.orders import Order, Synchronise
from sa.frontends.flow.paths import Path, with_value
from sa.frontends.flow.racing import conflict
from sa.frontends.flow.rows import changed
from sa.frontends.flow.simplify import simplified
from sa.terms import build
from sa.terms.term import Term, Var


class Race(Struct, frozen=True):
    """That a step races with the access that is watched: the path on which it does, what it accesses, and how."""

    path: Path
    name: str
    how: str


def observed(step: Step, address: Term, access: Access, path: Path, work: Work) -> Iterator[Path | Race]:
    """What becomes of an access where races are watched for: those with what is watched, and the paths behind it."""
    if work.names.monitor is None:
        yield path
        return
    assert isinstance(step.op, Load | Store)
    order = step.op.order
    if isinstance(step.op, Load) and order is not None:
        path = _acquired(step, address, access.cells, order, path, work)
    yield from _races(step, address, access, path, work)
    for chosen in (path, *_watching(step, address, access, path, work)):
        yield chosen if isinstance(step.op, Load) else _released(address, access.cells, order, chosen, work)


def _acquired(step: Step, address: Term, cells: tuple[int, ...], order: Order, path: Path, work: Work) -> Path:
    """The path behind reading from carriers."""
    monitor = work.names.monitor
    assert monitor is not None
    seen = monitor.seen[work.thread.number]
    met = monitor.met.get(work.thread.number)
    into = seen if order.acquires else met if isinstance(step.op, Load) else None
    if into is None:
        return path
    store = dict(path.store)
    for cell in cells:
        here = _is_meant(address, cell, cells, work)
        for head in monitor.heads.get(cell, {}).values():
            carried = _read(store.get(head, head), address, cell, work)
            store[into] = _either(store.get(into, into), build.land(here, build.eq(carried, build.ONE)))
    return replace(path, store=store)


def _released(address: Term, cells: tuple[int, ...], order: Order | None, path: Path, work: Work) -> Path:
    """The path behind a store to carriers; a plain one, without an order, only ends what others have released."""
    monitor, thread = work.names.monitor, work.thread.number
    assert monitor is not None
    store = dict(path.store)
    seen, last = monitor.seen[thread], monitor.fenced.get(thread)
    given: Term = build.ZERO
    if order is not None and order.releases:
        given = store.get(seen, seen)
    elif order is not None and last is not None:
        given = store.get(last, last)
    for cell in ended(cells, order, work.known.found.layout):
        heads = monitor.heads.get(cell, {})
        own = thread if thread in heads else ANY_THREAD
        here = _is_meant(address, cell, cells, work)
        for key, head in heads.items():
            carried = store.get(head, head)
            before = _read(carried, address, cell, work)
            goes_on = order is not None and order.updates
            goes_on |= key == own == thread and not (order is not None and order.releases)
            new = given if key == own else build.ZERO
            if goes_on:
                new = _either(before, build.eq(new, build.ONE))
            column = work.known.found.layout.columns.get(cell)
            store[head] = changed(carried, address, here, new, column)
    return replace(path, store=store)


def fenced(order: Order, path: Path, work: Work) -> Path:
    """The path behind a fence: it acquires what was read before, and what is written behind it releases."""
    monitor, thread = work.names.monitor, work.thread.number
    if monitor is None:
        return path
    store, seen = path.store, monitor.seen[thread]
    if order.acquires and (met := monitor.met.get(thread)) is not None:
        more = build.eq(store.get(met, met), build.ONE)
        store = with_value(store, seen, _either(store.get(seen, seen), more))
    if order.releases and (last := monitor.fenced.get(thread)) is not None:
        store = with_value(store, last, store.get(seen, seen))
    return replace(path, store=store)


def synchronised(op: Lock | Synchronise, address: Term, step: Step, path: Path, work: Work) -> Path:
    """The path behind an operation on an object of the library."""
    if work.names.monitor is None:
        return path
    order, cells = order_at(op), cells_at(op, work.thread.number, work.known)
    if order.acquires:
        path = _acquired(step, address, cells, order, path, work)
    return _released(address, cells, order, path, work) if order.releases else path


def _races(step: Step, address: Term, access: Access, path: Path, work: Work) -> Iterator[Race]:
    """When an access races with the one that is watched: they conflict, and the thread has not seen it."""
    monitor = work.names.monitor
    assert monitor is not None
    seen, watched = monitor.seen[work.thread.number], path.store.get(monitor.watched, monitor.watched)
    unseen = build.eq(path.store.get(seen, seen), build.ZERO)
    mine = work.known.racing.manners[id(step)]
    for cell in access.cells:
        if not may_race(step, cell, work):
            continue
        location = location_of(cell, work.known.found.layout)
        met = [n for (where, manner), n in monitor.numbers.items() if where == location and conflict(mine, manner)]
        conflicts = build.lor(*(build.eq(watched, build.integer(n)) for n in met))
        here = _is_meant(address, cell, access.cells, work)
        condition = simplified(build.land(conflicts, unseen, here, _same(address, cell, path, monitor, work)))
        guard = build.land(path.guard, condition)
        if guard is not build.FALSE:
            name = told(work.known.found.layout.places[cell])
            yield Race(replace(path, guard=guard), name, manner(*mine))


def _watching(step: Step, address: Term, access: Access, path: Path, work: Work) -> Iterator[Path]:
    """The paths on which an access begins to be watched; where a thread that is early does, others are from then on."""
    monitor = work.names.monitor
    assert monitor is not None
    watched = path.store.get(monitor.watched, monitor.watched)
    mine = work.known.racing.manners[id(step)]
    for cell in access.cells:
        if not may_race(step, cell, work):
            continue
        here = _is_meant(address, cell, access.cells, work)
        guard = build.land(path.guard, simplified(build.land(build.eq(watched, build.ZERO), here)))
        if guard is build.FALSE:
            continue
        number = monitor.numbers[location_of(cell, work.known.found.layout), mine]
        store = {**path.store, monitor.watched: build.integer(number), monitor.seen[work.thread.number]: build.ONE}
        if (column := work.known.found.layout.columns.get(cell)) is not None:
            store[monitor.element] = element(address, column)
        if isinstance(step.op, Load | Store) and step.op.wrong == JOINED and (early := _early(work)) is not None:
            store[early] = build.ONE
        yield replace(path, guard=guard, store=store)


def _same(address: Term, cell: int, path: Path, monitor: Monitor, work: Work) -> Term:
    """That the element that is accessed is the one that is watched."""
    column = work.known.found.layout.columns.get(cell)
    if column is None:
        return build.TRUE
    return build.eq(path.store.get(monitor.element, monitor.element), element(address, column))


def _early(work: Work) -> Var | None:
    """The variable that says that the first thread was early."""
    number = work.known.found.layout.addresses.get(base(EARLY))
    return None if number is None else work.names.cells.get(number)


def _is_meant(address: Term, cell: int, cells: tuple[int, ...], work: Work) -> Term:
    return is_at(address, cell, work.known.found.layout) if len(cells) > 1 else build.TRUE


def _read(carried: Term, address: Term, cell: int, work: Work) -> Term:
    column = work.known.found.layout.columns.get(cell)
    return carried if column is None else build.select(carried, element(address, column))


def _either(bit: Term, more: Term) -> Term:
    """The bit, or 1 where something holds."""
    return build.ite(simplified(more), build.ONE, bit)
