"""What a function that is compared alone knows of each plain cell: registers for its value and its permission.

A cell that is accessed atomically, too, has three permissions. Nobody else accesses it: then it is as good as a
variable of the function's own. Others may read it: then it has the value that the function knows. Others may write it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.frontends.flow.graph import ANY, Cell, Graph, Range, Register, Words
from sa.frontends.flow.layout import Column, element
from sa.frontends.flow.naming import ARRAY
from sa.terms import build
from sa.terms.sort import INT, Sort
from sa.terms.term import Term, Var

_BIT = Range(0, 1)


#: Nobody else has the address of a cell, or others have, or the cell has ended since.
HIDDEN, SEEN, ENDED = 0, 1, 2


class Changes(Struct, frozen=True):
    """What can be told of how others change the elements of columns, by accesses before and behind actions.

    They are accessed behind acquires (`gained`), or behind releases (`lost`). Where they are accessed before acquires,
    what is new is `merged` with what was there.
    """

    gained: bool
    merged: bool
    lost: bool


NO_CHANGES = Changes(False, False, False)


class Own(Struct, frozen=True):
    """Of a cell that is the function's own first: who has its address, and whether it has a value.

    What `ends` with the function is accessed by nobody from then on.
    """

    seen: Var
    has: Var
    ends: bool


class Held(Struct, frozen=True):
    """The registers of a cell: its value, whether it may be accessed, whether it was written, whether it will be.

    Values from outside are in `given`, for those that a thread computes are exact and may leave the type.
    What is `fixed` nobody changes, and everybody may read. What is `mixed` is accessed atomically, too.
    What is the function's `own` is nobody else's before others get to see its address.
    Where a thread is the first one of all it has every permission, and the cell its `first` value if that is known.
    Of a `column`, the bits are about the element with the number `picked`, and `changes` says how others change it.
    """

    cell: Cell
    given: Range
    value: Var
    may: Var
    wrote: Var
    owes: Var
    mixed: bool = False
    own: Own | None = None
    fixed: bool = False
    alone: bool = False
    first: Term | None = None
    column: Column | None = None
    picked: Var | None = None
    changes: Changes = NO_CHANGES


class Wanted(Struct, frozen=True):
    """A cell or column that gets registers: how these are named, and what it is called.

    If it is the function's own at first it is said whether it ends with the function.
    """

    name: str
    told: str
    cell: Cell
    column: Column | None
    mixed: bool
    ends: bool | None
    changes: Changes


def held(graph: Graph, wanted: Wanted) -> Held:
    """Registers for a cell. The graph gets them."""

    def register(word: str, range_: Range, sort: Sort = INT) -> Var:
        var = build.variable(f"{word}.{wanted.name}", sort)
        text, words = (f"{word} {wanted.told}", Words(about=wanted.told)) if word else (wanted.told, wanted.cell.words)
        graph.registers[var] = Register(var, range_, Origin(None, text), told=text, words=words)
        return var

    cell, column = wanted.cell, wanted.column
    sort = INT if column is None else ARRAY
    own = None
    if wanted.ends is not None:
        own = Own(register("is seen", Range(HIDDEN, ENDED)), register("has a value", _BIT), wanted.ends)
    return Held(
        cell,
        ANY if column is not None else given_range(cell.key, cell.range),
        register("", cell.range if column is None else ANY, sort),
        register("may access", ANY if column is not None else Range(0, 2 if wanted.mixed else 1), sort),
        register("has written", _BIT),
        register("will write", _BIT),
        mixed=wanted.mixed,
        own=own,
        column=column,
        picked=None if column is None else register("picked of", Range(0, column.count - 1)),
        changes=wanted.changes,
    )


def given_range(key: str, range_: Range) -> Range:
    """The values that the environment may give a cell or register of a kind."""
    bits = re.fullmatch(r"int(\d+)", key)
    return range_ if bits is None else Range(-(2 ** (int(bits[1]) - 1)), 2 ** (int(bits[1]) - 1) - 1)


def full(cell: Held) -> int:
    """The permission of who may write plainly."""
    return 2 if cell.mixed else 1


def is_allowed(cell: Held, address: Term, writes: bool) -> Term:
    """That a plain access is no race."""
    if cell.column is not None:
        return build.eq(build.select(cell.may, element(address, cell.column)), build.ONE)
    if cell.mixed and not writes:
        return build.le(build.ONE, cell.may)
    return build.eq(cell.may, build.integer(full(cell)))


def is_lacking(cell: Held) -> Term:
    """That a plain store is a race."""
    return build.le(cell.may, build.integer(full(cell) - 1))


def is_seen(cell: Held) -> Term:
    """That others have the cell's address, and may follow it."""
    return build.TRUE if cell.own is None else build.eq(cell.own.seen, build.integer(SEEN))


def called_otherwise(cell: Held, names: Mapping[Var, Var]) -> Held:
    """The cell with other names for its registers."""
    own = None if cell.own is None else replace(cell.own, seen=names[cell.own.seen], has=names[cell.own.has])
    value, may, wrote, owes = (names[v] for v in (cell.value, cell.may, cell.wrote, cell.owes))
    return replace(cell, value=value, may=may, wrote=wrote, owes=owes, own=own)


def known_by_place(cell: Held) -> tuple[Var, ...]:
    """The registers by whose values locations are told apart."""
    return (cell.may,) if cell.own is None else (cell.may, cell.own.seen, cell.own.has)
