"""Where the time of an engine goes: the solver, and each kind of obligation. Nothing is timed unless asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from time import perf_counter
from typing import TypeAlias


class Part(Enum):
    """What is timed."""

    SOLVER = "solver"
    OBLIGATION = "obligation"


#: Hears of a part of the work, of which kind it was, and the seconds that it took.
Meter: TypeAlias = Callable[[Part, str, float], None]

_METER: ContextVar[Meter | None] = ContextVar("METER", default=None)


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Within it the meter hears of all that is timed."""
    token = _METER.set(meter)
    try:
        yield
    finally:
        _METER.reset(token)


@contextmanager
def timed(part: Part, kind: str) -> Iterator[None]:
    """The meter, where there is one, hears how long the work inside takes, however it ends."""
    meter = _METER.get()
    if meter is None:
        yield
        return
    started = perf_counter()
    try:
        yield
    finally:
        meter(part, kind, perf_counter() - started)
