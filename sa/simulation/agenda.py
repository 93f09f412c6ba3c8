"""What a search still has to look at, in the order of the places that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import TypeAlias

from msgspec import Struct, field

from sa.game.board import Pair
from sa.simulation.state import Lemma


class StepTask(Struct, frozen=True):
    """Check that a concrete edge is answered at a pair."""

    pair: Pair
    edge: int


class DriftTask(Struct, frozen=True):
    """Check that the environments do not lead into a lemma's raw cube."""

    pair: Pair
    lemma: Lemma


class MatchTask(Struct, frozen=True):
    """Check that the abstract environment matches the concrete one at a pair."""

    pair: Pair


Task: TypeAlias = StepTask | DriftTask | MatchTask


class Agenda(Struct, eq=False):
    """Tasks that wait, each once. `order` says of either side how early its locations come."""

    order: tuple[Mapping[str, int], Mapping[str, int]]
    _queue: list[tuple[tuple[int, int, int], int, Task]] = field(default_factory=list)
    _waiting: set[Task] = field(default_factory=set)
    _sequence: int = 0

    def __len__(self) -> int:
        return len(self._queue)

    def post(self, task: Task) -> None:
        """Let a task wait, if it does not yet. Steps come before what environments do."""
        if task not in self._waiting:
            self._waiting.add(task)
            self._sequence += 1
            first, second = (order[place] for order, place in zip(self.order, task.pair, strict=True))
            kind = 0 if isinstance(task, StepTask) else 1
            heappush(self._queue, ((first, second, kind), self._sequence, task))

    @contextmanager
    def taken(self) -> Iterator[Task]:
        """The first task. It waits again where what is done inside is cut short."""
        entry = heappop(self._queue)
        task = entry[2]
        self._waiting.discard(task)
        try:
            yield task
        except BaseException:
            if task not in self._waiting:
                self._waiting.add(task)
                heappush(self._queue, entry)
            raise
