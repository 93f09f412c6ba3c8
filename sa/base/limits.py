"""Limits of a run: work, memory, and the clock that ends it. A limit that is hit can only end in UNKNOWN."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.verdict import Reason


class Work(Struct, eq=False):
    """The work of a run, in units, counted where it is done. All limits of a run share it.

    A unit is about what the machine of decision 032 does in a microsecond. What is counted is the same on any machine,
    however busy it is: questions by the solver's own resources, the rest by states, clauses, lemmas and joins. `cuts`
    are the shares, and shares of shares, that were used up: what somebody found is not all that there is to find then.
    """

    done: float = 0
    cuts: int = 0


class Limits(Struct, frozen=True):
    """What a piece of work may use.

    `deadline`, on the monotonic clock in seconds, ends the whole run and nothing else; `memory` is that of the process
    in bytes; None for no limit. `end` is how much is done when this piece's share is used up: infinity where it is to
    end by itself, None where work is not shared out yet.
    """

    deadline: float | None = None
    memory: int | None = None
    end: float | None = None
    work: Work = field(default_factory=Work)


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
    """The units that are left of a share, never negative; None where work is not shared out."""
    return None if bounds.end is None else max(0.0, bounds.end - bounds.work.done)


def seconds_left(bounds: Limits) -> float | None:
    """The seconds until the run is ended, never negative; None without a deadline. Nothing else may depend on it."""
    return None if bounds.deadline is None else max(0.0, bounds.deadline - time.monotonic())


def share(bounds: Limits, part: float) -> Limits:
    """The same limits, but for that part, in (0, 1], of the units that are left."""
    left = remaining(bounds)
    return bounds if left is None or left == inf else replace(bounds, end=bounds.work.done + part * left)


def sooner(bounds: Limits, part: float) -> Limits:
    """The same limits, but for that part, in (0, 1], of the seconds that are left: for one of several questions."""
    left = seconds_left(bounds)
    return bounds if left is None else replace(bounds, deadline=time.monotonic() + part * left)


def allot(bounds: Limits, units: float) -> Limits:
    """The same limits, for so many units from now on if so many are left."""
    return replace(bounds, end=min(bounds.work.done + units, inf if bounds.end is None else bounds.end))


def apart(bounds: Limits) -> Limits:
    """The same limits for work that is counted apart from theirs and has no end of its own: the checker's."""
    return Limits(bounds.deadline, bounds.memory)


def count(bounds: Limits, units: float) -> None:
    """Count work that is done. Whoever has done it says what came of it: limits are heard of by the next to spend."""
    bounds.work.done += units


def spend(bounds: Limits, units: float) -> None:
    """Count work that is done. Raises LimitReached as `check_limits` does."""
    bounds.work.done += units
    check_limits(bounds)


def check_limits(bounds: Limits) -> None:
    """Raise LimitReached when the run is over, or when the share of this piece of work is used up."""
    if bounds.deadline is not None and time.monotonic() >= bounds.deadline:
        raise LimitReached(Reason.TIMEOUT)
    if bounds.end is not None and bounds.work.done >= bounds.end:
        bounds.work.cuts += 1
        raise LimitReached(Reason.WORK)


def is_over(bounds: Limits) -> bool:
    """Whether `check_limits` would raise LimitReached."""
    return remaining(bounds) == 0.0 or seconds_left(bounds) == 0.0


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


@contextmanager
def part_of(whole: Limits, part: float) -> Iterator[Limits]:
    """Limits with that part, in (0, 1], of the units that are left; to use it up ends the block and nothing else.

    Raises LimitReached where the whole is at its end, or for other reasons than work.
    """
    try:
        yield share(whole, part)
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        check_limits(whole)
