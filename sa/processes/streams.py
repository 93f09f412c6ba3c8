"""Streams of results that several processes make at once, in the order in which they come.

A process sends each result as soon as it has it, so that what it found stays when it dies. No process is left running,
whatever happens to this one. Memory is for whoever watches over all of them (`supervisor`).
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import LimitReached
from sa.base.verdict import Reason
from sa.processes.forked import LOOK, dumps, ends_with, known_in, loads, start

T = TypeVar("T")

#: What a process does: it says each result as soon as it has it.
Stream: TypeAlias = Callable[[Callable[[T], None]], None]


class Said(Struct, Generic[T], frozen=True):
    """A result of the stream with this number."""

    stream: int
    result: T


class Over(Struct, frozen=True):
    """A stream has ended: by itself, or for a reason. `diagnostics`, or a `bug` in words, are what it raised."""

    stream: int
    reason: Reason | None
    diagnostics: tuple[Diagnostic, ...] = ()
    bug: str = ""

    def heed(self) -> None:
        """Raise what the stream raised, if anything: InputError, or RuntimeError for its other exceptions."""
        if self.diagnostics:
            raise InputError(self.diagnostics)
        if self.bug:
            raise RuntimeError(self.bug)


def side_by_side(streams: Sequence[Stream[T]], shared: object, kept: tuple[type, ...]) -> Iterator[Said[T] | Over]:
    """What all streams say, each in a process of its own, until the last one is over or nobody listens any more.

    `shared` is what all of them know: objects in it of the `kept` types, compared by identity or large, stay the same
    ones in results. A stream that raises LimitReached or MemoryError, or whose process dies, is over for that reason;
    what else it raises is told, and whoever listens decides who else it concerns. Systems must be able to fork.
    """
    known = known_in(shared, kept)
    running = dict[Connection, tuple[int, BaseProcess]]()
    try:
        for number, stream in enumerate(streams):
            connection, process = start(_work, number, stream, known)
            running[connection] = (number, process)
        while running:
            for ready in wait(list(running), LOOK):
                assert isinstance(ready, Connection)
                yield _received(running, ready, known)
    finally:
        for connection, (_, process) in running.items():
            process.kill()
            connection.close()
        for _, process in running.values():
            process.join()


def _received(
    running: dict[Connection, tuple[int, BaseProcess]], connection: Connection, known: list[object]
) -> Said[T] | Over:
    number, process = running[connection]
    try:
        said = loads(connection.recv_bytes(), known)
    except (EOFError, OSError):
        process.join()
        # Systems kill those that need too much memory; solvers end the process, or make the system end it.
        said = Over(number, Reason.MEMORY if process.exitcode == -signal.SIGKILL else Reason.CRASHED)
    assert isinstance(said, Said | Over)
    if isinstance(said, Over):
        del running[connection]
        connection.close()
        process.join()
    return said


def _work(number: int, stream: Stream[T], known: list[object], connection: Connection, parent: int) -> None:
    """Send what a stream says."""
    # Who listens ends this process when nothing more is wanted.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ends_with(parent)
    end = Over(number, None)
    try:
        stream(lambda result: connection.send_bytes(dumps(Said(number, result), known)))
    except LimitReached as limit:
        end = Over(number, limit.reason)
    except MemoryError:
        end = Over(number, Reason.MEMORY)
    except InputError as wrong:
        end = Over(number, Reason.CRASHED, wrong.diagnostics)
    except Exception as error:
        end = Over(number, Reason.CRASHED, (), f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
    connection.send_bytes(dumps(end, known))
    connection.close()
