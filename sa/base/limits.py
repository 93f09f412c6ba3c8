"""Limits of a run: wall clock and memory. A limit that is hit can only end in UNKNOWN."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.verdict import Reason


class Limits(Struct, frozen=True):
    """`deadline` on the monotonic clock in seconds, `memory` of the process in bytes; None for no limit.

    Within a round, `horizon` is the time when that will be over, infinity for the last one. Shares are parts of it, so
    that a deadline that comes earlier ends the work and does not change its order.
    """

    deadline: float | None = None
    memory: int | None = None
    horizon: float | None = None


class LimitReached(Exception):
    """A limit was hit or the user interrupted. Carries the Reason; never an answer."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Unsupported(LimitReached):
    """A construct is outside of what a procedure handles: what it is, in words. Only ever UNKNOWN, as with a limit.

    Raised where a member of a closed union (a sort, a term) is not handled, instead of taking it for another one.
    """

    def __init__(self, what: str) -> None:
        super().__init__(Reason.UNSUPPORTED)
        self.what = what


def limits(timeout: float | None, memory: int | None) -> Limits:
    """Limits that start now: `timeout` in seconds, `memory` in bytes."""
    return Limits(None if timeout is None else time.monotonic() + timeout, memory)


def remaining(bounds: Limits) -> float | None:
    """Seconds left, never negative; None without a deadline."""
    return None if bounds.deadline is None else max(0.0, bounds.deadline - time.monotonic())


def share(bounds: Limits, part: float) -> Limits:
    """The same limits, but for a deadline when that part of what is left, of a round in one, will be over."""
    if bounds.horizon is not None:
        now = time.monotonic()
        return _until(bounds, now + part * max(0.0, bounds.horizon - now))
    seconds = remaining(bounds)
    return bounds if seconds is None else replace(bounds, deadline=time.monotonic() + part * seconds)


def soon(bounds: Limits, seconds: float) -> Limits:
    """The same limits, within a round that is over after so many seconds on the wall."""
    return _until(bounds, time.monotonic() + seconds)


def _until(bounds: Limits, horizon: float) -> Limits:
    """The same limits within a round that is over then, if the deadline does not come first."""
    if horizon == inf:
        return replace(bounds, horizon=inf)
    return replace(bounds, horizon=horizon, deadline=min(horizon, inf if bounds.deadline is None else bounds.deadline))


def check_time(bounds: Limits) -> None:
    """Raise LimitReached when the deadline has passed."""
    if bounds.deadline is not None and time.monotonic() >= bounds.deadline:
        raise LimitReached(Reason.TIMEOUT)


def check_memory(bounds: Limits) -> None:
    """Raise LimitReached when the process is or was larger than allowed."""
    if bounds.memory is not None and peak_memory() >= bounds.memory:
        raise LimitReached(Reason.MEMORY)


def peak_memory() -> int:
    """The largest size that the process has had, in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


#: A machine that is busier than this is taken for one that is as busy as this.
_SLOWEST = 16.0


class Pace(Struct, frozen=True):
    """How fast a process gets on beside others: the clocks, monotonic and of its processor time, at some moment."""

    began: float = field(default_factory=time.monotonic)
    worked: float = field(default_factory=time.process_time)

    def soon(self, bounds: Limits, seconds: float) -> Limits:
        """The same limits, within a round of about so many seconds of processor time from now on.

        The solver knows the clock on the wall only, so what counts is how much more of that has gone by since the
        pace was taken.
        """
        passed, spent = time.monotonic() - self.began, time.process_time() - self.worked
        slower = min(_SLOWEST, max(1.0, passed / spent)) if spent > 0.0 else 1.0
        return soon(bounds, slower * seconds)


@contextmanager
def part_of(whole: Limits, part: float) -> Iterator[Limits]:
    """Limits with that part, in (0, 1], of the time that is left; to use it up ends the block and nothing else.

    Raises LimitReached where the whole is at its end, or for other reasons than time.
    """
    own = share(whole, part)
    try:
        yield own
    except LimitReached as limit:
        if limit.reason is not Reason.TIMEOUT or own.deadline == whole.deadline:
            raise
        check_time(whole)
