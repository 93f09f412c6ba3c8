"""What two functions that are compared alone have in common: the cells that they access, of the same types."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.base.source import Source
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.graph import Cell, Unit
from sa.frontends.flow.held import Changes
from sa.frontends.flow.layout import Column, Layout
from sa.frontends.flow.observables import is_published, not_compared
from sa.frontends.flow.shared_inputs import Common
from sa.frontends.flow.things import Key, Spelling, Things, key_of, spelling
from sa.frontends.flow.threads import Thread
from sa.terms.term import Term

#: More variables are too many for labels that show all of them.
MOST_CELLS = 24


class Function(Struct, frozen=True):
    """A function of a file that is to be compared: its thread, and the shared cells that it accesses.

    `first` are the values of all shared cells when the program begins; `columns` those that are used, and
    `changes` what can be told of how others change these.
    """

    unit: Unit
    source: Source
    thread: Thread
    where: Layout
    known: Accesses
    used: Mapping[Key, Cell]
    first: Mapping[Key, Term | None]
    things: Things
    common: Common
    columns: Mapping[Key, Column]
    changes: Changes


class Both(Struct, frozen=True):
    """What two functions have in common: the `cells` that any of them accesses plainly, and how actions are spelled.

    Some are `columns`, with their `changes`, others `mixed`: they are accessed atomically, too. What the target writes
    is `noted`, since nobody owes it others. Objects are `fixed` if they are constant. Cells are `begun` with values by
    the program.
    """

    cells: Mapping[Key, Cell]
    columns: Mapping[Key, Column]
    changes: Changes
    mixed: frozenset[Key]
    noted: frozenset[Key]
    fixed: frozenset[str]
    begun: Mapping[Key, Term | None] | None
    spelling: Spelling


def both_of(abstract: Function, concrete: Function, beginning: bool) -> Both:
    """What two functions have in common. Raises InputError."""
    columns = _columns(abstract, concrete)
    if columns and beginning:
        what = "a large array in the function that a program begins with"
        raise not_compared(what, concrete.thread.graph.steps[0].origin, "compare the function with `--function`")
    cells, common = _cells(abstract, concrete), concrete.common
    return Both(
        cells,
        columns,
        _changes(abstract.changes, concrete.changes),
        mixed_of(abstract, concrete),
        _written_by(concrete, mixed_of(abstract, concrete)),
        frozenset(o.name for f in (abstract, concrete) for o in f.unit.objects if o.kept),
        {**concrete.first, **abstract.first} if beginning else None,
        spelling(abstract.things, concrete.things, common.open),
    )


def _cells(abstract: Function, concrete: Function) -> Mapping[Key, Cell]:
    """The shared cells of both, in one order. Raises InputError where their types differ or they are too many."""
    used = {**abstract.used, **concrete.used}
    if len(used) > MOST_CELLS:
        what = f"what shares {len(used)} numbers with others, more than {MOST_CELLS},"
        hint = "compare a function that uses fewer variables and elements of arrays"
        raise not_compared(what, concrete.thread.graph.steps[0].origin, hint)
    kept = {o.name: o.kept for f in (abstract, concrete) for o in f.unit.objects}
    _handed_on_alike(abstract, concrete)
    for obj in (o for f in (abstract, concrete) for o in f.unit.objects):
        for cell in obj.cells:
            known = used.get((obj.name, cell.path))
            if known is not None and obj.kept != kept[obj.name]:
                message = f"`{obj.name}` is constant in one file only"
                raise InputError((error("SA405", message, obj.origin.span, "declare it alike in both files"),))
            if known is not None and (known.key, known.range) != (cell.key, cell.range):
                message = f"`{obj.name}{cell.path}` has another type in the other file"
                raise InputError((error("SA405", message, obj.origin.span, "declare it alike in both files"),))
    return {k: used[k] for k in sorted(used)}


def _handed_on_alike(abstract: Function, concrete: Function) -> None:
    """Raises InputError where objects whose addresses are handed on have other types in the other file."""
    objects = abstract.thread.graph.objects
    for name, obj in concrete.thread.graph.objects.items():
        other = objects.get(name, obj) if is_published(name) else obj
        if [(c.path, c.key, c.range) for c in obj.cells] != [(c.path, c.key, c.range) for c in other.cells]:
            message = f"`{obj.told or name}`, whose address is handed on, has another type in the other file"
            hint = "hand on objects of the same types, in the same order, in both files"
            raise InputError((error("SA405", message, obj.origin.span, hint),))


def _changes(one: Changes, other: Changes) -> Changes:
    return Changes(one.gained or other.gained, one.merged or other.merged, one.lost or other.lost)


def _columns(abstract: Function, concrete: Function) -> Mapping[Key, Column]:
    """The columns of both. Raises InputError where they are others in the other file, or accessed atomically, too."""
    found = {**abstract.columns, **concrete.columns}
    if {name for name, _ in found} & {k[0] for f in (abstract, concrete) for k in f.things.atomic}:
        what = "an array whose elements are chosen by variables and accessed both atomically and plainly"
        hint = "access its elements in one way, or by constant indices"
        raise not_compared(what, concrete.thread.graph.steps[0].origin, hint)
    rows = {o.name: o.rows for o in abstract.unit.objects}
    for obj in concrete.unit.objects:
        if any(name == obj.name for name, _ in found) and rows.get(obj.name, obj.rows) != obj.rows:
            message = f"`{obj.name}` has another type in the other file"
            raise InputError((error("SA405", message, obj.origin.span, "declare it alike in both files"),))
    return found


def mixed_of(abstract: Function, concrete: Function) -> frozenset[Key]:
    """The cells that are accessed plainly in one place and atomically in another, of either file."""
    used = abstract.used.keys() | concrete.used.keys()
    return frozenset(used & (abstract.things.atomic.keys() | concrete.things.atomic.keys()))


def _written_by(function: Function, mixed: frozenset[Key]) -> frozenset[Key]:
    """The cells that a function writes, also by atomic stores if they are `mixed`."""
    places = function.known.found.layout.places
    plainly = {key_of(places[c]) for a in function.known.of.values() if a.writes for c in a.cells}
    return frozenset(plainly | {k for k, writes in function.things.atomic.items() if writes and k in mixed})
