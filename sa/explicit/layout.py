"""Where the variables stand in a packed state, and values put there. The format is that of `certificates.states`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Variable
from sa.automata.ranges import count_of
from sa.certificates.states import Field, place_widths
from sa.explicit.system import System
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, Value, default_value, number
from sa.terms.term import Var

#: Bits of an int without a range: at first, and more where that does not do.
WIDTHS = (12, 24, 48, 96)


class TooWide(Exception):
    """A value does not fit into the field of a variable."""

    def __init__(self, var: Var) -> None:
        super().__init__(var.name)
        self.var = var


class Table(Struct):
    """The arrays met so far: a value is written as its place among them. Place 0 has one for what is not kept."""

    values: list[Value]
    places: dict[Value, int]


class Slot(Struct, frozen=True):
    """A field with its place: the value is `(packed >> shift & mask) + low`, or stands at that place in the table."""

    var: Var
    shift: int
    mask: int
    low: int
    table: Table | None = None


class Layout(Struct, frozen=True, eq=False):
    """The fields of a system's states, of `width` bits together. `slots` are those of counters, too.

    `places` covers the counters. Tables fill as values are met.
    """

    fields: tuple[Field, ...]
    slots: Mapping[Var, Slot]
    places: int
    width: int


def layout(s: System, widths: Mapping[Var, int]) -> Layout:
    """The layout where ints without a range, and arrays, have so many bits; the least of WIDTHS otherwise."""
    kept = s.shared.union(*(here for by_place in s.kept for here in by_place))
    fields = tuple(_field(v, widths.get(v.var, WIDTHS[0])) for v in s.variables.values() if v.var in kept)
    slots, shift = dict[Var, Slot](), 0
    for counter, size in zip(s.counters, place_widths(s.threads), strict=True):
        slots[counter] = Slot(counter, shift, (1 << size) - 1, 0)
        shift += size
    places = (1 << shift) - 1
    for made in fields:
        usual = default_value(made.var.sort)
        table = Table([usual], {usual: 0}) if isinstance(made.var.sort, ArraySort) else None
        slots[made.var] = Slot(made.var, shift, (1 << made.width) - 1, made.low, table)
        shift += made.width
    return Layout(fields, slots, places, shift)


def _field(v: Variable, width: int) -> Field:
    match v.var.sort:
        case BoolSort() | EnumSort():
            count = count_of(v)
            assert count is not None  # such sorts are finite
            return Field(v.var, 0, (count - 1).bit_length())
        case IntSort():
            if v.low is not None and v.high is not None:
                return Field(v.var, v.low, max(v.high - v.low, 0).bit_length())
            return Field(v.var, -(1 << width - 1), width)
        case ArraySort():
            return Field(v.var, 0, width)
        case _:
            assert_never(v.var.sort)


def known(where: Layout) -> tuple[Field, ...]:
    """The fields with the values that the tables have now."""
    tables = {f.var: where.slots[f.var].table for f in where.fields}
    return tuple(f if (t := tables[f.var]) is None else replace(f, values=tuple(t.values)) for f in where.fields)


def placed(slot: Slot, value: Value) -> int:
    """The bits of a value; one that is new to the table is added. Raises TooWide."""
    table = slot.table
    if table is None:
        distance = number(value) - slot.low
    else:
        distance = table.places.setdefault(value, len(table.values))
        if distance == len(table.values):
            table.values.append(value)
    if not 0 <= distance <= slot.mask:
        raise TooWide(slot.var)
    return distance << slot.shift
