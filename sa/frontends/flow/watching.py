"""What steps do to a monitor for data races: they begin to watch, pass on what was seen, and find races.

The conditions and values are terms over the state before the step, as all on paths. What an access acquires counts
for itself, so that comes first; what it releases includes itself, so that comes last.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.flow.claims import manner
from sa.frontends.flow.cuts import Work
from sa.frontends.flow.graph import Load, Range, Step, Store, base
from sa.frontends.flow.joins import EARLY
from sa.frontends.flow.layout import element, is_at, location_of
from sa.frontends.flow.lives import Free, Recycle
from sa.frontends.flow.memory import is_early, racing_at
from sa.frontends.flow.monitor import ANY_THREAD, cells_at, ended, order_at
from sa.frontends.flow.naming import told
from sa.frontends.flow.orders import ACQUIRE, UPDATE, Lock, Order, Synchronise
from sa.frontends.flow.paths import Path, choice_of, now, with_value
from sa.frontends.flow.racing import conflict
from sa.frontends.flow.rows import changed
from sa.frontends.flow.simplify import simplified
from sa.terms import build
from sa.terms.term import Term, Var


class Race(Struct, frozen=True):
    """That a step races with the access that is watched: when it does, what it accesses and how, and since when."""

    guard: Term
    name: str
    how: str
    since: Var


def acquired(step: Step, address: Term, path: Path, work: Work) -> Path:
    """The path behind what a load acquires."""
    if work.names.monitor is None or not isinstance(step.op, Load) or step.op.order is None:
        return path
    return _acquired(step, address, work.known.of[id(step)].cells, step.op.order, path, work)


def watched(step: Step, address: Term, path: Path, work: Work) -> Iterator[Path]:
    """The paths behind an access that is watched or not."""
    if work.names.monitor is None:
        yield path
        return
    for chosen in (path, *_watching(step, address, path, work)):
        match step.op:
            case Store(order=order):
                yield _released(address, work.known.of[id(step)].cells, order, chosen, work)
            case Free():
                yield _passed(step, address, UPDATE, chosen, work)
            case _:
                yield chosen


def given(step: Step, path: Path, work: Work) -> Path:
    """The path on which memory is given out again: that happens after it was freed."""
    assert isinstance(step.op, Recycle)
    if work.names.monitor is None:
        return path
    return _passed(step, now(step.op.var, path, work), ACQUIRE, path, work)


def _passed(step: Step, address: Term, order: Order, path: Path, work: Work) -> Path:
    """The path behind what frees memory or gets some: the life of an object is the carrier."""
    where, monitor, seen = work.known.found.layout, work.names.monitor, dict(path.store)
    assert monitor is not None
    own = monitor.seen[work.thread.number]
    for first, life in where.lives.items():
        for head in monitor.heads.get(life, {}).values():
            here, carried = build.eq(address, build.integer(first)), seen.get(head, head)
            if order.acquires:
                seen[own] = _either(seen.get(own, own), build.land(here, build.eq(carried, build.ONE)))
            else:
                seen[head] = _either(carried, build.land(here, build.eq(seen.get(own, own), build.ONE)))
    return replace(path, store=seen)


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


def races(step: Step, address: Term, path: Path, work: Work) -> Iterator[Race]:
    """The races of an access with the one that is watched: they conflict, and the thread has not seen it."""
    monitor = work.names.monitor
    if monitor is None:
        return
    seen, state = monitor.seen[work.thread.number], path.store.get(monitor.watched, monitor.watched)
    unseen = build.eq(path.store.get(seen, seen), build.ZERO)
    for cell, here, index in racing_at(step, address, work):
        mine = work.known.racing.manners[id(step)]
        location = location_of(cell, work.known.found.layout)
        numbers = [n for (where, other), n in monitor.numbers.items() if where == location and conflict(mine, other)]
        conflicts = build.lor(*(build.eq(state, build.integer(n)) for n in numbers))
        same = build.TRUE if index is None else build.eq(path.store.get(monitor.element, monitor.element), index)
        guard = build.land(path.guard, simplified(build.land(conflicts, unseen, here, same)))
        if guard is not build.FALSE:
            yield Race(guard, told(work.known.found.layout.places[cell]), manner(*mine), monitor.watched)


def _watching(step: Step, address: Term, path: Path, work: Work) -> Iterator[Path]:
    """The paths on which an access begins to be watched; where a thread that is early does, others are from then on."""
    monitor = work.names.monitor
    assert monitor is not None
    state = path.store.get(monitor.watched, monitor.watched)
    for cell, here, index in racing_at(step, address, work):
        guard = build.land(path.guard, simplified(build.land(build.eq(state, build.ZERO), here)))
        if guard is build.FALSE:
            continue
        mine = work.known.racing.manners[id(step)]
        number = monitor.numbers[location_of(cell, work.known.found.layout), mine]
        store = {**path.store, monitor.watched: build.integer(number), monitor.seen[work.thread.number]: build.ONE}
        choices = path.choices
        if (column := work.known.found.layout.columns.get(cell)) is not None:
            # Where all of an array is freed, any of its elements is watched.
            chosen = choice_of(monitor.element, Range(0, column.count - 1), step.origin, work)
            choices = (*choices, chosen) if index is None else choices
            store[monitor.element] = chosen.var if index is None else index
        if is_early(step) and (early := _early(work)) is not None:
            store[early] = build.ONE
        yield replace(path, guard=guard, store=store, choices=choices)


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
