"""Watches the process that does a command's work: clock, memory, Ctrl-C, and whether it lives (decision 006).

What the worker says is passed on text by text. When a limit is reached the worker is told, has a short time to end
with what it knows, and is killed if it does not.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Protocol, TextIO

from sa.base.limits import Limits
from sa.base.verdict import Reason
from sa.processes.group import held, held_by_all, is_dead, lead, tell_all
from sa.processes.messages import ANSWERED, OUT, STATUS, Channel, listen
from sa.processes.worker import WORDS, work


class Stopped(Protocol):
    """Says what is known when a command is stopped, and returns the exit status."""

    def __call__(self, reason: Reason, detail: str = "") -> int: ...


class Write(Protocol):
    """Writes a text to a stream, to standard output if none is given."""

    def __call__(self, text: str, stream: TextIO | None = None) -> None: ...


_WORD = {reason: word for word, reason in WORDS.items()}

#: Seconds between two looks at the clock and at the memory; the second where the limit is near.
_LOOK, _LOOK_CLOSELY = 0.02, 0.004
#: The shares of the memory limit at which the worker is told, and at which it has no time to end by itself.
_LARGE, _TOO_LARGE = 0.97, 1.02
#: Seconds that a worker has for its files when its answer is written and the time is over.
_FILES = 5.0


def can_supervise() -> bool:
    """Whether the system can split a process in two."""
    return hasattr(os, "fork")


def patience(reason: Reason, seconds: float) -> float:
    """The seconds that a worker has to end with what it knows, before it is given up; `seconds` were allowed."""
    return 0.5 if reason is Reason.INTERRUPTED else max(0.08, min(0.03 * seconds, 1.0))


class _Watch:
    """Looks after one worker, and those that it starts, until it is over; then it says so at `dead`."""

    def __init__(self, pid: int, words: int, dead: int, bounds: Limits) -> None:
        self.pid = pid
        self.words = words
        self.dead = dead
        self.bounds = bounds
        self.reason: Reason | None = None
        self.writing = False
        self.end_at = float("inf")
        self.over = threading.Event()
        self.started = monotonic()

    def tell(self, reason: Reason) -> None:
        """Let the worker know that it is to stop; only the first reason counts. Called from a signal handler too."""
        if self.reason is not None:
            return
        self.reason = reason
        files = _FILES if self.writing and reason is Reason.TIMEOUT else 0.0
        self.end_at = monotonic() + 2 * patience(reason, monotonic() - self.started) + files
        with suppress(OSError):
            os.write(self.words, _WORD[reason])

    def write(self) -> None:
        """The worker has answered and goes on to write files, for which it has some seconds more."""
        self.writing = True
        if self.reason is Reason.TIMEOUT:
            self.end_at += _FILES

    def watch(self) -> None:
        """The supervisor's second thread. Signals are for the first: Python handles them in no other."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        pause = _LOOK
        while not self.over.wait(pause):
            if monotonic() >= self.end_at:
                tell_all(self.pid, signal.SIGKILL)
                break
            if is_dead(self.pid):
                break
            if self.bounds.deadline is not None and monotonic() >= self.bounds.deadline and self.reason is None:
                self.tell(Reason.TIMEOUT)
            if self.bounds.memory is not None:
                pause = self._weigh(self.bounds.memory)
        os.write(self.dead, b"!")

    def _weigh(self, allowed: int) -> float:
        used = held_by_all(os.getpid())
        if used >= _LARGE * allowed:
            self.tell(Reason.MEMORY)
        if used >= _TOO_LARGE * allowed:
            self.end_at = 0.0
        return _LOOK if used < 0.7 * allowed else _LOOK_CLOSELY


def supervise(
    bounds: Limits,
    body: Callable[[Limits], int],
    stopped: Stopped,
    finished: Callable[[Callable[[], int]], int],
    write: Write,
    one_document: bool,
) -> int:
    """Run the body in a worker and return its status. Raises OSError where no worker can be started.

    `stopped` is called, here or in the worker, where a limit ends the work; `finished` as in `work`. What the worker
    says goes to `write`. With `one_document` its last text for standard output is the only one, and is passed on at
    the end.
    """
    said, says = os.pipe()
    heard, words = os.pipe()
    over, dead = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    started = monotonic()
    pid = os.fork()
    # In both processes, since nobody knows which one is first.
    lead(pid)
    if pid == 0:
        for ours in (said, words, over, dead):
            os.close(ours)
        inside = _inside(bounds)
        work(
            heard,
            Channel(says),
            lambda: body(inside),
            stopped,
            finished,
            lambda reason: patience(reason, monotonic() - started),
        )
    os.close(says)
    os.close(heard)
    watch = _Watch(pid, words, dead, bounds)
    try:
        with _interrupts(watch):
            try:
                with _halts(pid):
                    status = _pass_on(said, over, watch, write, one_document)
            finally:
                # It may have ended well, and have left others behind.
                tell_all(pid, signal.SIGKILL)
                _, ended = os.waitpid(pid, 0)
            if status is None and watch.reason is not None:
                status = stopped(watch.reason)
            elif status is None:
                status = stopped(Reason.CRASHED, _death(ended))
    finally:
        for ours in (said, words, over, dead):
            os.close(ours)
    return status


def _inside(bounds: Limits) -> Limits:
    """The limits as the worker knows them: the supervisor needs some of the memory."""
    return bounds if bounds.memory is None else Limits(bounds.deadline, bounds.memory - held(os.getppid()))


@contextmanager
def _interrupts(watch: _Watch) -> Iterator[None]:
    """Within it Ctrl-C is told to the worker; the second time there is no more patience."""

    def interrupted(signum: int, frame: FrameType | None) -> None:
        if watch.reason is not None:
            watch.end_at = 0.0
        watch.tell(Reason.INTERRUPTED)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        # All is said: what is left is the end of this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _halts(pid: int) -> Iterator[None]:
    """Within it Ctrl-Z halts the worker and all that it started too: the terminal does not know of their group."""

    def halted(signum: int, frame: FrameType | None) -> None:
        tell_all(pid, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        tell_all(pid, signal.SIGCONT)

    before = signal.getsignal(signal.SIGTSTP)
    if before == signal.SIG_DFL:
        signal.signal(signal.SIGTSTP, halted)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


def _pass_on(said: int, over: int, watch: _Watch, write: Write, one_document: bool) -> int | None:
    """Write what the worker says; its status, None if it died before it had one."""
    thread = threading.Thread(target=watch.watch, daemon=True)
    thread.start()
    document, status, answered = "", None, ""
    try:
        for kind, text in listen(said, over):
            if kind == STATUS:
                status = int(text)
                break
            if kind == ANSWERED:
                answered = text
                if answered.partition(" ")[2]:
                    watch.write()
            elif kind != OUT:
                write(text, sys.stderr)
            elif one_document:
                document = text
            else:
                write(text)
    finally:
        watch.over.set()
        thread.join()
    if status is not None and document:
        write(document)
    if status is None and answered:
        # There is no second answer where one was given.
        number, _, why = answered.partition(" ")
        write(why, sys.stderr)
        return int(number)
    return status


def _death(ended: int) -> str:
    """How a worker died that nobody here killed, by what the system says of it."""
    if os.WIFSIGNALED(ended):
        number = os.WTERMSIG(ended)
        name = signal.Signals(number).name if number in {s.value for s in signal.Signals} else f"signal {number}"
        return f"it was ended by {name}"
    return f"it ended with status {os.WEXITSTATUS(ended)}"
