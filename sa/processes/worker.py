"""The process that does a command's work, so that it can be stopped whatever it is at (decision 006).

It hears from its supervisor when it is to stop. It then interrupts itself, which also the solver obeys mostly, and
ends with what it knows. If it is in the middle of something that obeys nothing, a second thread says what is known so
far and ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import NoReturn

from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached
from sa.base.verdict import EXIT_INTERNAL, Reason
from sa.processes.group import tell_all
from sa.processes.messages import ERR, OUT, STATUS, Channel, Stream

#: What the supervisor says, one byte each.
WORDS = {b"t": Reason.TIMEOUT, b"m": Reason.MEMORY, b"i": Reason.INTERRUPTED}

#: Seconds between two attempts to interrupt the work.
_AGAIN = 0.05


class _Work:
    """What the two threads know of each other: why to stop, and whether the work has ended in one way or another."""

    def __init__(self) -> None:
        self.reason: Reason | None = None
        self.ended = threading.Event()

    def interrupted(self, signum: int, frame: FrameType | None) -> None:
        """The handler of SIGINT; Ctrl-C reaches the worker too."""
        raise LimitReached(self.reason or Reason.INTERRUPTED)


def work(
    heard: int,
    channel: Channel,
    body: Callable[[], int],
    stopped: Callable[[Reason], int],
    finished: Callable[[Callable[[], int]], int],
    patience: Callable[[Reason], float],
) -> NoReturn:
    """Run the body and end the process; its output and its status go to the supervisor.

    `stopped` says what is known so far and why there is no more, `finished` turns every end of the body into a
    status, and after `patience` seconds a body that does not obey is given up.
    """
    status = EXIT_INTERNAL
    # A warning of the solver, of a process that the terminal does not count as its user's.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        sys.stdout, sys.stderr = Stream(channel, OUT, sys.stdout), Stream(channel, ERR, sys.stderr)
        state = _Work()
        args = (heard, state, channel, stopped, patience)
        threading.Thread(target=_obey, args=args, daemon=True).start()

        def guarded() -> int:
            with _interruptible(state):
                return body()

        def unraisable(swallowed: sys.UnraisableHookArgs) -> None:
            # What is interrupted where nothing can be raised, and what is left half made, is nothing to tell.
            if state.reason is None:
                sys.__unraisablehook__(swallowed)

        sys.unraisablehook = unraisable

        status = finished(guarded)
        channel.say(STATUS, str(status))
    finally:
        os._exit(status)


@contextmanager
def _interruptible(state: _Work) -> Iterator[None]:
    """Within it the worker can be interrupted; afterwards it is left alone to say what it has to say."""
    signal.signal(signal.SIGINT, state.interrupted)
    try:
        if state.reason is not None:
            raise LimitReached(state.reason)
        yield
    except (InputError, LimitReached):
        raise
    except Exception as broken:
        # Libraries, and modules that are just being imported, do not survive an interrupt in one piece.
        if state.reason is None:
            raise
        raise LimitReached(state.reason) from broken
    finally:
        signal.signal(signal.SIGINT, lambda signum, frame: None)
        state.ended.set()


def _obey(
    heard: int,
    state: _Work,
    channel: Channel,
    stopped: Callable[[Reason], int],
    patience: Callable[[Reason], float],
) -> None:
    """Wait for word from the supervisor, and see to it that the work stops."""
    word = os.read(heard, 1)
    if word not in WORDS:
        # Nobody is there any more, neither for those that this process started.
        tell_all(os.getpid(), signal.SIGKILL)
        os._exit(EXIT_INTERNAL)
    state.reason = reason = WORDS[word]
    until = monotonic() + patience(reason)
    # The engine watches the clock itself, and may be about to say what it knows.
    if reason is not Reason.TIMEOUT or not state.ended.wait(patience(reason) / 2):
        while not state.ended.is_set() and monotonic() < until:
            os.kill(os.getpid(), signal.SIGINT)
            state.ended.wait(_AGAIN)
    # An answer that is being written is written whole; if that takes too long the supervisor ends it.
    while not state.ended.is_set() and signal.getsignal(signal.SIGINT) != state.interrupted:
        state.ended.wait(_AGAIN)
    if state.ended.is_set():
        return
    status = EXIT_INTERNAL
    try:
        channel.take_over()
        status = stopped(reason)
        channel.say(STATUS, str(status))
    finally:
        os._exit(status)
