"""Checks that packed states are closed under steps, many at once: what `states` does state by state, with numpy.

Guards and new values are evaluated over columns (`terms.columns`). Steps that cannot be written so are looked up by the
bits that they depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from sa.automata.ranges import count_of, values_of
from sa.certificates import packed
from sa.certificates.rows import Listed, Rows, field_of, masks, parts_of, rows_of, set_field
from sa.checker.stepping import Packing, Slot, Stepped, Unfit
from sa.terms.build import constant
from sa.terms.columns import Column, Columns, Ends, NoColumns, over_columns
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many states are looked at at a time, initial ones, and with how many rows of choices a step is looked up.
_AT_ONCE, _BEGUN, _MANY = 1 << 18, 4_096, 64

Chosen: TypeAlias = npt.NDArray[Any]

#: Steps from states: of which of them, where they lead, whether they fail.
Steps: TypeAlias = Iterator[tuple[Chosen, Rows, bool]]
#: Who is stepped at a joint location: the thread that must be able to move if any, and all that are stepped with it.
Turn: TypeAlias = tuple[int | None, tuple[int, ...]]


class Question(Struct, frozen=True, eq=False):
    """What there is to check. `steps` are by thread and place. `turns` are the ways to step from a joint location that
    are enough; it raises Unfit for one that does not exist.

    `moves` are a thread's bits at a place, and what the steps there add to a state with such bits; `fine` the bits of a
    claim, and its test.
    """

    threads: Packing
    steps: Sequence[Sequence[Sequence[Stepped]]]
    claims: Sequence[Term]
    turns: Callable[[int], tuple[Turn, ...]]
    moves: Callable[[int, int], tuple[int, Callable[[int], tuple[int, ...]]]]
    fine: Callable[[Term], tuple[int, Callable[[int], bool]]]


class Fault(Exception):
    """Which condition does not hold, and how."""


def closed(asked: Question, given: packed.Columns, initial: Iterator[int], between: Callable[[], None]) -> None:
    """The states contain the initial ones and what the steps asked for lead to, none fails, claims hold.

    `between` is called now and then. Raises Fault, Unfit, Endless.
    """
    states = rows_of(given)
    if np.any(states < 0) or np.any(states > packed.ONES):
        raise Unfit("a word of a state has too many bits")
    listed = Listed(states)
    while begun := list(islice(initial, _BEGUN)):
        between()
        if not np.all(listed.has(rows_of(packed.columns(begun, len(states))))):
            raise Fault("initial states", "one is missing")
    tests = [_test(asked, c) for c in asked.claims]
    made, known = _Steppers(asked, len(states)), dict[int, tuple[Turn, ...]]()
    for start in range(0, listed.rows.shape[1], _AT_ONCE):
        between()
        part = listed.rows[:, start : start + _AT_ONCE]
        if not all(np.all(test(part)) for test in tests):
            raise Fault("claim", "it is false in one of the states")
        for turns, group in _by_turns(asked, part, known):
            left = group
            for turn in turns:
                left = left[:, ~_kept(made, turn, left, listed)]
                if not left.shape[1]:
                    break
            if left.shape[1]:
                raise Fault("closed under steps", "a step leads to a state that is not listed")


def _by_turns(
    asked: Question, states: Rows, known: dict[int, tuple[Turn, ...]]
) -> Iterator[tuple[tuple[Turn, ...], Rows]]:
    met, which = parts_of(states, asked.threads.places)
    numbers = dict[tuple[Turn, ...], int]()
    for places in met:
        if places not in known:
            known[places] = asked.turns(places)
        numbers.setdefault(known[places], len(numbers))
    of = np.array([numbers[known[places]] for places in met])[which]
    for turns, number in numbers.items():
        yield turns, states[:, of == number]


def _kept(made: _Steppers, turn: Turn, states: Rows, listed: Listed) -> Column:
    """Of which states the steps of a turn lead to states; the thread that goes first must have one. Raises Fault."""
    leader, moving = turn
    kept = np.ones(states.shape[1], np.bool_)
    if leader is not None:
        kept = np.zeros(states.shape[1], np.bool_)
        for chosen, _, _ in made.of(leader, states):
            kept[chosen] = True
    for thread in moving:
        # As state by state: who cannot go first is not looked at here.
        able = np.flatnonzero(kept)
        for chosen, after, failed in made.of(thread, states[:, able]):
            if failed and len(chosen):
                raise Fault("failing step", "it can be taken from one of the states")
            kept[able[chosen[~listed.has(after)]]] = False
    return kept


class _Steppers:
    """The steps of threads from their places, made when they are first asked for."""

    def __init__(self, asked: Question, words: int) -> None:
        self._asked, self._words = asked, words
        self._made = dict[tuple[int, int], Callable[[Rows], Steps]]()

    def of(self, thread: int, states: Rows) -> Steps:
        """The steps of a thread."""
        slot = self._asked.threads.slots[self._asked.threads.counters[thread]]
        places = field_of(states, slot.shift, slot.mask)
        for place in np.flatnonzero(np.bincount(places)).tolist():
            if (thread, place) not in self._made:
                self._made[thread, place] = _stepper(self._asked, thread, place, self._words)
            here = np.flatnonzero(places == place)
            for chosen, after, failed in self._made[thread, place](states[:, here]):
                yield here[chosen], after, failed


def _stepper(asked: Question, thread: int, place: int, words: int) -> Callable[[Rows], Steps]:
    try:
        return _over_columns(asked, thread, asked.steps[thread][place], words)
    except NoColumns:
        return _looked_up(asked, thread, place, words)


class _Written(Struct, frozen=True, eq=False):
    """An edge over columns, with a row of values for its choices: what it leaves of a state, the bits of the target."""

    test: Callable[[Columns], Column]
    values: tuple[tuple[Slot, Callable[[Columns], Column]], ...]
    left: Rows
    moved: Rows
    failed: bool


def _over_columns(asked: Question, thread: int, steps: Sequence[Stepped], words: int) -> Callable[[Rows], Steps]:
    threads = asked.threads
    read = frozenset[Var]().union(*(s.reads for s in steps))
    ends = _ends(threads, read)
    counter = threads.slots[threads.counters[thread]]
    written = tuple(w for step in steps for w in _rows(threads, counter, step, ends, words))

    def function(states: Rows) -> Steps:
        columns = _columns(threads, read, states)
        for edge in written:
            chosen = np.flatnonzero(np.broadcast_to(edge.test(columns), states.shape[1:]))
            if len(chosen):
                here = {v: c[chosen] for v, c in columns.items()}
                yield chosen, _after(edge, states[:, chosen], here), edge.failed

    return function


def _rows(threads: Packing, counter: Slot, step: Stepped, ends: Mapping[Var, Ends], words: int) -> Iterator[_Written]:
    """An edge for each row of values of its choices. Raises NoColumns."""
    slots = threads.slots
    if prod(count_of(c) or _MANY + 1 for c in step.choices) > _MANY:
        raise NoColumns
    if any(slots[v].values is not None or slots[v].low < -packed.ONES for v in step.updates):
        raise NoColumns
    replaced = sum(slots[v].mask << slots[v].shift for v in (*step.updates, *step.cleared))
    left = ~masks(replaced | counter.mask << counter.shift, words)
    moved = masks(step.target << counter.shift, words)
    for row in product(*(values_of(c) or () for c in step.choices)):
        known = {c.var: constant(x, c.var.sort) for c, x in zip(step.choices, row, strict=True)}
        test = over_columns(substitute(step.condition, known), ends)[0]
        values = ((slots[v], over_columns(substitute(t, known), ends)[0]) for v, t in step.updates.items())
        yield _Written(test, tuple(values), left, moved, step.failed)


def _after(edge: _Written, states: Rows, columns: Columns) -> Rows:
    after: Rows = (states & edge.left) | edge.moved
    for slot, value in edge.values:
        distance = np.asarray(value(columns), np.int64) - slot.low
        if np.any(distance < 0) or np.any(distance > slot.mask):
            raise Unfit("a value does not fit into its field")
        set_field(after, slot.shift, slot.mask, np.broadcast_to(distance, states.shape[1:]))
    return after


def _looked_up(asked: Question, thread: int, place: int, words: int) -> Callable[[Rows], Steps]:
    """Steps that are a function of some bits, and change only these and the counter; making one that fails raises."""
    read, make = asked.moves(thread, place)
    counter = asked.threads.slots[asked.threads.counters[thread]]
    mask = read | counter.mask << counter.shift
    known, kept = dict[int, tuple[int, ...]](), ~masks(mask, words)

    def ends(part: int) -> tuple[int, ...]:
        found = tuple(part + step for step in make(part & read))
        if any(end & mask != end for end in found):
            raise Unfit("a step changes more than it may")
        return found

    def function(states: Rows) -> Steps:
        parts, which = parts_of(states, mask)
        for part in parts:
            if part not in known:
                known[part] = ends(part)
        made = [known[part] for part in parts]
        counts = np.array([len(m) for m in made])
        for number in range(int(counts.max(initial=0))):
            after = [m[number] if number < len(m) else 0 for m in made]
            chosen = np.flatnonzero((counts > number)[which])
            yield chosen, (states[:, chosen] & kept) | rows_of(packed.columns(after, words))[:, which[chosen]], False

    return function


def _test(asked: Question, claim: Term) -> Callable[[Rows], Column]:
    try:
        holds = over_columns(claim, _ends(asked.threads, claim.free))[0]
    except NoColumns:
        mask, test = asked.fine(claim)
        return lambda states: np.array([test(p) for p in parts_of(states, mask)[0]], np.bool_)
    return lambda states: holds(_columns(asked.threads, claim.free, states))


def _ends(threads: Packing, needed: frozenset[Var]) -> Mapping[Var, Ends]:
    """Between which values fields and counters stay. Raises NoColumns for arrays."""
    slots = {v: threads.slots[v] for v in needed}
    if any(slot.values is not None for slot in slots.values()):
        raise NoColumns
    return {v: (slot.low, slot.low + slot.mask) for v, slot in slots.items()}


def _columns(threads: Packing, needed: frozenset[Var], states: Rows) -> Columns:
    return {v: _column(threads.slots[v], v, states) for v in needed}


def _column(slot: Slot, var: Var, states: Rows) -> Column:
    bits = field_of(states, slot.shift, slot.mask)
    return np.not_equal(bits, 0) if var.sort == BOOL else bits + slot.low
