"""Which engines a worker has asked, in memory that its supervisor reads if it had to end it by force."""

from __future__ import annotations

from contextvars import ContextVar
from mmap import mmap

from msgspec import Struct

_SIZE = 4096


class Asked(Struct, frozen=True):
    """The names, in memory that processes share which are forked from the one that made it."""

    memory: mmap

    def note(self, engine: str) -> None:
        """That an engine is asked now."""
        names = self.names()
        if engine not in names:
            self.memory[:] = "\n".join((*names, engine)).encode()[:_SIZE].ljust(_SIZE, b"\0")

    def names(self) -> list[str]:
        """In the order in which they were asked first."""
        return self.memory[:].rstrip(b"\0").decode(errors="replace").split("\n") if self.memory[0] else []


#: What the worker of this process is asked by; None where there is no worker.
ASKED: ContextVar[Asked | None] = ContextVar("ASKED", default=None)


def shared() -> Asked:
    """Memory for a worker that is about to be forked."""
    return Asked(mmap(-1, _SIZE))
