"""Checks that packed states are closed under steps, many at once: what `states` does state by state, with numpy.

Guards and new values are evaluated over columns (`terms.columns`). Steps that cannot be written so are looked up by the
bits that they depend on.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from sa.automata.ranges import count_of, values_of
from sa.checker.stepping import Packing, Slot, Stepped, Unfit
from sa.terms.build import constant
from sa.terms.columns import Column, Columns, Ends, NoColumns, over_columns
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many states are looked at at a time, and with how many rows of choices a step is looked up.
_AT_ONCE, _MANY = 1 << 18, 64

Packed: TypeAlias = npt.NDArray[np.int64]
Chosen: TypeAlias = npt.NDArray[Any]

#: Steps from states: of which of them, where they lead, whether they fail.
Steps: TypeAlias = Iterator[tuple[Chosen, Packed, bool]]
#: Who is stepped at a joint location: the thread that must be able to move if any, and all that are stepped with it.
Turn: TypeAlias = tuple[int | None, tuple[int, ...]]


class Question(Struct, frozen=True, eq=False):
    """What there is to check. `steps` are by thread and place. `turns` are the ways to step from a joint location that
    are enough; it raises Unfit for one that does not exist.

    `moves` are a thread's bits at a place, and what the steps there add to a state with such bits; `fine` the bits of a
    claim, and its test.
    """

    packed: Packing
    steps: Sequence[Sequence[Sequence[Stepped]]]
    claims: Sequence[Term]
    turns: Callable[[int], tuple[Turn, ...]]
    moves: Callable[[int, int], tuple[int, Callable[[int], tuple[int, ...]]]]
    fine: Callable[[Term], tuple[int, Callable[[int], bool]]]


class Fault(Exception):
    """Which condition does not hold, and how."""


def closed(asked: Question, numbers: array[int], between: Callable[[], None]) -> None:
    """Rising states contain what the steps asked for lead to, none fails, claims hold. Raises Fault, Unfit.

    `between` is called now and then.
    """
    states = np.frombuffer(numbers, np.int64)
    if len(states) and (int(states[0]) < 0 or not np.all(states[1:] > states[:-1])):
        raise Unfit("the states are not given in rising order")
    tests = [_test(asked, c) for c in asked.claims]
    made = _Steppers(asked)
    known = dict[int, tuple[Turn, ...]]()
    for start in range(0, len(states), _AT_ONCE):
        between()
        part = states[start : start + _AT_ONCE]
        if not all(np.all(test(part)) for test in tests):
            raise Fault("claim", "it is false in one of the states")
        for turns, group in _by_turns(asked, part, known):
            left = group
            for turn in turns:
                left = left[~_kept(made, turn, left, states)]
                if not len(left):
                    break
            if len(left):
                raise Fault("closed under steps", "a step leads to a state that is not listed")


def _by_turns(
    asked: Question, states: Packed, known: dict[int, tuple[Turn, ...]]
) -> Iterator[tuple[tuple[Turn, ...], Packed]]:
    met, which = np.unique(states & asked.packed.places, return_inverse=True)
    numbers = dict[tuple[Turn, ...], int]()
    for places in met.tolist():
        if places not in known:
            known[places] = asked.turns(places)
        numbers.setdefault(known[places], len(numbers))
    of = np.array([numbers[known[places]] for places in met.tolist()])[which]
    for turns, number in numbers.items():
        yield turns, states[of == number]


def _kept(made: _Steppers, turn: Turn, states: Packed, listed: Packed) -> Column:
    """Of which states the steps of a turn lead to states; the thread that goes first must have one. Raises Fault."""
    leader, moving = turn
    kept = np.ones(len(states), np.bool_)
    if leader is not None:
        kept = np.zeros(len(states), np.bool_)
        for chosen, _, _ in made.of(leader, states):
            kept[chosen] = True
    for thread in moving:
        # As state by state: who cannot go first is not looked at here.
        able = np.flatnonzero(kept)
        for chosen, after, failed in made.of(thread, states[able]):
            if failed and len(chosen):
                raise Fault("failing step", "it can be taken from one of the states")
            places = np.minimum(np.searchsorted(listed, after), len(listed) - 1)
            kept[able[chosen[listed[places] != after]]] = False
    return kept


class _Steppers:
    """The steps of threads from their places, made when they are first asked for."""

    def __init__(self, asked: Question) -> None:
        self._asked = asked
        self._made = dict[tuple[int, int], Callable[[Packed], Steps]]()

    def of(self, thread: int, states: Packed) -> Steps:
        """The steps of a thread."""
        slot = self._asked.packed.slots[self._asked.packed.counters[thread]]
        places = (states >> slot.shift) & slot.mask
        for place in np.flatnonzero(np.bincount(places)).tolist():
            if (thread, place) not in self._made:
                self._made[thread, place] = _stepper(self._asked, thread, place)
            here = np.flatnonzero(places == place)
            for chosen, after, failed in self._made[thread, place](states[here]):
                yield here[chosen], after, failed


def _stepper(asked: Question, thread: int, place: int) -> Callable[[Packed], Steps]:
    try:
        return _over_columns(asked, thread, asked.steps[thread][place])
    except NoColumns:
        return _looked_up(*asked.moves(thread, place))


class _Written(Struct, frozen=True, eq=False):
    """An edge over columns, with one row of values for its choices."""

    test: Callable[[Columns], Column]
    values: tuple[tuple[Slot, Callable[[Columns], Column]], ...]
    moved: int
    replaced: int
    failed: bool


def _over_columns(asked: Question, thread: int, steps: Sequence[Stepped]) -> Callable[[Packed], Steps]:
    packed = asked.packed
    read = frozenset[Var]().union(*(s.reads for s in steps))
    ends = _ends(packed, read)
    counter = packed.slots[packed.counters[thread]]
    written = tuple(w for step in steps for w in _rows(packed, counter, step, ends))

    def function(states: Packed) -> Steps:
        columns = _columns(packed, read, states)
        for edge in written:
            chosen = np.flatnonzero(np.broadcast_to(edge.test(columns), states.shape))
            if len(chosen):
                here = {v: c[chosen] for v, c in columns.items()}
                yield chosen, _after(edge, states[chosen], here), edge.failed

    return function


def _rows(packed: Packing, counter: Slot, step: Stepped, ends: Mapping[Var, Ends]) -> Iterator[_Written]:
    """An edge for each row of values of its choices. Raises NoColumns."""
    slots = packed.slots
    if prod(count_of(c) or _MANY + 1 for c in step.choices) > _MANY:
        raise NoColumns
    if any(slots[v].values is not None for v in step.updates):
        raise NoColumns
    replaced = sum(slots[v].mask << slots[v].shift for v in (*step.updates, *step.cleared))
    for row in product(*(values_of(c) or () for c in step.choices)):
        known = {c.var: constant(x, c.var.sort) for c, x in zip(step.choices, row, strict=True)}
        test = over_columns(substitute(step.condition, known), ends)[0]
        values = ((slots[v], over_columns(substitute(t, known), ends)[0]) for v, t in step.updates.items())
        yield _Written(test, tuple(values), step.target - step.source << counter.shift, replaced, step.failed)


def _after(edge: _Written, states: Packed, columns: Columns) -> Packed:
    after: Packed = (states & ~edge.replaced) + edge.moved
    for slot, value in edge.values:
        distance = np.asarray(value(columns), np.int64) - slot.low
        if np.any(distance < 0) or np.any(distance > slot.mask):
            raise Unfit("a value does not fit into its field")
        after += distance << slot.shift
    return after


def _looked_up(mask: int, make: Callable[[int], tuple[int, ...]]) -> Callable[[Packed], Steps]:
    """Steps that are a function of some bits; `make` raises where one fails."""
    known = dict[int, tuple[int, ...]]()

    def function(states: Packed) -> Steps:
        parts, which = np.unique(states & mask, return_inverse=True)
        for part in parts.tolist():
            if part not in known:
                known[part] = make(part)
        made = [known[part] for part in parts.tolist()]
        counts = np.array([len(m) for m in made])
        for number in range(int(counts.max(initial=0))):
            added = np.array([m[number] if number < len(m) else 0 for m in made], np.int64)
            chosen = np.flatnonzero((counts > number)[which])
            yield chosen, states[chosen] + added[which[chosen]], False

    return function


def _test(asked: Question, claim: Term) -> Callable[[Packed], Column]:
    try:
        holds = over_columns(claim, _ends(asked.packed, claim.free))[0]
    except NoColumns:
        mask, test = asked.fine(claim)
        return lambda states: np.array([test(p) for p in np.unique(states & mask).tolist()], np.bool_)
    return lambda states: holds(_columns(asked.packed, claim.free, states))


def _ends(packed: Packing, needed: frozenset[Var]) -> Mapping[Var, Ends]:
    """Between which values fields and counters stay. Raises NoColumns for arrays."""
    slots = {v: packed.slots[v] for v in needed}
    if any(slot.values is not None for slot in slots.values()):
        raise NoColumns
    return {v: (slot.low, slot.low + slot.mask) for v, slot in slots.items()}


def _columns(packed: Packing, needed: frozenset[Var], states: Packed) -> Columns:
    return {v: _column(packed.slots[v], v, states) for v in needed}


def _column(slot: Slot, var: Var, states: Packed) -> Column:
    bits: Column = (states >> slot.shift) & slot.mask
    return np.not_equal(bits, 0) if var.sort == BOOL else bits + slot.low
