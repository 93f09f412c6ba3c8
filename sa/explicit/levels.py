"""Breadth first through packed states, a level at a time: what `search` does state by state, with numpy for many.

A level is an array of states in rising order, one 64-bit number each. All states with a thread at the same place are
stepped at once (`columns`). The states of all levels are in one hash table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from sa.explicit.columns import Chosen, Hits, Packed, Stepper, Steps, stepper
from sa.explicit.layout import Slot
from sa.explicit.moves import Making

#: So many states are stepped at a time, which bounds what a level needs beside itself.
_AT_ONCE = 1 << 20

#: Threads that may go first, each with those that must go with it.
Alone: TypeAlias = tuple[tuple[int, ...], ...]


class Known:
    """A set of packed states: an open-addressing hash table that doubles."""

    def __init__(self, capacity: int = 1 << 16) -> None:
        self._keys = np.full(capacity, -1, np.int64)
        self.count = 0

    def add(self, states: Packed) -> Packed:
        """Those that are new, in their order. The states must differ."""
        while (self.count + len(states)) * 2 > len(self._keys):
            old = self._keys[self._keys >= 0]
            self._keys = np.full(len(self._keys) * 2, -1, np.int64)
            for start in range(0, len(old), _AT_ONCE):
                self._enter(old[start : start + _AT_ONCE])
        fresh = self._enter(states)
        self.count += int(np.count_nonzero(fresh))
        return states[fresh]

    def _enter(self, states: Packed) -> Chosen:
        """Whether each was new."""
        keys, last = self._keys, len(self._keys) - 1
        shift = np.uint64(64 - last.bit_length())
        slots = ((states.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> shift).view(np.int64)
        fresh = np.zeros(len(states), np.bool_)
        left, wanted = np.arange(len(states)), states
        while len(left):
            there = keys[slots]
            free = there < 0
            keys[slots[free]] = wanted[free]
            won = free & (keys[slots] == wanted)
            fresh[left[won]] = True
            on = ~(won | (there == wanted))
            left, wanted, slots = left[on], wanted[on], (slots[on] + 1) & last
        return fresh


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

    def numbers(self, states: Packed) -> Chosen:
        """The number of each state's plan."""
        joint = states & self._places
        if self._table is None:
            met, which = np.unique(joint, return_inverse=True)
            numbers: Chosen = np.array([self._number(p) for p in met.tolist()], np.int32)
            of_each: Chosen = np.take(numbers, which)
            return of_each
        found = np.take(self._table, joint)
        if (found < 0).any():
            for places in np.unique(joint[found < 0]).tolist():
                self._table[places] = self._number(places)
            return np.take(self._table, joint)
        return found

    def _number(self, places: int) -> int:
        return self.known.setdefault(self._plan(places), len(self.known))


class Levels:
    """The levels so far, the first of which somebody else has reached, and the set of all their states."""

    def __init__(self, machine: Machine, first: Sequence[int], others: Sequence[int]) -> None:
        self.machine = machine
        self.levels = [np.sort(np.array(first, np.int64))]
        self._earlier = np.array(others, np.int64)
        self.known = Known(1 << max(1 << 15, 2 * len(others)).bit_length())
        self.known.add(self._earlier)
        self._plans = None if machine.plan is None else _Plans(machine)

    def advance(self, between: Callable[[], None]) -> Packed:
        """Make the next level, and return it. `between` is called now and then. Raises TooWide."""
        made = list[Packed]()
        level = self.levels[-1]
        for start in range(0, len(level), _AT_ONCE):
            between()
            found = [after for _, _, after in self._steps(level[start : start + _AT_ONCE])]
            if found:
                made.append(self.known.add(_distinct(np.concatenate(found))))
        self.levels.append(np.sort(np.concatenate(made)) if made else np.zeros(0, np.int64))
        return self.levels[-1]

    def before(self, state: int) -> int:
        """A state of the level before that has a step to this one; the state itself if it is in the first level."""
        for number, level in enumerate(self.levels):
            place = int(np.searchsorted(level, state))
            if place < len(level) and int(level[place]) == state:
                return state if number == 0 else self._source(self.levels[number - 1], state)
        raise AssertionError("a state that was not reached")

    def _source(self, level: Packed, state: int) -> int:
        for start in range(0, len(level), _AT_ONCE):
            for states, chosen, after in self._steps(level[start : start + _AT_ONCE]):
                hits = np.flatnonzero(after == state)
                if len(hits):
                    return int(states[chosen[hits[0]]])
        raise AssertionError("a state that no step leads to")

    def all(self) -> Packed:
        """All states in rising order."""
        return np.sort(np.concatenate((self._earlier, *self.levels[1:])))

    def _steps(self, states: Packed) -> Iterator[tuple[Packed, Chosen, Packed]]:
        """Steps as parts of `states`, which of them, and where these lead."""
        everybody = range(len(self.machine.counters))
        for alone, group in self._planned(states):
            left = group
            for leader, *others in alone:
                able = np.zeros(len(left), np.bool_)
                for chosen, after in self._of(leader, left):
                    able[chosen] = True
                    yield left, chosen, after
                if able.any():
                    together = left[able]
                    for thread in others:
                        for chosen, after in self._of(thread, together):
                            yield together, chosen, after
                    left = left[~able]
            if len(left):
                for thread in everybody:
                    for chosen, after in self._of(thread, left):
                        yield left, chosen, after

    def _planned(self, states: Packed) -> Iterator[tuple[Alone, Packed]]:
        if self._plans is None:
            yield (), states
            return
        numbers = self._plans.numbers(states)
        for plan, number in list(self._plans.known.items()):
            chosen = np.flatnonzero(numbers == number)
            if len(chosen):
                yield plan, states if len(chosen) == len(states) else states[chosen]

    def _of(self, thread: int, states: Packed) -> Steps:
        """The steps of one thread."""
        slot = self.machine.counters[thread]
        places = (states >> slot.shift) & slot.mask
        for place in np.flatnonzero(np.bincount(places)).tolist():
            step = self.machine.steppers[thread, place]
            here = np.flatnonzero(places == place)
            if len(here) == len(states):
                yield from step(states)
            else:
                for chosen, after in step(states[here]):
                    yield here[chosen], after


def _distinct(states: Packed) -> Packed:
    states.sort()
    if not len(states):
        return states
    return np.compress(np.concatenate((np.ones(1, np.bool_), states[1:] != states[:-1])), states)
