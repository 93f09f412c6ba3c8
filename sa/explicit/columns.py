"""Packed states as columns: steps of a thread from a place, and claims, for many states at once, with numpy.

Guards and new values are evaluated over columns (`terms.columns`). Steps that cannot be written so (arrays, choices
among many values, products that may be large) are looked up by the bits that they depend on, as `search` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from sa.automata.ranges import count_of, values_of
from sa.certificates.packed import WORD, columns
from sa.certificates.rows import Rows, field_of, masks, parts_of, rows_of, set_field, state_of
from sa.explicit.layout import Layout, Slot, TooWide
from sa.explicit.moves import Making, moves_of, tested
from sa.explicit.system import Act
from sa.terms.build import constant
from sa.terms.columns import Column, Columns, Ends, NoColumns, over_columns
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: The choices of a step with more rows of values than this are looked up.
_MANY = 64

Chosen: TypeAlias = npt.NDArray[Any]

#: Steps: of which of some states, and where these lead.
Steps: TypeAlias = Iterator[tuple[Chosen, Rows]]
#: The steps of a thread from a place, for states in which it stands there.
Stepper: TypeAlias = Callable[[Rows], Steps]
#: Who is told of a question that a step fails, with a state that has the step.
Hits: TypeAlias = Callable[[int, int], None]


def columns_of(where: Layout, needed: Sequence[Var], states: Rows) -> Columns:
    """The columns of some variables and counters."""
    return {v: _column(where.slots[v], v, states) for v in needed}


def _column(slot: Slot, var: Var, states: Rows) -> Column:
    bits = field_of(states, slot.shift, slot.mask)
    if var.sort == BOOL:
        return np.not_equal(bits, 0)
    return bits + slot.low if slot.low else bits


def words_in(where: Layout) -> int:
    """How many words a state has."""
    return max(1, -(-where.width // WORD))


def ends_of(where: Layout, needed: Sequence[Var]) -> Mapping[Var, Ends]:
    """Between which values variables stay. Raises NoColumns for arrays."""
    slots = {v: where.slots[v] for v in needed}
    if any(slot.table is not None for slot in slots.values()):
        raise NoColumns
    return {v: (slot.low, slot.low + slot.mask) for v, slot in slots.items()}


class _Written(Struct, frozen=True, eq=False):
    """A step over columns: what is left of a state's bits, the bits of its new place, new values.

    `bads` are questions that it fails.
    """

    test: Callable[[Columns], Column]
    values: tuple[tuple[Slot, Callable[[Columns], Column], Ends], ...]
    left: Rows
    moved: Rows
    bads: tuple[int, ...]


def stepper(making: Making, thread: int, place: int, hits: Hits) -> Stepper:
    """The steps of a thread from a place."""
    acts = making.system.acts[thread][place]
    try:
        return _over_columns(making, acts, hits)
    except NoColumns:
        return _looked_up(making, thread, place, hits)


def _over_columns(making: Making, acts: Sequence[Act], hits: Hits) -> Stepper:
    s, where = making.system, making.layout
    touched = frozenset[Var]().union(*(a.reads for a in acts))
    needed = tuple(v for v in (*s.counters, *s.variables) if v in touched)
    ends = ends_of(where, needed)
    written = tuple(w for act in acts for w in _written(making, act, ends))

    def steps(states: Rows) -> Steps:
        read = columns_of(where, needed, states)
        for act in written:
            able: Column = act.test(read)
            size = states.shape[1]
            chosen = np.flatnonzero(able) if able.shape else np.arange(size if able else 0)
            if len(chosen):
                if len(chosen) == size:
                    yield chosen, _after(act, states, read)
                else:
                    yield chosen, _after(act, states[:, chosen], {v: c[chosen] for v, c in read.items()})
                for question in act.bads:
                    hits(question, state_of(states, int(chosen[0])))

    return steps


def _written(making: Making, act: Act, ends: Mapping[Var, Ends]) -> Iterator[_Written]:
    """A step for each row of values of its choices. Raises NoColumns."""
    s, slots = making.system, making.layout.slots
    if prod(count_of(c) or _MANY + 1 for c in act.choices) > _MANY:
        raise NoColumns
    if any(slots[v].table is not None for v in act.updates):
        raise NoColumns
    counter, words = s.counters[act.arc.thread], words_in(making.layout)
    replaced = sum(slots[v].mask << slots[v].shift for v in (counter, *act.updates, *act.forgotten))
    moved = masks(act.arc.target << slots[counter].shift, words)
    for picked in product(*(values_of(c) or () for c in act.choices)):
        known = {c.var: constant(x, c.var.sort) for c, x in zip(act.choices, picked, strict=True)}
        test = over_columns(substitute(act.condition, known), ends)[0]
        values = ((slots[v], *over_columns(substitute(t, known), ends)) for v, t in act.updates.items())
        yield _Written(test, tuple(values), ~masks(replaced, words), moved, act.bads)


def _after(act: _Written, states: Rows, columns: Columns) -> Rows:
    after: Rows = (states & act.left) | act.moved
    for slot, value, (low, high) in act.values:
        distance = value(columns) - slot.low if slot.low else value(columns)
        if (low < slot.low or high > slot.low + slot.mask) and not np.all((distance >= 0) & (distance <= slot.mask)):
            raise TooWide(slot.var)
        set_field(after, slot.shift, slot.mask, np.asarray(distance, np.int64))
    return after


def _looked_up(making: Making, thread: int, place: int, hits: Hits) -> Stepper:
    """Steps that are a function of some bits, as numbers to be added, which change these bits and the counter."""
    read, _, make = moves_of(making, thread, place)
    counter = making.layout.slots[making.system.counters[thread]]
    mask = read | counter.mask << counter.shift
    known, words = dict[int, tuple[int, ...]](), words_in(making.layout)

    def found(part: int, which: Chosen, number: int, states: Rows) -> tuple[int, ...]:
        if part not in known:
            known[part] = make(part & read)
            for question in making.hits:
                hits(question, state_of(states, int(np.argmax(which == number))))
            making.hits.clear()
        return known[part]

    def steps(states: Rows) -> Steps:
        parts, which = parts_of(states, mask)
        made = [found(part, which, number, states) for number, part in enumerate(parts)]
        counts = np.array([len(m) for m in made])
        kept = ~masks(mask, words)
        for number in range(int(counts.max(initial=0))):
            after = [p + m[number] if number < len(m) else 0 for p, m in zip(parts, made, strict=True)]
            chosen = np.flatnonzero((counts > number)[which])
            yield chosen, (states[:, chosen] & kept) | rows_of(columns(after, words))[:, which[chosen]]

    return steps


def test_of(making: Making, claim: Term) -> Callable[[Rows], Column]:
    """Of which states a claim holds."""
    where = making.layout
    needed = [v for v in (*making.system.counters, *making.system.variables) if v in claim.free]
    try:
        holds = over_columns(claim, ends_of(where, needed))[0]
    except NoColumns:
        mask, _, test = tested(making, claim)
        return lambda states: _by_parts(states, mask, test)
    return lambda states: holds(columns_of(where, needed, states))


def _by_parts(states: Rows, mask: int, test: Callable[[int], bool]) -> Column:
    parts, which = parts_of(states, mask)
    of_each: Column = np.array([test(p) for p in parts], np.bool_)[which]
    return of_each


def violated(states: Rows, holds: Column) -> int | None:
    """The first state that a test is false of."""
    wrong = np.flatnonzero(~np.broadcast_to(holds, states.shape[1:]))
    return state_of(states, int(wrong[0])) if len(wrong) else None
