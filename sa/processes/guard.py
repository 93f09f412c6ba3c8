"""Limits of the whole process and Ctrl-C, as exceptions in the main thread: for what needs no worker, or has none.

The engine watches its own limits and ends with what it knows; this guard stops what does not watch,
such as reading a huge file, a little later. It cannot stop the solver in the middle of a question: for that
there are workers. Where the system has no interval timers the engine's own watch is all there is.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import NoReturn

from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, peak_memory
from sa.base.verdict import Reason

_TICK = 0.1
#: Whether the system can wake the process up regularly.
_TICKS = hasattr(signal, "setitimer")


@contextmanager
def guarded(timeout: float | None, memory: int | None, grace: float = 0.0) -> Iterator[None]:
    """Within it, Ctrl-C and limits exceeded for `grace` seconds or by a tenth raise LimitReached.

    `timeout` in seconds from now, `memory` in bytes; None for no limit.
    """
    deadline = None if timeout is None else monotonic() + timeout + grace
    most = None if memory is None else int(memory * (1.1 if grace else 1.0))

    stopped_at: float | None = None
    reached: Reason | None = None

    def stop(reason: Reason) -> NoReturn:
        nonlocal reached
        reached = reason
        raise LimitReached(reason)

    def interrupted(signum: int, frame: FrameType | None) -> None:
        nonlocal stopped_at
        if stopped_at is None:
            stopped_at = monotonic()
            if _TICKS:
                signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        stop(Reason.INTERRUPTED)

    def tick(signum: int, frame: FrameType | None) -> None:
        # The first time may have been in the middle of something that swallows exceptions.
        if stopped_at is not None and monotonic() >= stopped_at + grace:
            stop(Reason.INTERRUPTED)
        if deadline is not None and monotonic() >= deadline:
            stop(Reason.TIMEOUT)
        if most is not None and peak_memory() > most:
            stop(Reason.MEMORY)

    before = signal.signal(signal.SIGINT, interrupted)
    if _TICKS:
        signal.signal(signal.SIGALRM, tick)
        if deadline is not None or most is not None:
            signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    try:
        with _quiet_once(lambda: reached is not None):
            yield
    except (InputError, LimitReached):
        raise
    except Exception as broken:
        # Libraries do not survive an interrupt in one piece.
        if reached is None:
            raise
        raise LimitReached(reached) from broken
    finally:
        if _TICKS:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGINT, before)


@contextmanager
def _quiet_once(reached: Callable[[], bool]) -> Iterator[None]:
    """Within it nothing is printed, once a limit is reached, about exceptions where nothing can be raised.

    The limit itself is noticed again at the next tick, and what it left half made is nothing to tell.
    """
    hook = sys.unraisablehook
    sys.unraisablehook = lambda swallowed: None if reached() else hook(swallowed)
    try:
        yield
    finally:
        sys.unraisablehook = hook


@contextmanager
def undisturbed(last: bool = False) -> Iterator[None]:
    """Within it no limit and no Ctrl-C stops the process: an answer that is being written is written whole.

    The second Ctrl-C does, for the reader may never read on. After the `last` text nothing is looked at any more, and
    what came meanwhile is dropped: there is nothing left to be stopped.
    """
    # Signals come to the main thread only.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting = 0

    def later(signum: int, frame: FrameType | None) -> None:
        nonlocal waiting
        waiting += 1
        if waiting > 1 and callable(interrupted):
            interrupted(signum, frame)

    interrupted = signal.signal(signal.SIGINT, later)
    # Not SIG_IGN: a timer whose signals are ignored may stop ticking.
    tick = signal.signal(signal.SIGALRM, lambda signum, frame: None) if _TICKS else None
    try:
        yield
    finally:
        if _TICKS and not last:
            signal.signal(signal.SIGALRM, tick)
        signal.signal(signal.SIGINT, interrupted)
        if waiting and not last:
            signal.raise_signal(signal.SIGINT)
