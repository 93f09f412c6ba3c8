"""Polyhedra for each thread by itself, at its points, under what its environment does.

Thread-modular abstract interpretation (Miné 2014) along a hierarchy: the steps of a thread's environment are those that
the environment can take by what is known of it, and what is known of it does not depend on threads above. Control that
a thread sees of others tells its states apart, so that "once the next row has two cells" can be said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.rename import own_local
from sa.base.limits import Limits, spend
from sa.domains import polyhedra, zones
from sa.domains.polyhedra import Polyhedron
from sa.invariants.hierarchy import Hierarchy, Member
from sa.invariants.own_points import Point, Step, first_point, first_value
from sa.terms import build
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Cells of a thread that are looked at.
CELLS = 3_000

#: Times that a cell grows before it is widened, beside two for each step of the environment.
PATIENT = 6

#: Units of a step from a cell, beside those of the linear programs.
A_STEP = 100


class Cell(Struct, frozen=True):
    """A point of a thread, and the values of the control that it sees of others."""

    point: Point
    seen: tuple[Value | None, ...]


class Effect(Struct, frozen=True):
    """What a step of the environment does to what a thread sees, where control has some values: a relation of data."""

    before: tuple[tuple[Var, Value | None], ...]
    after: tuple[tuple[Var, Value | None], ...]
    changed: tuple[Var, ...]
    relation: tuple[tuple[polyhedra.Direction, int], ...]


#: What is known of a thread, by cell.
Cells: TypeAlias = dict[Cell, Polyhedron]


class TooMany(Exception):
    """A thread has too many cells."""


def cells(known: Hierarchy, mains: Sequence[int], start: Term, bounds: Limits) -> dict[int, Cells]:
    """What is known of the main threads and of all that they need. Raises TooMany and LimitReached."""
    found = dict[int, Cells]()
    for level in known.levels(mains):
        begun = {i: begun_cells(known, i, start, bounds) for i in level}
        found |= {i: dict(cells) for i, cells in begun.items()}
        counts = {i: Counter[Cell]() for i in level}
        widened, growing = False, True
        while growing:
            growing = False
            for i in level:
                effects = effects_on(known, i, found, bounds)
                growing = settle(known.members[i], found[i], effects, counts[i], bounds) or growing
                widened = widened or max(counts[i].values(), default=0) > PATIENT + 2 * len(effects)
            growing = growing and len(level) > 1
        if widened:
            found |= _narrowed(known, begun, found, bounds)
    return found


def _narrowed(
    known: Hierarchy, begun: Mapping[int, Cells], found: Mapping[int, Cells], bounds: Limits
) -> dict[int, Cells]:
    """One step down: all that the start or one step leads to, if it is closed under steps again; joins may see to it
    that it is not.
    """
    less, now = dict[int, Cells](), dict(found)
    for i in begun:
        member, effects, counts = known.members[i], effects_on(known, i, found, bounds), Counter[Cell]()
        now[i] = less[i] = dict(begun[i])
        for cell, polyhedron in found[i].items():
            for target, after in _successors(member, cell, polyhedron, effects, bounds):
                _grow(less[i], target, after, counts, len(effects) * len(found[i]), bounds)
    for i, cells in less.items():
        effects = effects_on(known, i, now, bounds)
        for cell, polyhedron in cells.items():
            for target, after in _successors(known.members[i], cell, polyhedron, effects, bounds):
                if target not in cells or not polyhedra.leq(after, cells[target], bounds):
                    return {}
    return less


def formulas_by_place(member: Member, known: Cells) -> Mapping[str, Term]:
    """What is known at each location of a thread, over the names of its own variables."""
    said: dict[str, list[Term]] = {q.name: [] for q in member.owner.thread.locations}
    for cell, polyhedron in known.items():
        values = (build.eq(v, x) for v, x in values_at(member, cell).items())
        said[cell.point.place].append(build.land(*values, *polyhedra.formulas(polyhedron)))
    return {place: build.lor(*formulas) for place, formulas in said.items()}


def values_at(member: Member, cell: Cell) -> dict[Var, Term]:
    """The values of control at a cell, the thread's own and what it sees of others'."""
    return {**member.owner.known(cell.point), **_known(member, cell)}


def begun_cells(known: Hierarchy, number: int, start: Term, bounds: Limits) -> Cells:
    """What is known of a thread at the start."""
    member = known.members[number]
    point = first_point(member.owner, known.begun)
    first = Cell(point, tuple(first_value(v, known.begun) for v in member.looks))
    place = next(q for q in member.owner.thread.locations if q.name == point.place)
    spoken = member.data.union(member.looks, member.owner.control)
    said = [c for c in build.conjuncts(start) if c.free <= spoken]
    formula = substitute(build.land(*said, place.inv), values_at(member, first))
    begun = polyhedra.meet(polyhedra.EVERYTHING, formula, bounds)
    return {} if begun is None else {first: polyhedra.minimal(begun, bounds)}


def _known(member: Member, cell: Cell) -> dict[Var, Term]:
    values = zip(member.looks, cell.seen, strict=True)
    return {v: build.constant(x, v.sort) for v, x in values if x is not None}


def settle(member: Member, found: Cells, effects: Sequence[Effect], counts: Counter[Cell], bounds: Limits) -> bool:
    """Work on a thread until nothing changes there; whether anything did.

    Cells that were found first are done first, and the environment's steps from them before the thread's own: so a cell
    grows with those that lead to it as seldom as can be.
    """
    patient, grown = PATIENT + 2 * len(effects), False
    order = {cell: number for number, cell in enumerate(found)}
    pending = list(order.values())
    cells = list(found)
    while pending:
        number = heappop(pending)
        if pending and pending[0] == number:
            continue
        cell = cells[number]
        for successors in (_of_environment, _of_itself):
            for target, after in successors(member, cell, found[cell], effects, bounds):
                if _grow(found, target, after, counts, patient, bounds):
                    grown = True
                    if target not in order:
                        order[target] = len(cells)
                        cells.append(target)
                    heappush(pending, order[target])
            if pending and pending[0] == number:
                break
    return grown


def _grow(found: Cells, target: Cell, after: Polyhedron, counts: Counter[Cell], patient: int, bounds: Limits) -> bool:
    """Add states to a cell; whether there were any new ones."""
    old = found.get(target)
    if old is None:
        if len(found) >= CELLS:
            raise TooMany
        found[target] = polyhedra.minimal(after, bounds)
        return True
    if polyhedra.leq(after, old, bounds):
        return False
    counts[target] += 1
    joined = polyhedra.join(old, after, bounds)
    found[target] = polyhedra.widen(old, joined, bounds) if counts[target] > patient else joined
    return True


def _successors(
    member: Member, cell: Cell, polyhedron: Polyhedron, effects: Sequence[Effect], bounds: Limits
) -> Iterator[tuple[Cell, Polyhedron]]:
    yield from _of_environment(member, cell, polyhedron, effects, bounds)
    yield from _of_itself(member, cell, polyhedron, effects, bounds)


def _of_itself(
    member: Member, cell: Cell, polyhedron: Polyhedron, _: Sequence[Effect], bounds: Limits
) -> Iterator[tuple[Cell, Polyhedron]]:
    seen = _known(member, cell)
    for step in member.steps[cell.point]:
        spend(bounds, A_STEP)
        changed = tuple(v for v in step.updates if v in member.data)
        guard = substitute(step.guard, seen)
        if guard is build.FALSE:
            continue
        relations = zones.step(guard, {v: substitute(step.updates[v], seen) for v in changed})
        after = polyhedra.after(polyhedron, relations, changed, bounds)
        after = None if after is None else polyhedra.meet(after, substitute(step.inv, seen), bounds)
        if after is not None:
            # What is said of a local that is not set yet is of no use.
            gone = (*(c.var for c in step.edge.choices), *member.owner.control)
            yield Cell(step.target, cell.seen), polyhedra.forget(after, gone, bounds)


def _of_environment(
    member: Member, cell: Cell, polyhedron: Polyhedron, effects: Sequence[Effect], bounds: Limits
) -> Iterator[tuple[Cell, Polyhedron]]:
    values = dict(zip((*member.owner.control, *member.looks), (*cell.point.values, *cell.seen), strict=True))
    for effect in effects:
        if all(values[v] == x for v, x in effect.before):
            spend(bounds, A_STEP)
            met = polyhedra.both(polyhedron, dict(effect.relation), bounds)
            if met is not None:
                left = polyhedra.forget(met, effect.changed, bounds)
                moved = polyhedra.renamed(left, {primed(v): v for v in effect.changed})
                later = {**values, **dict(effect.after)}
                yield Cell(cell.point, tuple(later[v] for v in member.looks)), moved


def effects_on(known: Hierarchy, number: int, found: Mapping[int, Cells], bounds: Limits) -> tuple[Effect, ...]:
    """What the environment of a thread does to what the thread sees, each step once."""
    member = known.members[number]
    made = dict[Effect, None]()
    for other in known.sources[number]:
        for cell, polyhedron in found.get(other, {}).items():
            for step in known.members[other].steps[cell.point]:
                made |= dict.fromkeys(_effects_of(member, known.members[other], cell, polyhedron, step, bounds))
    return tuple(made)


def _effects_of(
    member: Member, other: Member, cell: Cell, polyhedron: Polyhedron, step: Step, bounds: Limits
) -> Iterator[Effect]:
    spend(bounds, A_STEP)
    seen = _known(other, cell)
    guard = substitute(step.guard, seen)
    before = dict(zip((*other.owner.control, *other.looks), (*cell.point.values, *cell.seen), strict=True))
    after = dict(zip(other.owner.control, step.target.values, strict=True))
    changed = tuple(v for v in step.updates if v in member.data)
    moved = tuple((v, after[v]) for v in member.looks if v in after and after[v] != before[v])
    if guard is build.FALSE or not (changed or moved):
        return
    tracked = tuple((v, before[v]) for v in (*member.owner.control, *member.looks) if v in before)
    for relation in zones.step(guard, {v: substitute(step.updates[v], seen) for v in changed}):
        met = polyhedra.meet(polyhedron, relation, bounds)
        if met is not None:
            kept = member.data.union(primed(v) for v in changed)
            hidden = {v for d in met for v, _ in d} - kept
            left = polyhedra.minimal(polyhedra.forget(met, hidden, bounds), bounds)
            yield Effect(tracked, moved, changed, tuple(left.items()))


def annotated(member: Member, written: Automaton, known: Cells | None) -> Mapping[str, Term]:
    """What is known at each location of a thread as it is written; without cells that is where its control comes."""
    plain: dict[Var, Term] = {own_local(written.name, v.var): v.var for v in written.variables}
    said = _points_by_place(member) if known is None else formulas_by_place(member, known)
    return {place: substitute(formula, plain) for place, formula in said.items()}


def _points_by_place(member: Member) -> Mapping[str, Term]:
    said: dict[str, list[Term]] = {q.name: [] for q in member.owner.thread.locations}
    for point in member.steps:
        said[point.place].append(build.land(*(build.eq(v, x) for v, x in member.owner.known(point).items())))
    return {place: build.lor(*formulas) for place, formulas in said.items()}
