"""What the runs of a cooperative program say of its scheduler: who runs, and who may be next."""

from __future__ import annotations

from msgspec import Struct

from sa.terms.term import Term, Var


class Scheduler(Struct, frozen=True):
    """The scheduler of a program.

    Attributes:
        name: what it is called; with steps of its own, its thread has this name.
        steps: whether it takes steps of its own while no thread runs.
        running: the number of the thread that runs, or the number of threads.
        threads: the names of the threads, by their numbers.
        ready: by the same numbers, whether a thread may be resumed; over globals.
    """

    name: str
    steps: bool
    running: Var
    threads: tuple[str, ...]
    ready: tuple[Term, ...]


def serving(scheduler: Scheduler | None) -> tuple[str, ...]:
    """The threads that serve the others: that such a thread is not at its end makes no state a standstill."""
    return (scheduler.name,) if scheduler is not None and scheduler.steps else ()
