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

Packed: TypeAlias = npt.NDArray[np.int64]
Chosen: TypeAlias = npt.NDArray[Any]

#: Steps: of which of some states, and where these lead.
Steps: TypeAlias = Iterator[tuple[Chosen, Packed]]
#: The steps of a thread from a place, for states in which it stands there.
Stepper: TypeAlias = Callable[[Packed], Steps]
#: Who is told of a question that a step fails, with a state that has the step.
Hits: TypeAlias = Callable[[int, int], None]


def columns_of(where: Layout, needed: Sequence[Var], states: Packed) -> Columns:
    """The columns of some variables and counters."""
    return {v: _column(where.slots[v], v, states) for v in needed}


def _column(slot: Slot, var: Var, states: Packed) -> Column:
    bits: Column = (states >> slot.shift) & slot.mask
    if var.sort == BOOL:
        return np.not_equal(bits, 0)
    return bits + slot.low if slot.low else bits


def ends_of(where: Layout, needed: Sequence[Var]) -> Mapping[Var, Ends]:
    """Between which values variables stay. Raises NoColumns for arrays."""
    slots = {v: where.slots[v] for v in needed}
    if any(slot.table is not None for slot in slots.values()):
        raise NoColumns
    return {v: (slot.low, slot.low + slot.mask) for v, slot in slots.items()}


class _Written(Struct, frozen=True, eq=False):
    """A step over columns. `moved`, `replaced` as in `search`; `bads` are questions that it fails."""

    test: Callable[[Columns], Column]
    values: tuple[tuple[Slot, Callable[[Columns], Column], Ends], ...]
    moved: int
    replaced: int
    bads: tuple[int, ...]


def stepper(making: Making, thread: int, place: int, hits: Hits) -> Stepper:
    """The steps of a thread from a place."""
    acts = making.system.acts[thread][place]
    try:
        return _over_columns(making, acts, hits)
    except NoColumns:
        mask, _, make = moves_of(making, thread, place)
        return _looked_up(mask, make, making, hits)


def _over_columns(making: Making, acts: Sequence[Act], hits: Hits) -> Stepper:
    s, where = making.system, making.layout
    touched = frozenset[Var]().union(*(a.reads for a in acts))
    needed = tuple(v for v in (*s.counters, *s.variables) if v in touched)
    ends = ends_of(where, needed)
    written = tuple(w for act in acts for w in _written(making, act, ends))

    def steps(states: Packed) -> Steps:
        columns = columns_of(where, needed, states)
        for act in written:
            able: Column = act.test(columns)
            chosen = np.flatnonzero(able) if able.shape else np.arange(len(states) if able else 0)
            if len(chosen):
                if len(chosen) == len(states):
                    yield chosen, _after(act, states, columns)
                else:
                    yield chosen, _after(act, states[chosen], {v: c[chosen] for v, c in columns.items()})
                for question in act.bads:
                    hits(question, int(states[chosen[0]]))

    return steps


def _written(making: Making, act: Act, ends: Mapping[Var, Ends]) -> Iterator[_Written]:
    """A step for each row of values of its choices. Raises NoColumns."""
    s, slots = making.system, making.layout.slots
    if prod(count_of(c) or _MANY + 1 for c in act.choices) > _MANY:
        raise NoColumns
    if any(slots[v].table is not None for v in act.updates):
        raise NoColumns
    moved = act.arc.target - act.arc.source << slots[s.counters[act.arc.thread]].shift
    replaced = sum(slots[v].mask << slots[v].shift for v in (*act.updates, *act.forgotten))
    for picked in product(*(values_of(c) or () for c in act.choices)):
        known = {c.var: constant(x, c.var.sort) for c, x in zip(act.choices, picked, strict=True)}
        test = over_columns(substitute(act.condition, known), ends)[0]
        values = ((slots[v], *over_columns(substitute(t, known), ends)) for v, t in act.updates.items())
        yield _Written(test, tuple(values), moved, replaced, act.bads)


def _after(act: _Written, states: Packed, columns: Columns) -> Packed:
    after: Packed = (states & ~act.replaced) + act.moved
    for slot, value, (low, high) in act.values:
        distance = value(columns) - slot.low if slot.low else value(columns)
        if (low < slot.low or high > slot.low + slot.mask) and not np.all((distance >= 0) & (distance <= slot.mask)):
            raise TooWide(slot.var)
        after += np.asarray(distance, np.int64) << slot.shift
    return after


def _looked_up(mask: int, make: Callable[[int], tuple[int, ...]], making: Making, hits: Hits) -> Stepper:
    """Steps that are a function of some bits, as numbers to be added."""
    known = dict[int, tuple[int, ...]]()

    def found(part: int, which: Chosen, number: int, states: Packed) -> tuple[int, ...]:
        if part not in known:
            known[part] = make(part)
            for question in making.hits:
                hits(question, int(states[np.argmax(which == number)]))
            making.hits.clear()
        return known[part]

    def steps(states: Packed) -> Steps:
        parts, which = np.unique(states & mask, return_inverse=True)
        made = [found(part, which, number, states) for number, part in enumerate(parts.tolist())]
        counts = np.array([len(m) for m in made])
        for number in range(int(counts.max(initial=0))):
            added = np.array([m[number] if number < len(m) else 0 for m in made], np.int64)
            chosen = np.flatnonzero((counts > number)[which])
            yield chosen, states[chosen] + added[which[chosen]]

    return steps


def test_of(making: Making, claim: Term) -> Callable[[Packed], Column]:
    """Of which states a claim holds."""
    where = making.layout
    needed = [v for v in (*making.system.counters, *making.system.variables) if v in claim.free]
    try:
        holds = over_columns(claim, ends_of(where, needed))[0]
    except NoColumns:
        mask, _, test = tested(making, claim)
        return lambda states: _by_parts(states & mask, test)
    return lambda states: holds(columns_of(where, needed, states))


def _by_parts(states: Packed, test: Callable[[int], bool]) -> Column:
    parts, which = np.unique(states, return_inverse=True)
    return np.array([test(p) for p in parts.tolist()], np.bool_)[which]


def violated(states: Packed, holds: Column) -> int | None:
    """The first state that a test is false of."""
    wrong = np.flatnonzero(~np.broadcast_to(holds, states.shape))
    return int(states[wrong[0]]) if len(wrong) else None
