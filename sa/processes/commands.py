"""Commands of sacheck in processes of their own, several at once; what they write comes back in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock
from types import FrameType

from msgspec import Struct

#: Seconds that a command has to end by itself when it is interrupted.
_GRACE = 2.0


class Done(Struct, frozen=True):
    """What a command wrote, its exit status (negative: the signal that ended it) and the seconds that it took."""

    out: str
    err: str
    status: int
    seconds: float


def run_all(commands: Sequence[Sequence[str]], jobs: int, folder: str | None = None) -> Iterator[Done]:
    """What became of each command, given by its arguments, in order. No command is left behind, however this ends.

    They run in a folder, the current one if none is named.
    """
    running = _Running(folder)
    with terminated(), ThreadPoolExecutor(jobs) as pool:
        futures: list[Future[Done]] = [pool.submit(running.run, tuple(command)) for command in commands]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
            running.end()


class _Running:
    """The processes that have not ended."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._processes = set[subprocess.Popen[str]]()
        self._over = False

    def run(self, arguments: tuple[str, ...]) -> Done:
        started = time.perf_counter()
        with self._lock:
            if self._over:
                return Done("", "", -signal.SIGINT, 0.0)
            process = subprocess.Popen(
                [sys.executable, "-m", "sa", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env={**os.environ, "NO_COLOR": "1"},
                start_new_session=True,
                cwd=self._folder,
            )
            self._processes.add(process)
        try:
            out, err = process.communicate()
        finally:
            with self._lock:
                self._processes.discard(process)
        return Done(out, err, process.returncode, time.perf_counter() - started)

    def end(self) -> None:
        """Interrupt what still runs, and end what does not heed that."""
        with self._lock:
            self._over = True
            left = tuple(self._processes)
        for process in left:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
        until = time.monotonic() + _GRACE
        for process in left:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until - time.monotonic()))
                continue
            process.kill()


@contextmanager
def terminated() -> Iterator[None]:
    """Within it a request to end raises SystemExit, so that what was started is ended too."""

    def ended(signum: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + signum)

    try:
        before = signal.signal(signal.SIGTERM, ended)
    except ValueError:
        # Only the first thread may say what signals do.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
