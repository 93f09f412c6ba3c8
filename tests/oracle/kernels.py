"""What the schedulers of the library do, as functions: the judge of their texts and of the expansion.

Written from the documents of the schedulers, not from the texts in `sa/language/schedulers`: SystemC's kernel (IEEE
1666, section 4.2) with its delta cycles and time; FairThreads with its instants; ready threads in any order, or by
priority.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace


class Ready(Struct, frozen=True):
    """The thread may be resumed."""


class Awaits(Struct, frozen=True):
    """The thread waits for an event."""

    event: int


class Sleeps(Struct, frozen=True):
    """The thread waits for time to pass; 0 is the next delta cycle."""

    delay: int


class Joins(Struct, frozen=True):
    """The thread waits for the end of another one."""

    thread: int


class Rests(Struct, frozen=True):
    """The thread waits for the next instant."""


class Over(Struct, frozen=True):
    """The thread has ended."""


Status: TypeAlias = Ready | Awaits | Sleeps | Joins | Rests | Over
READY, RESTS, OVER = Ready(), Rests(), Over()


class Yields(Struct, frozen=True):
    """`yield;`"""


class Waits(Struct, frozen=True):
    """`wait e;`"""

    event: int


class WaitsFor(Struct, frozen=True):
    """`wait for d;`"""

    delay: int


class Notifies(Struct, frozen=True):
    """`notify e;`, or `notify e in d;`"""

    event: int
    delay: int | None = None


class Cancels(Struct, frozen=True):
    """`cancel e;`"""

    event: int


class AsksToJoin(Struct, frozen=True):
    """`join T;`"""

    thread: int


Asked: TypeAlias = Yields | Waits | WaitsFor | Notifies | Cancels | AsksToJoin


class Kernel(Struct, frozen=True):
    """The scheduler's state.

    Attributes:
        name: which scheduler this is.
        threads: what each thread waits for.
        pending: SystemC: the delays of notified events.
        present: FairThreads: the events of this instant.
    """

    name: str
    threads: tuple[Status, ...]
    pending: tuple[tuple[int, int], ...] = ()
    present: frozenset[int] = frozenset()


def begun(name: str, threads: int) -> Kernel:
    """All threads are ready."""
    return Kernel(name, (READY,) * threads)


def resumable(kernel: Kernel) -> Iterator[int]:
    """The threads of which one is next."""
    ready = [t for t, status in enumerate(kernel.threads) if status == READY]
    yield from ready[:1] if kernel.name == "priority" else ready


def asked(kernel: Kernel, thread: int, what: Asked) -> tuple[Kernel, bool]:
    """The state behind a request, and whether the thread hands over."""
    match what:
        case Yields():
            ways: dict[str, Status] = {"fairthreads": RESTS, "systemc": Sleeps(0)}
            return _set(kernel, thread, ways.get(kernel.name, READY)), True
        case Waits(event):
            if event in kernel.present:
                return kernel, False
            return _set(kernel, thread, Awaits(event)), True
        case WaitsFor(delay):
            return _set(kernel, thread, Sleeps(delay)), True
        case Notifies(event, None):
            kept = tuple((e, d) for e, d in kernel.pending if e != event)
            present = kernel.present | {event} if kernel.name == "fairthreads" else kernel.present
            return replace(_woken(kernel, Awaits(event)), pending=kept, present=present), False
        case Notifies(event, delay):
            known = dict(kernel.pending)
            known[event] = min(delay, known.get(event, delay))
            return replace(kernel, pending=tuple(sorted(known.items()))), False
        case Cancels(event):
            return replace(kernel, pending=tuple((e, d) for e, d in kernel.pending if e != event)), False
        case AsksToJoin(other):
            if kernel.threads[other] == OVER:
                return kernel, False
            return _set(kernel, thread, Joins(other)), True
        case _:
            assert_never(what)


def ended(kernel: Kernel, thread: int) -> Kernel:
    """The state behind a thread's end."""
    return _woken(_set(kernel, thread, OVER), Joins(thread))


def advanced(kernel: Kernel) -> Kernel | None:
    """The next delta cycle, time or instant, where nobody is ready; None where there is none."""
    if READY in kernel.threads:
        return None
    if RESTS in kernel.threads:
        return replace(_woken(kernel, RESTS), present=frozenset())
    delays = [d for _, d in kernel.pending] + [s.delay for s in kernel.threads if isinstance(s, Sleeps)]
    if not delays:
        return None
    now = min(delays)
    for event, delay in kernel.pending:
        if delay == now:
            kernel = _woken(kernel, Awaits(event))
    kernel = _woken(kernel, Sleeps(now))
    threads = tuple(Sleeps(s.delay - now) if isinstance(s, Sleeps) else s for s in kernel.threads)
    return replace(kernel, threads=threads, pending=tuple((e, d - now) for e, d in kernel.pending if d != now))


def _set(kernel: Kernel, thread: int, status: Status) -> Kernel:
    return replace(kernel, threads=(*kernel.threads[:thread], status, *kernel.threads[thread + 1 :]))


def _woken(kernel: Kernel, waiting: Status) -> Kernel:
    return replace(kernel, threads=tuple(READY if s == waiting else s for s in kernel.threads))
