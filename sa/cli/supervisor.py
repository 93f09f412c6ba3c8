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
from typing import TYPE_CHECKING

from sa.base.limits import Limits
from sa.base.verdict import Reason
from sa.cli.output import write
from sa.cli.processes import below, held, held_by_all, is_dead, kill
from sa.cli.speech import OUT, STATUS, Speech, listen
from sa.cli.worker import WORDS, work

if TYPE_CHECKING:
    from sa.cli.session import Stopped

_WORD = {reason: word for word, reason in WORDS.items()}

#: Seconds between two looks at the clock and at the memory; the second where the limit is near.
_LOOK, _LOOK_CLOSELY = 0.02, 0.004
#: The shares of the memory limit at which the worker is told, and at which it has no time to end by itself.
_LARGE, _TOO_LARGE = 0.97, 1.02


def can_supervise() -> bool:
    """Whether the system can split a process in two."""
    return hasattr(os, "fork")


def patience(reason: Reason, seconds: float) -> float:
    """The seconds that a worker has to end with what it knows, before it is given up; `seconds` were allowed."""
    return 0.5 if reason is Reason.INTERRUPTED else max(0.08, min(0.03 * seconds, 1.0))


class _Watch:
    """Looks after one worker until it is over."""

    def __init__(self, pid: int, words: int, bounds: Limits) -> None:
        self.pid = pid
        self.words = words
        self.bounds = bounds
        self.reason: Reason | None = None
        self.end_at = float("inf")
        self.over = threading.Event()
        self.below = list[int]()
        self.started = monotonic()

    def tell(self, reason: Reason) -> None:
        """Let the worker know that it is to stop; only the first reason counts. Called from a signal handler too."""
        if self.reason is not None:
            return
        self.reason = reason
        self.end_at = monotonic() + 2 * patience(reason, monotonic() - self.started)
        with suppress(OSError):
            os.write(self.words, _WORD[reason])

    def watch(self) -> None:
        """The supervisor's second thread."""
        pause = _LOOK
        while not self.over.wait(pause):
            if monotonic() >= self.end_at:
                kill(self.pid)
                return
            if is_dead(self.pid):
                # What it started may hold the pipe that the supervisor listens to.
                for each in self.below:
                    kill(each)
                return
            self.below = below(self.pid)
            if self.bounds.deadline is not None and monotonic() >= self.bounds.deadline and self.reason is None:
                self.tell(Reason.TIMEOUT)
            if self.bounds.memory is not None:
                pause = self._weigh(self.bounds.memory)

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
    one_document: bool,
) -> int:
    """Run the body in a worker and return its status. Raises OSError where no worker can be started.

    `stopped` is called, here or in the worker, where a limit ends the work; `finished` as in `work`. With
    `one_document` the worker's last text for standard output is the only one, and is passed on at the end.
    """
    if bounds != Limits():
        # What both processes may have to say when there is no time left to import anything.
        import sa.report.json
        import sa.report.terminal  # noqa: F401
    said, says = os.pipe()
    heard, words = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    started = monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(said)
        os.close(words)
        inside = _inside(bounds)
        work(
            heard,
            Speech(says),
            lambda: body(inside),
            stopped,
            finished,
            lambda reason: patience(reason, monotonic() - started),
        )
    os.close(says)
    os.close(heard)
    watch = _Watch(pid, words, bounds)
    alive = True
    try:
        with _interrupts(watch):
            status = _pass_on(said, watch, one_document)
            if status is None and watch.reason is not None:
                status = stopped(watch.reason)
            elif status is None:
                death, alive = _death(pid), False
                status = stopped(Reason.CRASHED, death)
    finally:
        if alive:
            kill(pid)
            os.waitpid(pid, 0)
        os.close(said)
        os.close(words)
    return status


def _inside(bounds: Limits) -> Limits:
    """The limits as the worker knows them: the supervisor needs some of the memory."""
    return bounds if bounds.memory is None else Limits(bounds.deadline, bounds.memory - held(os.getppid()))


@contextmanager
def _interrupts(watch: _Watch) -> Iterator[None]:
    """Within it Ctrl-C is told to the worker; the second time there is no more patience."""

    def interrupted(signum: int, frame: FrameType | None) -> None:
        if watch.reason is not None:
            kill(watch.pid)
        watch.tell(Reason.INTERRUPTED)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        # All is said: what is left is the end of this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _pass_on(said: int, watch: _Watch, one_document: bool) -> int | None:
    """Write what the worker says; its status, None if it died before it had one."""
    thread = threading.Thread(target=watch.watch, daemon=True)
    thread.start()
    document, status = "", None
    try:
        for kind, text in listen(said):
            if kind == STATUS:
                status = int(text)
                break
            if kind != OUT:
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
    return status


def _death(pid: int) -> str:
    """How a worker died that nobody here killed."""
    _, ended = os.waitpid(pid, 0)
    if os.WIFSIGNALED(ended):
        number = os.WTERMSIG(ended)
        name = signal.Signals(number).name if number in {s.value for s in signal.Signals} else f"signal {number}"
        return f"it was ended by {name}"
    return f"it ended with status {os.WEXITSTATUS(ended)}"
