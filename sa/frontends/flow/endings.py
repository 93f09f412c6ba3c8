"""What the ends of objects are on paths: memory that is freed or given out again, and accesses of what has ended."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Access, leading, locks_in
from sa.frontends.flow.cuts import Work, is_seen
from sa.frontends.flow.graph import KEPT, Live, Range, Step, base
from sa.frontends.flow.heap import JOINED
from sa.frontends.flow.layout import Layout, is_at
from sa.frontends.flow.lives import (
    FREED_HELD,
    FREED_TWICE,
    FREED_WRONGLY,
    LOST,
    USED_DEAD,
    USED_FREED,
    Dead,
    Free,
    Freeable,
    Recycle,
)
from sa.frontends.flow.memory import alive, touched
from sa.frontends.flow.paths import Path, choice_of, now, with_value
from sa.frontends.flow.rows import filled
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.values import OTHER, ended_by, evaluate, recyclable
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Wrong(Struct, frozen=True):
    """What goes wrong under a condition on the state before the step; `told` says more, for a user."""

    guard: Term
    what: str
    told: str = ""


def seen_at(step: Step, path: Path, work: Work) -> Path:
    """The path where others may see what the step does."""
    if not is_seen(step, work):
        return path
    return replace(path, seen=True, origin=path.origin if path.seen else step.origin)


def touching(step: Step, address: Term, path: Path, work: Work) -> Path:
    """The path with what a step accesses that others see."""
    if not is_seen(step, work):
        return path
    path = seen_at(step, path, work)
    return replace(path, touched=(*path.touched, *touched(step, address, path, work)))


def begun(name: str, on: Path, path: Path, step: Step, work: Work) -> Path:
    """An object begins: it has not ended, and its cells have their first values."""
    made, where = alive(name, on, path, step, work), work.known.found.layout
    here = next((n for v, n in where.addresses.items() if v.name == f"&{name}"), None)
    life = None if here is None else where.lives.get(here)
    if life is None or life not in work.names.cells:
        return made
    return replace(made, store=with_value(made.store, work.names.cells[life], build.ZERO))


def dead(step: Step, path: Path, work: Work) -> Path:
    """A variable ends."""
    assert isinstance(step.op, Dead)
    for life in work.known.of[id(step)].cells:
        if life in work.names.cells:
            store = with_value(path.store, work.names.cells[life], build.integer(step.op.site))
            path = replace(seen_at(step, path, work), store=store)
    return path


def recycled(step: Step, path: Path, work: Work) -> Iterator[Path]:
    """The ways on which an allocation takes memory that was freed."""
    assert isinstance(step.op, Recycle)
    where = work.known.found.layout
    for first in sorted(recyclable(step.op.name, where)):
        ended = build.lt(build.ZERO, _life(where.lives[first], path, work))
        guard = build.land(path.guard, simplified(ended))
        if guard is build.FALSE:
            continue
        name = next(p.object.life_of for n, p in where.places.items() if n == where.lives[first])
        on = replace(seen_at(step, path, work), guard=guard)
        on = begun(name, on, on, replace(step, op=Live(name)), work)
        on = replace(on, store={**on.store, **_first_values(first, step.op.name, work)})
        var = work.names.registers[step.op.var]
        yield replace(on, store=with_value(on.store, var, build.integer(first)))


def _first_values(first: int, name: str, work: Work) -> dict[Var, Term]:
    """The first values of a new object in the place of an old one, as far as it has some."""
    where = work.known.found.layout
    found = dict[Var, Term]()
    for at, like in zip(where.units[first], where.units[where.addresses[base(name)]], strict=True):
        initial, column = where.places[like].cell.initial, where.columns.get(like)
        if initial is not None and at in work.names.cells:
            value = initial if column is None else filled(column.initials)
            found[work.names.cells[at]] = substitute(value, work.names.addresses)
    return found


def freed(step: Step, path: Path, work: Work) -> tuple[list[Wrong], Path | None]:
    """What goes wrong where memory is freed or might be, and the path on which nothing does, if there is one."""
    assert isinstance(step.op, Free | Freeable)
    found, address = work.known.found, now(step.op.address, path, work)
    values, firsts = evaluate(step.op.address, found, work.thread.number), ended_by(step.op, found, work.thread.number)
    if not firsts and OTHER in values and 0 not in values:
        message = "it is not known here which object this address belongs to"
        raise InputError((error("SA714", message, step.origin.span, "free a pointer that `malloc` returned"),))
    wrong, store = list[Wrong](), dict(path.store)
    none = build.eq(address, build.ZERO)
    well = [none]
    for first in sorted(firsts):
        here, life = build.eq(address, build.integer(first)), found.layout.lives.get(first)
        held = build.lor(*(build.ne(_life(c, path, work), build.ZERO) for c in locks_in(first, found.layout)))
        ended: Term = build.FALSE
        if life is not None:
            ended = build.ne(_life(life, path, work), build.ZERO)
            wrong.append(_ended(life, here, FREED_TWICE, path, work))
            if life in work.names.cells and isinstance(step.op, Free):
                var = work.names.cells[life]
                store[var] = build.ite(simplified(here), build.integer(step.op.site), store.get(var, var))
        wrong.append(Wrong(build.land(here, build.lnot(ended), held), FREED_HELD))
        well.append(build.land(here, build.lnot(ended), build.lnot(held)))
    if others := [v for v in values if v != 0 and v not in firsts]:
        part = any(v is not OTHER and found.layout.homes.get(v, (v,))[0] in found.layout.allocated for v in others)
        beside = build.land(build.lnot(none), *(build.ne(address, build.integer(f)) for f in sorted(firsts)))
        told = "a part of what was allocated" if part else "not allocated"
        wrong.append(Wrong(beside, FREED_WRONGLY, told))
    guard = build.land(path.guard, simplified(build.lor(*well)))
    after = None if guard is build.FALSE else replace(seen_at(step, path, work), guard=guard, store=store)
    return _early(wrong, step.op.early, path), after


def used(address: Term, access: Access, early: bool, path: Path, work: Work) -> tuple[list[Wrong], Path | None]:
    """What goes wrong where a load or store is of an object that has ended, and the path on which nothing does."""
    where, wrong = work.known.found.layout, list[Wrong]()
    by_life = {life: first for first, life in where.lives.items()}
    homes = {where.homes[c][0] for c in access.cells}
    well = path.guard
    for life in access.beside:
        first = by_life[life]
        cells = [c for c in access.cells if where.homes[c][0] == first]
        here = build.TRUE if len(homes) == 1 else build.lor(*(is_at(address, c, where) for c in cells))
        what = USED_FREED if first in where.allocated else USED_DEAD
        wrong.append(_ended(life, here, what, path, work))
        well = build.land(well, simplified(build.lor(build.lnot(here), build.eq(_life(life, path, work), build.ZERO))))
    return _early(wrong, early, path), None if well is build.FALSE else replace(path, guard=well)


def not_constant(address: Term, access: Access, early: bool, path: Path, work: Work) -> tuple[list[Wrong], Path | None]:
    """What goes wrong where a store may be of a constant or a string literal, and the path on which it is not."""
    if not access.kept:
        return [], path
    inside = build.lor(*(is_at(address, n, work.known.found.layout) for n in access.kept))
    well = build.land(path.guard, simplified(build.lnot(inside)))
    wrong = _early([Wrong(inside, KEPT)], early, path)
    return wrong, None if well is build.FALSE else replace(path, guard=well)


def _life(cell: int, path: Path, work: Work) -> Term:
    """What a cell has: a life, or who holds a lock."""
    if cell in work.known.fixed:
        return build.integer(work.known.fixed[cell])
    var = work.names.cells.get(cell)
    return build.ZERO if var is None else path.store.get(var, var)


def _ended(life: int, here: Term, what: str, path: Path, work: Work) -> Wrong:
    """That an object is meant which has ended; its life tells where, unless that can have been in one place only."""
    found = work.known.found
    told = [t for site, t in found.layout.places[life].cell.words.values if site > 0 and site in found.cells[life]]
    ended = build.land(here, build.ne(_life(life, path, work), build.ZERO))
    return Wrong(ended, what, told[0] if len(told) == 1 else "")


def _early(wrong: list[Wrong], early: bool, path: Path) -> list[Wrong]:
    """What can go wrong, each kind once; it says nothing of the program where the thread is early."""
    kinds = dict[str, list[Wrong]]()
    for one in wrong:
        kinds.setdefault(JOINED if early else one.what, []).append(one)
    made = list[Wrong]()
    for what, found in kinds.items():
        guard = build.land(path.guard, simplified(build.lor(*(w.guard for w in found))))
        told = {w.told for w in found}
        if guard is not build.FALSE:
            made.append(Wrong(guard, what, told.pop() if len(told) == 1 else ""))
    return made


def lost(path: Path, step: Step, work: Work) -> tuple[Path, list[Wrong]]:
    """Allocated objects that have not ended and to which nothing static leads (SV-COMP's `valid-memtrack`).

    Some are lost if there is a set of objects that live, not empty, with no pointer into it from outside. It is chosen.
    """
    found = work.known.found
    where = found.layout
    firsts = sorted(where.allocated & where.lives.keys())
    alive = {f: build.eq(_life(where.lives[f], path, work), build.ZERO) for f in firsts}
    choices = {f: choice_of(build.variable("lost"), Range(0, 1), step.origin, work) for f in firsts}
    chosen = {f: build.eq(c.var, build.ONE) for f, c in choices.items()}
    known = [build.land(*(build.implies(chosen[f], alive[f]) for f in firsts))]
    for cell in leading(found):
        owner = where.homes[cell][0]
        outside = build.land(alive[owner], build.lnot(chosen[owner])) if owner in alive else build.TRUE
        for first in {
            where.homes[v][0] for v in found.cells[cell] if v is not OTHER and v in where.homes
        } & alive.keys():
            held = build.lor(*(_within(first, v, where) for v in _held(cell, path, work)))
            known.append(build.lnot(build.land(outside, chosen[first], held)))
    on = replace(path, choices=(*path.choices, *choices.values()))
    return on, _early([Wrong(build.land(build.lor(*chosen.values()), *known), LOST)], False, path)


def _within(first: int, address: Term, where: Layout) -> Term:
    """That an address is one in an object, or just behind it."""
    last = where.homes[first][1]
    return build.land(build.le(build.integer(first), address), build.le(address, build.integer(last)))


def _held(cell: int, path: Path, work: Work) -> list[Term]:
    """What a cell has, or each element of a column."""
    column = work.known.found.layout.columns.get(cell)
    if column is None:
        return [_life(cell, path, work)]
    var = work.names.cells[cell]
    return [build.select(path.store.get(var, var), build.integer(k)) for k in range(column.count)]
