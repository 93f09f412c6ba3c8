"""Where the cells of all objects are: a number for each, and for the code of each procedure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from sa.frontends.flow.graph import Cell, Object, base, code
from sa.terms.term import Var

#: Codes of procedures and objects begin here: far from numbers that programs use as pointers.
_FIRST_CODE, _FIRST_CELL = 0x5583_A1C3_0000, 0x7F3B_62D4_0000


class Place(Struct, frozen=True):
    """A cell in memory."""

    object: Object
    cell: Cell


class Layout(Struct, frozen=True):
    """`places` by address; `addresses` of objects and codes by their variables; `homes` are the ranges of objects.

    A home includes the address just behind the object, which nothing else has.
    """

    places: Mapping[int, Place]
    addresses: Mapping[Var, int]
    homes: Mapping[int, tuple[int, int]]
    codes: frozenset[int]


def layout(objects: Iterable[Object], procedures: Iterable[str]) -> Layout:
    """The layout of objects and codes."""
    places, addresses, homes = dict[int, Place](), dict[Var, int](), dict[int, tuple[int, int]]()
    for number, name in enumerate(procedures):
        addresses[code(name)] = _FIRST_CODE + number
    codes = frozenset(addresses.values())
    here = _FIRST_CELL
    for obj in objects:
        first, end = here, here + len(obj.cells)
        addresses[base(obj.name)] = first
        for address in range(first, end + 1):
            homes[address] = (first, end)
        for offset, cell in enumerate(obj.cells):
            places[first + offset] = Place(obj, cell)
        here = end + 1
    return Layout(places, addresses, homes, codes)
