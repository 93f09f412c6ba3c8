"""Where the cells of all objects are: a number for each, and for the code of each procedure.

The cells of a row at one distance from the starts of its elements are one *column*, which has a number that is no
address. Where a set of values has it, that stands for any of the column's addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.flow.graph import Cell, Object, Storage, base, code
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Term, Var

#: Codes of procedures, columns and objects begin here: far from numbers that programs use as pointers.
_FIRST_CODE, _FIRST_COLUMN, _FIRST_CELL = 0x5583_A1C3_0000, 0x5A17_C0DE_0000, 0x7F3B_62D4_0000
#: Objects that two files share begin here.
FIRST_SHARED = 0x6C20_93AE_0000


#: The kind of the cell behind an array that says how many elements it has.
EXTENT = "extent"


class Place(Struct, frozen=True):
    """A cell in memory, or a column of them."""

    object: Object
    cell: Cell


class Column(Struct, frozen=True):
    """`count` cells from the address `first` on, `stride` apart; `initials` are their initial values.

    Where the cell `extent` has a number, that is how many of them there are.
    """

    first: int
    stride: int
    count: int
    initials: tuple[Term | None, ...] = ()
    extent: int | None = None


class Layout(Struct, frozen=True):
    """`places` by number: the address of a cell, or the number of a column.

    `addresses` of objects and codes by their variables; `homes` are the ranges of objects, by each address and column
    in them. A home includes the address just behind the object, which nothing else has. `members` are the columns of
    addresses, `units` all numbers of an object by its first address. `allocated` are the first addresses of allocated
    objects, `lives` the cells that say whether an object has ended, by its first address.
    """

    places: Mapping[int, Place]
    addresses: Mapping[Var, int]
    homes: Mapping[int, tuple[int, int]]
    codes: frozenset[int]
    columns: Mapping[int, Column]
    members: Mapping[int, int]
    units: Mapping[int, tuple[int, ...]]
    allocated: frozenset[int]
    lives: Mapping[int, int]


def unset_value(cell: Cell) -> int:
    """What a cell has that was never written: no value of its type. Who reads it first gives it one of the type."""
    return (-(2**63) if cell.range.low is None else cell.range.low) - 1


def layout(objects: Iterable[Object], procedures: Iterable[str], fixed: Mapping[str, int] | None = None) -> Layout:
    """The layout of objects and codes. Some objects have `fixed` addresses, by their names."""
    objects = tuple(objects)
    places, addresses, homes = dict[int, Place](), dict[Var, int](), dict[int, tuple[int, int]]()
    columns, members, units = dict[int, Column](), dict[int, int](), dict[int, tuple[int, ...]]()
    for number, name in enumerate(procedures):
        addresses[code(name)] = _FIRST_CODE + number
    codes = frozenset(addresses.values())
    here = _FIRST_CELL
    for obj in objects:
        first = (fixed or {}).get(obj.name, here)
        end = first + len(obj.cells)
        addresses[base(obj.name)] = first
        for address in range(first, end + 1):
            homes[address] = (first, end)
        own = _columns(obj, first)
        for number, (column, place) in enumerate(own, _FIRST_COLUMN + len(columns)):
            columns[number], places[number], homes[number] = column, place, (first, end)
            members.update(dict.fromkeys(addresses_in(column), number))
        single = [first + offset for offset in range(len(obj.cells)) if first + offset not in members]
        places.update({address: Place(obj, obj.cells[address - first]) for address in single})
        units[first] = (*single, *(n for n in columns if homes[n] == (first, end)))
        here = here if fixed is not None and obj.name in fixed else end + 1
    allocated = frozenset(addresses[base(o.name)] for o in objects if o.storage is Storage.HEAP)
    lives = {addresses[base(o.life_of)]: addresses[base(o.name)] for o in objects if o.life_of}
    return Layout(places, addresses, homes, codes, columns, members, units, allocated, lives)


def _columns(obj: Object, first: int) -> list[tuple[Column, Place]]:
    found = list[tuple[Column, Place]]()
    extent = first + len(obj.cells) - 1 if obj.cells and obj.cells[-1].key == EXTENT else None
    for row in obj.rows:
        stride = len(row.paths)
        for distance, path in enumerate(row.paths):
            cells = obj.cells[row.start + distance : row.start + stride * row.count : stride]
            column = Column(first + row.start + distance, stride, row.count, tuple(c.initial for c in cells), extent)
            found.append((column, Place(obj, replace(cells[0], path=path))))
    return found


def addresses_in(column: Column) -> range:
    """The addresses of the cells of a column."""
    return range(column.first, column.first + column.stride * column.count, column.stride)


def extent_of(number: int, where: Layout) -> int | None:
    """The cell that says how many elements the array has that a cell or column is in, or how many scalars, without one.

    None where that is constant.
    """
    column = where.columns.get(number)
    if column is not None:
        return column.extent
    last = where.homes[number][1] - 1
    place = where.places.get(last)
    return last if last != number and place is not None and place.cell.key == EXTENT else None


def cell_at(value: int, where: Layout) -> int | None:
    """The number of the cell or column that a value means; None if it means none."""
    number = where.members.get(value, value)
    return number if number in where.places else None


def location_of(number: int, where: Layout) -> int:
    """The memory location of a cell or column: the number of the first one in it."""
    return number - where.places[number].cell.behind


def near(start: int, distance: int, around: int, where: Layout) -> set[int]:
    """The numbers of cells in the object of `start` that are at the distance from it, up to multiples of `around`.

    A `start` that is a column is any address of it.
    """
    column = where.columns.get(start, Column(start, 0, 1))
    found = set[int]()
    for number in where.units[where.homes[start][0]]:
        there = where.columns.get(number, Column(number, 0, 1))
        # k * column.stride + m * around - j * there.stride is this, for k and j in the columns.
        between = there.first - column.first - distance
        step = gcd(around, column.stride, there.stride)
        least, most = -(there.count - 1) * there.stride, (column.count - 1) * column.stride
        if between == 0 or (step and between % step == 0 and (around or least <= between <= most)):
            found.add(number)
    return found


def object_named(address: Term, where: Layout) -> str | None:
    """The object of the file that an address names, with a distance from its start; None for what is pointed to."""
    _, parts = linear_parts(address)
    named = [v for v in parts if isinstance(v, Var) and v in where.addresses]
    home = where.homes.get(where.addresses[named[0]]) if len(named) == 1 and parts[named[0]] == 1 else None
    if home is None or not where.units[home[0]]:
        return None
    found = where.places[where.units[home[0]][0]].object
    return found.name if found.storage is Storage.STATIC else None


def is_at(address: Term, number: int, where: Layout) -> Term:
    """That an address is that of a cell, or of one of a column."""
    column = where.columns.get(number)
    if column is None:
        return build.eq(address, build.integer(number))
    last = column.first + column.stride * (column.count - 1)
    distance = build.sub(address, build.integer(column.first))
    aligned = build.eq(build.mod(distance, column.stride), build.ZERO) if column.stride > 1 else build.TRUE
    inside = build.land(build.le(build.integer(column.first), address), build.le(address, build.integer(last)))
    return build.land(inside, aligned)


def element(address: Term, column: Column) -> Term:
    """Which element of a column is at an address."""
    distance = build.sub(address, build.integer(column.first))
    return build.div(distance, column.stride) if column.stride > 1 else distance
