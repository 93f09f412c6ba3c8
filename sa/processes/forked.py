"""What forked processes have in common: they end with the one that made them, and what they send keeps what is shared.

Objects that both sides know from before the fork are sent as numbers, so that they are the same ones afterwards.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

#: Seconds between looks at the clock, and at whether the process that began this one is there.
LOOK = 0.1

#: How deep terms may be on their way to another process.
_DEEP = 20_000

CAN_FORK = "fork" in multiprocessing.get_all_start_methods()


def ends_with(parent: int) -> None:
    """See to it that this process ends when the one that began it is no more: then nobody wants what it finds."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def start(work: Callable[..., None], *arguments: object) -> tuple[Connection, BaseProcess]:
    """A forked process, and what it sends; `work` gets the arguments, where to send, and the number of this process."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(*arguments, theirs, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return ours, process


class _Collector(pickle.Pickler):
    def __init__(self, kept: tuple[type, ...]) -> None:
        super().__init__(io.BytesIO(), pickle.HIGHEST_PROTOCOL)
        self.kept = kept
        self.found = dict[int, object]()

    def persistent_id(self, obj: object) -> None:
        if isinstance(obj, self.kept):
            self.found.setdefault(id(obj), obj)


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, known: list[object]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._numbers = {id(obj): number for number, obj in enumerate(known)}

    def persistent_id(self, obj: object) -> int | None:
        return self._numbers.get(id(obj))


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, known: list[object]) -> None:
        super().__init__(io.BytesIO(data))
        self._known = known

    def persistent_load(self, pid: int) -> object:
        return self._known[pid]


def known_in(shared: object, kept: tuple[type, ...]) -> list[object]:
    """The objects of the `kept` types in `shared`, which are sent by number."""
    collector = _Collector(kept)
    collector.dump(shared)
    return list(collector.found.values())


def dumps(result: object, known: list[object]) -> bytes:
    """What is sent to another process, however deep its terms are."""
    sys.setrecursionlimit(max(_DEEP, sys.getrecursionlimit()))
    stream = io.BytesIO()
    _Pickler(stream, known).dump(result)
    return stream.getvalue()


def loads(data: bytes, known: list[object]) -> Any:
    """What was sent."""
    return _Unpickler(data, known).load()
