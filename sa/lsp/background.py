"""Commands that run in processes of their own, one for each file, so that the editor never waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Background(Generic[Found]):
    """What is being asked, and the last answer, by the path of the file.

    `command` gives the arguments of sacheck for a file (raises InputError), `read` what its output says, None for
    nothing.
    """

    def __init__(self, command: Callable[[str], Sequence[str]], read: Callable[[str, str], Found | None]) -> None:
        self._command, self._read = command, read
        self._lock = threading.Lock()
        self._running = dict[str, subprocess.Popen[str]]()
        self._found = dict[str, Found]()

    def found(self, path: str) -> Found | None:
        """The last answer about a file that has not changed since."""
        with self._lock:
            return self._found.get(path)

    def running(self, path: str) -> bool:
        """Whether a file is being asked about."""
        with self._lock:
            return path in self._running

    def forget(self, path: str) -> None:
        """The file has changed: what was found is not about it."""
        self.cancel(path)
        with self._lock:
            self._found.pop(path, None)

    def cancel(self, path: str) -> None:
        """Stop asking about a file."""
        with self._lock:
            process = self._running.pop(path, None)
        if process is not None:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Stop asking about all files."""
        with self._lock:
            paths = list(self._running)
        for path in paths:
            self.cancel(path)

    def ask(self, path: str, told: Callable[[], None]) -> None:
        """Ask about a saved file; `told` is called when there is an answer, unless the file changed before."""
        self.cancel(path)
        process = subprocess.Popen(
            [sys.executable, "-m", "sa", *self._command(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "NO_COLOR": "1"},
        )
        with self._lock:
            self._running[path] = process
        threading.Thread(target=self._wait, args=(path, process, told), daemon=True).start()

    def _wait(self, path: str, process: subprocess.Popen[str], told: Callable[[], None]) -> None:
        out, _ = process.communicate()
        found = self._read(out, path)
        with self._lock:
            current = self._running.get(path) is process
            if current:
                del self._running[path]
                if found is not None:
                    self._found[path] = found
        if current:
            told()
