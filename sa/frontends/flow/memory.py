"""What loads and stores of a path do to the cells of memory, and what cells are at first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from sa.automata.automaton import Variable
from sa.base.diagnostic import InputError, error
from sa.base.source import position
from sa.frontends.flow.access import Access
from sa.frontends.flow.cuts import Work, may_race
from sa.frontends.flow.graph import ANY, Cell, Load, Range, Step, Store, base
from sa.frontends.flow.heap import JOINED
from sa.frontends.flow.joins import EARLY
from sa.frontends.flow.layout import Column, element, extent_of, is_at, unset_value
from sa.frontends.flow.lives import Free
from sa.frontends.flow.paths import Path, Touched, choice_of
from sa.frontends.flow.rows import changed, chosen, filled
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.values import OTHER, Values, evaluate
from sa.frontends.flow.views import seen_as
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term


class Meant(NamedTuple):
    """A cell that a step may access and that may race: the condition that it does, and of a column the element."""

    cell: int
    here: Term
    element: Term | None


def racing_at(step: Step, address: Term, work: Work) -> Iterator[Meant]:
    """What a step accesses that may race; where an object is freed, all of it."""
    where, cells = work.known.found.layout, work.known.racing.cells.get(id(step), ())
    for cell in cells:
        if not may_race(step, cell, work):
            continue
        if isinstance(step.op, Free):
            yield Meant(cell, build.eq(address, build.integer(where.homes[cell][0])), None)
        else:
            here = is_at(address, cell, where) if len(cells) > 1 else build.TRUE
            column = _column(cell, work)
            yield Meant(cell, here, None if column is None else element(address, column))


def may_be_early(path: Path, work: Work) -> Term:
    """That the first thread, which is another one, has written what others may read too early."""
    number = work.known.found.layout.addresses.get(base(EARLY))
    if number is None or number in work.known.fixed or work.thread.number == 1:
        return build.FALSE
    var = work.names.cells[number]
    return build.ne(path.store.get(var, var), build.ZERO)


def is_early(step: Step) -> bool:
    """Whether an access is of the first thread where it is early."""
    return step.op.early if isinstance(step.op, Free) else isinstance(step.op, Load | Store) and step.op.wrong == JOINED


def touched(step: Step, address: Term, path: Path, work: Work) -> Iterator[Touched]:
    """What others may access at once, unless a monitor watches for that."""
    if work.names.monitor is not None:
        return
    chosen, span = {c.var for c in path.choices}, step.origin.span
    line = None if span is None else position(span.source, span.start).line
    for at, here, index in racing_at(step, address, work):
        writes, atomic = work.known.racing.manners[id(step)]
        known = (c for c in build.conjoined((path.guard, here)) if not c.free & chosen)
        if index is not None and index.free & chosen:
            message = "which element of a large array this is is chosen in the same step"
            raise InputError((error("SA724", message, None if path.origin is None else path.origin.span),))
        yield Touched(at, writes, atomic, build.land(*known), index, is_early(step), line)


def is_meant(address: Term, number: int, access: Access, work: Work) -> Term:
    """That it is this cell of an access, or in this column."""
    return is_at(address, number, work.known.found.layout) if len(access.cells) > 1 else build.TRUE


def values_of(term: Term, work: Work) -> Values:
    """The values that a term may have in the thread."""
    return evaluate(term, work.known.found, work.thread.number)


def not_unknown(step: Step, access: Access, values: Values, work: Work) -> None:
    """Raises InputError where an access may be of anything."""
    assert isinstance(step.op, Load | Store)
    if access.cells or access.kept or OTHER not in values:
        return
    if any(OTHER in values_of(v, work) for v in step.op.address.free):
        message = "it is not known here which object this address belongs to"
        raise InputError((error("SA714", message, step.origin.span, "numbers cannot be used as pointers"),))


def _column(number: int, work: Work) -> Column | None:
    return work.known.found.layout.columns.get(number)


def loaded(address: Term, access: Access, key: str, path: Path, work: Work) -> Term:
    """What a load of a type at an address reads."""
    value: Term | None = None
    for at in reversed(access.cells):
        if at in work.known.fixed:
            here: Term = build.integer(work.known.fixed[at])
        else:
            cell = work.names.cells[at]
            here = path.store.get(cell, cell)
            if (column := _column(at, work)) is not None:
                here = chosen(here, element(address, column), work.known.found.layout.places[at].cell)
        here = seen_as(here, _key(at, work), key)
        value = here if value is None else build.ite(is_at(address, at, work.known.found.layout), here, value)
    assert value is not None
    return value


def outside_extents(address: Term, access: Access, path: Path, work: Work) -> Term:
    """That an address is behind the end of an array whose number of elements is not constant."""
    found = list[Term]()
    for at in access.cells:
        layout, column = work.known.found.layout, _column(at, work)
        if (extent := extent_of(at, layout)) is None:
            continue
        index = build.integer(at - layout.homes[at][0]) if column is None else element(address, column)
        beyond = build.le(length(extent, path, work), index)
        found.append(build.land(is_meant(address, at, access, work), beyond))
    return build.lor(*found)


def length(extent: int, path: Path, work: Work) -> Term:
    """How long an array is, as a cell says that nobody changes any more."""
    known, cell = work.known.fixed.get(extent), work.names.cells.get(extent)
    return build.integer(known or 0) if cell is None else path.store.get(cell, cell)


def set_first(address: Term, access: Access, path: Path, step: Step, work: Work) -> Iterator[Path]:
    """The path where nothing arbitrary is read, and the one where the cell that is read gets any value first.

    A path that has chosen such a value already is not divided again: what it need not choose is determined.
    """
    unset = dict[int, Term]()
    for at in access.cells:
        if at in work.known.unset and at in work.names.cells:
            var = work.names.cells[at]
            here = build.eq(path.store.get(var, var), build.integer(unset_value(_cell(at, work))))
            unset[at] = build.land(here, is_meant(address, at, access, work))
    needed = simplified(build.lor(*unset.values()))
    if not path.chose or needed is build.FALSE:
        never = build.land(path.guard, simplified(build.lnot(needed)))
        if never is not build.FALSE:
            yield replace(path, guard=never)
    first = build.land(path.guard, build.TRUE if path.chose else needed)
    if first is build.FALSE or needed is build.FALSE:
        return
    store, choices = dict(path.store), dict[Range, Variable]()
    for at, condition in unset.items():
        var, range_ = work.names.cells[at], _first_range(_cell(at, work))
        if range_ not in choices:
            choices[range_] = choice_of(var, range_, step.origin, work)
        store[var] = build.ite(simplified(condition), choices[range_].var, store.get(var, var))
    idle = (build.eq(c.var, build.integer(max(0, c.low or 0))) for c in choices.values())
    determined = build.lor(needed, build.land(*idle)) if path.chose else build.TRUE
    made = (*path.choices, *choices.values())
    yield replace(path, guard=build.land(first, determined), store=store, choices=made, chose=True)


def _first_range(cell: Cell) -> Range:
    """The values that a cell may have when it is read before it is written: what it has instead is none of them."""
    if cell.range.low is not None:
        return cell.range
    bits = 32 if cell.key == "int32" else 64
    return Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _cell(number: int, work: Work) -> Cell:
    return work.known.found.layout.places[number].cell


def stored(address: Term, access: Access, value: Term, key: str, path: Path, work: Work) -> Path:
    """The path behind a store of a value seen as one of a type."""
    store = dict(path.store)
    for at in access.cells:
        if at in work.names.cells:
            cell = work.names.cells[at]
            new = seen_as(value, key, _key(at, work))
            here = simplified(is_meant(address, at, access, work))
            store[cell] = changed(store.get(cell, cell), address, here, new, _column(at, work))
    return replace(path, store=store)


def _addressed(initial: Term, work: Work) -> Term:
    return substitute(initial, {v: work.names.addresses[v] for v in initial.free if v in work.names.addresses})


def _key(cell: int, work: Work) -> str:
    return work.known.found.layout.places[cell].cell.key


def alive(name: str, on: Path, path: Path, step: Step, work: Work) -> Path:
    """An object begins to live. What may be read of it before it is written gets any value then or when it is read."""
    store, choices = dict(path.store), list(path.choices)
    for at, place in work.known.found.layout.places.items():
        if place.object.name != name or at not in work.names.cells:
            continue
        column = _column(at, work)
        if place.cell.initial is not None:
            initial = place.cell.initial if column is None else filled(column.initials)
            store[work.names.cells[at]] = _addressed(initial, work)
        elif at in work.known.unset:
            store[work.names.cells[at]] = build.integer(unset_value(place.cell))
        elif at in work.known.arbitrary:
            range_ = place.cell.range if column is None else ANY
            choice = choice_of(work.names.cells[at], range_, step.origin, work)
            store[work.names.cells[at]] = choice.var
            choices.append(choice)
    return replace(on, store=store, choices=tuple(choices))
