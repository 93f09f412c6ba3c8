"""Limits of the whole process and Ctrl-C, as exceptions in the main thread.

The engine watches its own limits and ends with what it knows; this guard stops what does not watch,
such as reading a huge file, a little later. Where the system has no interval timers the engine's own
watch is all there is.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from sa.base.limits import LimitReached
from sa.base.verdict import Reason
from sa.cli.options import Settings

_TICK = 0.1


@contextmanager
def guarded(settings: Settings, grace: float = 0.0) -> Iterator[None]:
    """Within it, Ctrl-C and limits exceeded for `grace` seconds or by a tenth raise LimitReached."""
    deadline = None if settings.timeout is None else monotonic() + settings.timeout + grace
    memory = None if settings.memory is None else int(settings.memory * 2**20 * (1.1 if grace else 1.0))

    def interrupted(signum: int, frame: FrameType | None) -> None:
        raise LimitReached(Reason.INTERRUPTED)

    def tick(signum: int, frame: FrameType | None) -> None:
        if deadline is not None and monotonic() >= deadline:
            raise LimitReached(Reason.TIMEOUT)
        if memory is not None and _peak_memory() > memory:
            raise LimitReached(Reason.MEMORY)

    before = signal.signal(signal.SIGINT, interrupted)
    ticking = hasattr(signal, "setitimer") and (deadline is not None or memory is not None)
    if ticking:
        signal.signal(signal.SIGALRM, tick)
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    try:
        yield
    finally:
        if ticking:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGINT, before)


def _peak_memory() -> int:
    """The largest size that the process has had, in bytes."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
