"""`sacheck` with a solver that misbehaves: `python -m tests.cli.stubborn MANNER COMMAND ...`, for the tests of limits.

Every question that reaches the solver makes a file `reached-PID` and begins what the manner says. The first `FREE`
questions (an environment variable) are answered as usual.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import z3

from sa.base.limits import LimitReached
from sa.cli.main import main

#: With these functions Python's lock is kept, so that no other thread of the process runs.
_KEEPING = ctypes.PyDLL(None)
_LETTING_GO = ctypes.CDLL(None)


def _deaf() -> None:
    """Take very long, hear no signals, let other threads run."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    _LETTING_GO.sleep(1000)
    _deaf()


def _fragile() -> None:
    """Take very long, and break when interrupted."""
    try:
        _LETTING_GO.sleep(1000)
    except LimitReached:
        raise RuntimeError("half made") from None


def _dead() -> None:
    """Take very long and let nobody else do anything."""
    _KEEPING.sleep(1000)
    _dead()


def _hungry() -> None:
    """Take more and more memory."""
    taken = list[object]()
    while True:
        taken.append([None] * 100_000)


def _greedy() -> None:
    """Take more and more memory in a single call."""
    len(bytearray(b"x") * 2**33)


def _gone() -> None:
    """End the process as solvers do that run out of memory."""
    os._exit(101)


def _crashing() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _forking() -> None:
    """Start a process that takes very long and hears nothing, and wait for it."""
    if os.fork() == 0:
        _deaf()
    _LETTING_GO.sleep(1000)


def _counted() -> None:
    """Misbehave a little only."""
    os.write(2, b"?")


MANNERS: dict[str, Callable[[], None]] = {
    "deaf": _deaf,
    "fragile": _fragile,
    "dead": _dead,
    "hungry": _hungry,
    "greedy": _greedy,
    "gone": _gone,
    "crashing": _crashing,
    "forking": _forking,
    "counted": _counted,
}


def _stubborn(manner: str, free: int) -> None:
    usual = z3.Solver.check

    def check(self: Any, *assumptions: Any) -> Any:
        nonlocal free
        free -= 1
        if free < 0:
            Path(f"reached-{os.getpid()}").touch()
            MANNERS[manner]()
        return usual(self, *assumptions)

    z3.Solver.check = check


if __name__ == "__main__":
    _stubborn(sys.argv.pop(1), int(os.environ.get("FREE", "0")))
    main()
