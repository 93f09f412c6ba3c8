"""Tasks that need each other's results, one after the other or several at once in processes of their own.

Results come in the order of the tasks and do not depend on how many are worked on at once. A process is forked when
what its task needs is known, so that it has everything in memory, and sends its result back; where the system cannot
fork, tasks are done one after the other. Once a limit is reached no task is begun; those that are being worked on have
a moment to end with what they know. No process is left running, whatever happens to this one. Memory is for whoever
watches over all of them (`supervisor`).
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Generic, TypeVar

from msgspec import Struct

from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import LimitReached, Limits, seconds_left
from sa.base.verdict import Reason
from sa.processes.forked import CAN_FORK, LOOK, dumps, ends_with, known_in, loads, start

R = TypeVar("R")

#: The status that Python ends with after an exception that nobody caught.
_BUG = 1


class Task(Struct, Generic[R], frozen=True):
    """`needs` are earlier tasks, whose results `work` gets. `limited` says which limit a result ran into, and
    `stopped` is the result of a task that a limit left nothing of.
    """

    name: str
    needs: tuple[str, ...]
    work: Callable[[Mapping[str, R]], R]
    limited: Callable[[R], Reason | None]
    stopped: Callable[[Reason], R]


def in_order(
    tasks: Sequence[Task[R]], jobs: int, shared: object, kept: tuple[type, ...], bounds: Limits
) -> Iterator[R | None]:
    """The results in order; None for a task that was not begun because a limit had been reached.

    `shared` is what all tasks know: objects in it of the `kept` types, compared by identity or large, stay the same
    ones in results. Raises what a task raises.
    """
    if jobs < 2 or len(tasks) < 2 or not CAN_FORK:
        yield from _one_by_one(tasks)
        return
    pool = _Pool(tasks, jobs, bounds, known_in(shared, kept))
    try:
        yield from pool.results()
    finally:
        pool.kill()


def _one_by_one(tasks: Sequence[Task[R]]) -> Iterator[R | None]:
    done = dict[str, R]()
    stopped = False
    for task in tasks:
        if stopped:
            yield None
            continue
        result = task.work({name: done[name] for name in task.needs})
        done[task.name] = result
        stopped = task.limited(result) is not None
        yield result


class _Raised(Struct, frozen=True):
    """What a task raised instead of giving a result: what is wrong with the input, or a bug in words and its trace."""

    diagnostics: tuple[Diagnostic, ...]
    bug: str = ""
    trace: str = ""

    def error(self) -> Exception:
        """The exception again: as it is, it need not survive the way between processes."""
        if self.diagnostics:
            return InputError(self.diagnostics)
        error = RuntimeError(self.bug)
        if self.trace:
            error.add_note(self.trace)
        return error


class _Pool(Generic[R]):
    """The tasks while they are worked on: which are running, and what is known."""

    def __init__(self, tasks: Sequence[Task[R]], jobs: int, bounds: Limits, known: list[object]) -> None:
        self._tasks = tasks
        self._jobs = jobs
        self._bounds = bounds
        self._known = known
        self._done = dict[str, R | _Raised | None]()
        self._running = dict[Connection, tuple[Task[R], BaseProcess]]()
        self._reason: Reason | None = None
        self._started = time.monotonic()
        self._until = 0.0

    def results(self) -> Iterator[R | None]:
        for task in self._tasks:
            while task.name not in self._done:
                try:
                    self._go_on()
                except LimitReached as limit:
                    # Raised again and again until somebody heeds it, whatever is being done just now.
                    self._stop(limit.reason)
            found = self._done[task.name]
            if isinstance(found, _Raised):
                raise found.error()
            yield found

    def kill(self) -> None:
        """End all processes at once."""
        for connection, (_, process) in self._running.items():
            process.kill()
            connection.close()
        for _, process in self._running.values():
            process.join()
        self._running.clear()

    def _go_on(self) -> None:
        self._begin()
        for ready in wait(list(self._running), LOOK):
            assert isinstance(ready, Connection)
            self._collect(ready)
        if seconds_left(self._bounds) == 0.0:
            self._stop(Reason.TIMEOUT)
        if self._reason is not None and time.monotonic() >= self._until:
            self._give_up(self._reason)

    def _begin(self) -> None:
        for task in self._tasks:
            if self._reason is not None or len(self._running) >= self._jobs:
                break
            known = [self._done[n] for n in task.needs if n in self._done]
            if task.name in self._done or any(t is task for t, _ in self._running.values()):
                continue
            if len(known) == len(task.needs) and not any(isinstance(k, _Raised) for k in known):
                self._fork(task)
            elif any(isinstance(k, _Raised) for k in known):
                self._done[task.name] = None
        if self._reason is not None:
            for task in self._tasks:
                if not any(t is task for t, _ in self._running.values()):
                    self._done.setdefault(task.name, None)

    def _fork(self, task: Task[R]) -> None:
        earlier = {name: self._done[name] for name in task.needs}
        connection, process = start(_work, task, earlier, self._known, self._bounds)
        self._running[connection] = (task, process)

    def _collect(self, connection: Connection) -> None:
        task, process = self._running[connection]
        try:
            result = loads(connection.recv_bytes(), self._known)
        except (EOFError, OSError):
            process.join()
            result = self._ended(task, process.exitcode)
        del self._running[connection]
        connection.close()
        process.join()
        self._done[task.name] = result
        if not isinstance(result, _Raised):
            reason = task.limited(result)
            if reason is not None and self._reason is None:
                self._stop(reason)

    def _ended(self, task: Task[R], status: int | None) -> R | _Raised:
        """What a process that sent nothing stands for: systems kill those that need too much memory."""
        if self._reason is not None:
            return task.stopped(self._reason)
        if status == -signal.SIGKILL:
            return task.stopped(Reason.MEMORY)
        if status != _BUG:
            # Solvers end the process, or make the system end it.
            return task.stopped(Reason.CRASHED)
        return _Raised((), f"a process that worked on {task.name} ended with status {status}")

    def _stop(self, reason: Reason) -> None:
        """Begin nothing any more, and ask those who are working to end: the solver obeys SIGINT too."""
        if self._reason is not None:
            return
        self._reason, now = reason, time.monotonic()
        # Whoever watches over this process gives it a little time as well.
        self._until = now + (
            0.3 if reason is Reason.INTERRUPTED else max(0.05, min(0.015 * (now - self._started), 0.3))
        )
        if reason is Reason.MEMORY:
            self._until = now
            return
        for _, process in self._running.values():
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGINT)

    def _give_up(self, reason: Reason) -> None:
        """What has not ended by now does not count."""
        for task, _ in self._running.values():
            self._done.setdefault(task.name, task.stopped(reason))
        self.kill()
        self._begin()


# ---------------------------------------------------------------- in the other process


def _work(
    task: Task[Any],
    earlier: Mapping[str, Any],
    known: list[object],
    bounds: Limits,
    connection: Connection,
    parent: int,
) -> None:
    """Do a task and send its result, or what it raised."""
    heard = list[Reason]()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not heard:
            heard.append(Reason.INTERRUPTED if seconds_left(bounds) != 0.0 else Reason.TIMEOUT)
            raise LimitReached(heard[0])

    signal.signal(signal.SIGINT, interrupted)
    # What an interrupt leaves half made is nothing to tell.
    sys.unraisablehook = lambda unraisable: None if heard else sys.__unraisablehook__(unraisable)
    ends_with(parent)
    outcome: object
    try:
        outcome = task.work(earlier)
    except LimitReached as limit:
        outcome = task.stopped(limit.reason)
    except MemoryError:
        outcome = task.stopped(Reason.MEMORY)
    except Exception as error:
        outcome = _raised(error)
    # From here on nothing disturbs what is being sent, however deep its terms are.
    heard.append(Reason.INTERRUPTED)
    connection.send_bytes(dumps(outcome, known))
    connection.close()


def _raised(error: Exception) -> _Raised:
    if isinstance(error, InputError):
        return _Raised(error.diagnostics)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _Raised((), what, traceback.format_exc())
