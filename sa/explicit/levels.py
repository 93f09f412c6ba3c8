"""Breadth first through packed states, a level at a time: what `search` does state by state, with numpy for many.

States are columns of words (`certificates.packed`), all of them in one table. All states of a level with a thread at
the same place are stepped at once (`columns`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from sa.certificates.packed import columns, words_of
from sa.certificates.rows import Rows, RowSet, field_of, rows_of, state_of
from sa.explicit.columns import Chosen, Hits, Stepper, Steps, stepper
from sa.explicit.layout import Slot
from sa.explicit.moves import Making

#: So many states are stepped at a time, which bounds what a level needs beside itself.
_AT_ONCE = 1 << 18

#: Threads that may go first, each with those that must go with it.
Alone: TypeAlias = tuple[tuple[int, ...], ...]


class Machine(Struct, frozen=True, eq=False):
    """How states are stepped: by thread and place. `plan` gives by joint place who may go first, None: nobody."""

    counters: tuple[Slot, ...]
    places: int
    steppers: Mapping[tuple[int, int], Stepper]
    plan: Callable[[int], Alone] | None


def machine(making: Making, plan: Callable[[int], Alone] | None, hits: Hits) -> Machine:
    """The machine of a search."""
    counters = tuple(making.layout.slots[c] for c in making.system.counters)
    placed = ((t, p) for t, by_place in enumerate(making.system.acts) for p in range(len(by_place)))
    steppers = {(thread, place): stepper(making, thread, place, hits) for thread, place in placed}
    return Machine(counters, making.layout.places, steppers, plan)


class _Plans:
    """The plans of the joint places met so far, each with a number; in a table where joint places are few."""

    _TABLED = 22

    def __init__(self, machine: Machine) -> None:
        assert machine.plan is not None
        self._plan, self._places = machine.plan, machine.places
        self.known = dict[Alone, int]()
        small = machine.places.bit_length() <= self._TABLED
        self._table = np.full(machine.places + 1, -1, np.int32) if small else None

    def numbers(self, states: Rows) -> Chosen:
        """The number of each state's plan."""
        joint = states[0] & self._places
        if self._table is None:
            met, which = np.unique(joint, return_inverse=True)
            of_each: Chosen = np.array([self._number(p) for p in met.tolist()], np.int32)[which]
            return of_each
        found: Chosen = self._table[joint]
        if (found < 0).any():
            for places in np.unique(joint[found < 0]).tolist():
                self._table[places] = self._number(places)
            found = self._table[joint]
        return found

    def _number(self, places: int) -> int:
        return self.known.setdefault(self._plan(places), len(self.known))


class Levels:
    """The states so far in the order of their levels, the last of which is next to be stepped.

    `others` and then `first` are those that somebody else has reached; the first level is `first`.
    """

    def __init__(self, machine: Machine, first: Sequence[int], others: Sequence[int], words: int) -> None:
        self.machine = machine
        self.known = RowSet(words)
        self.known.add(rows_of(columns(others, words)))
        self._starts = [self.known.count]
        self.known.add(rows_of(columns(first, words)))
        self._starts.append(self.known.count)
        self._plans = None if machine.plan is None else _Plans(machine)

    def advance(self, between: Callable[[], None], at_group: Callable[[], None]) -> Rows:
        """Make the next level, and return it. `between` is called now and then, `at_group` for each group of states
        that are stepped together: where many threads are at many joint locations groups are small. Raises TooWide.
        """
        start, end = self._starts[-2:]
        for part in range(start, end, _AT_ONCE):
            between()
            states = self.known.rows[:, part : min(part + _AT_ONCE, end)]
            found = [after for _, _, after in self._steps(states, at_group)]
            if found:
                self.known.add(np.concatenate(found, axis=1))
        self._starts.append(self.known.count)
        return self.known.rows[:, end:]

    def before(self, state: int) -> int:
        """A state of the level before that has a step to this one; the state itself if it is in the first level."""
        row = words_of(state, len(self.known.rows))
        place = self.known.number(row)
        assert place is not None
        level = bisect_right(self._starts, place) - 1
        return state if level == 0 else self._source(self._starts[level - 1], self._starts[level], row)

    def _source(self, start: int, end: int, row: tuple[int, ...]) -> int:
        for part in range(start, end, _AT_ONCE):
            for states, chosen, after in self._steps(self.known.rows[:, part : min(part + _AT_ONCE, end)]):
                hits = np.flatnonzero(np.all(after == np.array(row).reshape(-1, 1), axis=0))
                if len(hits):
                    return state_of(states, int(chosen[hits[0]]))
        raise AssertionError("a state that no step leads to")

    def _steps(self, states: Rows, at_group: Callable[[], None] | None = None) -> Iterator[tuple[Rows, Chosen, Rows]]:
        """Steps as parts of `states`, which of them, and where these lead."""
        everybody = range(len(self.machine.counters))
        for alone, group in self._planned(states):
            if at_group is not None:
                at_group()
            left = group
            for leader, *others in alone:
                able = np.zeros(left.shape[1], np.bool_)
                for chosen, after in self._of(leader, left):
                    able[chosen] = True
                    yield left, chosen, after
                if able.any():
                    together = left[:, able]
                    for thread in others:
                        for chosen, after in self._of(thread, together):
                            yield together, chosen, after
                    left = left[:, ~able]
            if left.shape[1]:
                for thread in everybody:
                    for chosen, after in self._of(thread, left):
                        yield left, chosen, after

    def _planned(self, states: Rows) -> Iterator[tuple[Alone, Rows]]:
        if self._plans is None:
            yield (), states
            return
        numbers = self._plans.numbers(states)
        for plan, number in list(self._plans.known.items()):
            chosen = np.flatnonzero(numbers == number)
            if len(chosen):
                yield plan, states if len(chosen) == states.shape[1] else states[:, chosen]

    def _of(self, thread: int, states: Rows) -> Steps:
        """The steps of one thread."""
        slot = self.machine.counters[thread]
        places = field_of(states, slot.shift, slot.mask)
        for place in np.flatnonzero(np.bincount(places)).tolist():
            step = self.machine.steppers[thread, place]
            here = np.flatnonzero(places == place)
            if len(here) == states.shape[1]:
                yield from step(states)
            else:
                for chosen, after in step(states[:, here]):
                    yield here[chosen], after
