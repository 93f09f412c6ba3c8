"""What a worker says to the process that supervises it: whole texts, for one stream or the other, and its status.

A text that is cut off, since the worker was killed while it spoke, is no text.
"""

from __future__ import annotations

import io
import os
import select
import struct
import threading
from collections.abc import Iterator
from typing import TextIO

_HEAD = struct.Struct(">cQ")

#: Milliseconds between two chances for Python to handle signals: one that arrives just before `poll` does not end it.
_SIGNALS = 100

#: Texts for the two streams, the status at the end, and before that what ends a worker that is killed from now on.
OUT, ERR, STATUS, ANSWERED = b"o", b"e", b"s", b"a"


class Channel:
    """The worker's end of the pipe. Once a thread has taken the floor, others that speak wait for ever."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        self._lock = threading.Lock()
        self._speaker: int | None = None

    def take_over(self) -> None:
        """From now on only the calling thread is heard."""
        with self._lock:
            self._speaker = threading.get_ident()

    def say(self, kind: bytes, text: str) -> None:
        """Send a text whole. Raises BrokenPipeError where nobody listens any more."""
        data = text.encode("utf-8", "surrogatepass")
        with self._lock:
            if self._speaker in (None, threading.get_ident()):
                _write(self.pipe, _HEAD.pack(kind, len(data)) + data)
                return
        threading.Event().wait()


def _write(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


class Stream(io.TextIOBase):
    """Takes the place of a standard stream in a worker."""

    def __init__(self, channel: Channel, kind: bytes, instead_of: TextIO) -> None:
        self._channel, self._kind, self._original = channel, kind, instead_of

    def write(self, text: str) -> int:
        """Send a text whole."""
        self._channel.say(self._kind, text)
        return len(text)

    def answered(self, status: int, why: str) -> None:
        """All answers are written: should this process be killed before its end, that is its status, and why."""
        self._channel.say(ANSWERED, f"{status} {why}")

    def isatty(self) -> bool:
        """Whether what is said comes to a terminal in the end."""
        return self._original.isatty()

    def fileno(self) -> int:
        """The pipe."""
        return self._channel.pipe


def listen(pipe: int, over: int) -> Iterator[tuple[bytes, str]]:
    """The texts that arrive, until the worker is done or dead.

    Something arrives at `over` when it is dead: the other end of its pipe may be held by others too.
    """
    both = select.poll()
    both.register(pipe, select.POLLIN)
    both.register(over, select.POLLIN)
    while len(head := _read(pipe, both, _HEAD.size)) == _HEAD.size:
        kind, size = _HEAD.unpack(head)
        data = _read(pipe, both, size)
        if len(data) < size:
            return
        yield kind, data.decode("utf-8", "surrogatepass")


def _read(pipe: int, both: select.poll, size: int) -> bytes:
    parts = list[bytes]()
    while size > 0:
        while not (ready := dict(both.poll(_SIGNALS))):
            pass
        # What it said before it died is read first.
        part = os.read(pipe, min(size, 2**20)) if pipe in ready else b""
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
