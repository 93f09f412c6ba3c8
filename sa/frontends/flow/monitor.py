"""A monitor for data races as happens-before defines them (C11 5.1.2.4p25), where reading does not always synchronise.

In each run one access, any or none, is *watched*. A thread has *seen* it if what the thread does next happens after
it: the thread that does it has, and seeing is passed on by what synchronises. Who then accesses the location in a
conflicting manner without having seen it races with it. The bits are all 0 until an access is watched.

What passes seeing on is a *carrier*: a cell that some thread acquires and another one releases. Of an atomic one it is
carried by the release sequences that go on (5.1.2.4p10): any other store ends those of other threads, but not its own.
So a thread that both releases a cell and stores to it otherwise has a bit of its own there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Accesses, is_solo
from sa.frontends.flow.graph import Load, Step, Store
from sa.frontends.flow.layout import Layout, cell_at
from sa.frontends.flow.lives import Free, Recycle
from sa.frontends.flow.orders import ACQUIRE, RELAXED, UPDATE, Act, Fence, Lock, Order, Synchronise
from sa.frontends.flow.racing import Manner, is_internal
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, evaluate
from sa.terms import build
from sa.terms.sort import ArraySort
from sa.terms.term import Term, Var

#: The release sequences of all threads that have no bit of their own at a cell.
ANY_THREAD = 0


class Monitor(Struct, frozen=True):
    """The variables of a monitor.

    `watched` is the number of a watched access: `numbers` are those of locations and manners. Of an array it is the
    `element`. By thread there is whether it has `seen` that access, had seen it at its last release fence (`fenced`),
    and has read what carries it without acquiring that (`met`); by cell and thread what carriers carry (`heads`).
    """

    watched: Var
    numbers: Mapping[tuple[int, Manner], int]
    element: Var
    seen: Mapping[int, Var]
    fenced: Mapping[int, Var]
    met: Mapping[int, Var]
    heads: Mapping[int, Mapping[int, Var]]


class Carrying(NamedTuple):
    """What a thread does at a cell that may carry something; a store `restarts` release sequences, or goes on."""

    cell: int
    thread: int
    acquires: bool
    releases: bool
    heads: bool
    restarts: bool


def is_needed(threads: Sequence[Thread], known: Accesses) -> bool:
    """Whether something can be read without synchronising with who wrote it, where something may race.

    Everywhere else a race is there if and only if two accesses can be next to each other (docs/THEORY.md, section 14).
    """
    return bool(known.racing.may) and any(
        _is_weak(s, t, known) for t in threads for s in t.graph.steps if not is_solo(t, s, known.running)
    )


def _is_weak(step: Step, thread: Thread, known: Accesses) -> bool:
    match step.op:
        case Load(order=Order(acquires=False)):
            return any(known.storers.get(c, frozenset()) - {thread.number} for c in known.of[id(step)].cells)
        case Store(order=Order(releases=False)):
            return any(known.loaders.get(c, frozenset()) - {thread.number} for c in known.of[id(step)].cells)
        case Lock(_, Act.TRY):
            return True
        case _:
            return False


def nothing_seen(monitor: Monitor | None) -> dict[Var, Term]:
    """The values of a monitor's variables before anything is watched."""
    if monitor is None:
        return {}
    bits = (*monitor.seen.values(), *monitor.fenced.values(), *monitor.met.values())
    heads = [v for own in monitor.heads.values() for v in own.values()]
    known = (monitor.watched, monitor.element, *bits, *heads)
    return {v: build.constant_array(v.sort, build.ZERO) if isinstance(v.sort, ArraySort) else build.ZERO for v in known}


def watchable(known: Accesses) -> Iterator[tuple[int, Manner]]:
    """The locations that may race, and how they are accessed."""
    for location in sorted(known.racing.may):
        for manner in sorted(known.racing.users[location]):
            yield location, manner


def fences_of(thread: Thread) -> Order:
    """What the fences of a thread do."""
    fences = [s.op.order for s in thread.graph.steps if isinstance(s.op, Fence)]
    return Order(any(f.acquires for f in fences), any(f.releases for f in fences))


def carriers(threads: Sequence[Thread], known: Accesses) -> dict[int, tuple[int, ...]]:
    """The cells that carry something, and whose release sequences have bits of their own there.

    Raises InputError where any number of threads would have some.
    """
    by_cell = dict[int, list[Carrying]]()
    for thread in threads:
        fences = fences_of(thread)
        for step in thread.graph.steps:
            for found in _carrying(step, thread, fences, known):
                by_cell.setdefault(found.cell, []).append(found)
    result = dict[int, tuple[int, ...]]()
    families = {t.number for t in threads if t.identity is not None}
    for cell, done in by_cell.items():
        releasing = {f.thread for f in done if f.releases}
        if not any(f.acquires and (releasing - {f.thread} or f.thread in families & releasing) for f in done):
            continue
        restarting = {f.thread for f in done if f.restarts}
        apart = {f.thread for f in done if f.heads} & restarting
        if apart & families:
            _refuse(next(t for t in threads if t.number in apart & families))
        others = (ANY_THREAD,) if releasing - apart else ()
        result[cell] = (*others, *sorted(apart))
    return result


def _refuse(thread: Thread) -> None:
    message = f"`{thread.name}`, of which there is any number, both releases and only stores an atomic variable"
    hint = "release it in every store"
    raise InputError((error("SA724", message, thread.graph.steps[0].origin.span, hint),))


def _carrying(step: Step, thread: Thread, fences: Order, known: Accesses) -> Iterator[Carrying]:
    """What a step does at carriers, in a thread that has such fences."""
    number = thread.number
    match step.op:
        case Load(order=Order(acquires=acquires)):
            for cell in known.of[id(step)].cells:
                yield Carrying(cell, number, acquires or fences.acquires, False, False, False)
        case Store(order=order):
            for cell in ended(known.of[id(step)].cells, order, known.found.layout):
                heads = order is not None and order.releases
                goes_on = order is not None and (order.releases or order.updates)
                goes_on |= is_solo(thread, step, known.running)
                yield Carrying(
                    cell, number, False, heads or (order is not None and fences.releases), heads, not goes_on
                )
        case Free() | Recycle():
            # Who gets memory that was freed happens after that (C11 7.22.3).
            frees = isinstance(step.op, Free)
            for cell in known.of[id(step)].cells:
                yield Carrying(cell, number, not frees, frees, frees, False)
        case Lock() | Synchronise():
            order = order_at(step.op)
            for cell in cells_at(step.op, number, known):
                yield Carrying(cell, number, order.acquires, order.releases, order.releases, False)
        case _:
            return


def ended(cells: Sequence[int], order: Order | None, where: Layout) -> tuple[int, ...]:
    """The cells of whose modification orders a store is part: what the library counts with is no atomic object."""
    return tuple(c for c in cells if order is not None or not is_internal(c, where))


def order_at(op: Lock | Synchronise) -> Order:
    """What an operation on an object of the library does: to look whether a lock is free does nothing."""
    if isinstance(op, Lock):
        return {Act.TAKE: ACQUIRE, Act.GIVE: UPDATE, Act.TRY: RELAXED}[op.act]
    return Order(op.order.acquires, op.order.releases, op.order.releases)


def cells_at(op: Lock | Synchronise, thread: int, known: Accesses) -> tuple[int, ...]:
    """The cells or columns that the address of an operation may mean."""
    values = evaluate(op.address, known.found, thread)
    cells = {cell_at(v, known.found.layout) for v in values if v is not OTHER}
    return tuple(sorted(c for c in cells if c is not None))
