"""Work that needs nothing of other work, in forked processes: what each one writes comes back as soon as it ends.

A process that is forked has everything imported. Its limits are its own (decision 006).
"""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

from sa.processes.commands import Done, terminated
from sa.processes.forked import ends_with, start
from sa.processes.group import lead, tell_all

T = TypeVar("T")


def each(tasks: Iterable[T], jobs: int, work: Callable[[T], int]) -> Iterator[tuple[T, Done]]:
    """What became of each task, in the order in which they end: what it wrote, and the status that `work` returned.

    At most `jobs` are worked on at once. However this ends, no process is left behind.
    """
    waiting = iter(tasks)
    running = dict[Connection, tuple[T, BaseProcess, float]]()
    with terminated():
        try:
            while True:
                while len(running) < jobs and (task := next(waiting, None)) is not None:
                    connection, process = start(_work, work, task)
                    running[connection] = (task, process, time.perf_counter())
                if not running:
                    return
                for ready in wait(list(running)):
                    assert isinstance(ready, Connection)
                    task, process, began = running.pop(ready)
                    yield task, _collected(ready, process, began)
        finally:
            for connection, (_, process, _) in running.items():
                _end(process)
                connection.close()


def _collected(connection: Connection, process: BaseProcess, began: float) -> Done:
    try:
        out, err, status = connection.recv()
    except (EOFError, OSError):
        process.join()
        out, err, status = "", "", process.exitcode or 0
    connection.close()
    _end(process)
    return Done(out, err, status, time.perf_counter() - began)


def _end(process: BaseProcess) -> None:
    """It and all that it has started."""
    if process.pid is not None:
        tell_all(process.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        process.kill()
    process.join()


def _work(work: Callable[[T], int], task: T, result: Connection, parent: int) -> None:
    """In the forked process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    lead(0)
    ends_with(parent)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 -- for as long as the process lives
    out, err = sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    status = work(task)
    result.send((out.getvalue(), err.getvalue(), status))
    result.close()
    os._exit(0)
