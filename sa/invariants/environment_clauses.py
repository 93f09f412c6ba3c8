"""What each thread of a hierarchy needs of the others, in few clauses.

A clause says what holds of variables that another thread writes, while control has certain values: it is read off what
is known of that thread, projected to what the needing thread sees. A thread is then asked to prove its goal in an
environment that may do anything that the clauses allow, and clauses that are not needed go one by one. What is left are
the goals of the threads below (Rasin 2017, section 4.6, where clauses come from queries and are weakened likewise).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.conditions.never import at_places, failing_edges, taking
from sa.domains import polyhedra
from sa.domains.polyhedra import Direction, Polyhedron
from sa.invariants.hierarchy import Hierarchy, Member
from sa.invariants.thread_modular import Cells, Effect, begun_cells, effects_on, settle, values_at
from sa.terms import build
from sa.terms.printer import show
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class Clause(Struct, frozen=True):
    """While control that a thread sees of another has some values, `direction + constant <= 0`."""

    other: int
    control: tuple[tuple[Var, Value | None], ...]
    direction: Direction
    constant: int


class Need(Struct, frozen=True):
    """What a thread needs of others so that its goal holds; None where clauses about states are not enough."""

    thread: int
    clauses: tuple[Clause, ...] | None


def written_out(clauses: Sequence[Clause]) -> Iterator[str]:
    """The clauses as a user reads them, one for each state of control."""
    for control in dict.fromkeys(c.control for c in clauses):
        known = [build.eq(v, build.constant(x, v.sort)) for v, x in control if x is not None]
        said = build.land(*polyhedra.formulas({c.direction: c.constant for c in clauses if c.control == control}))
        yield " ==> ".join(show(f) for f in (*([build.land(*known)] if known else []), said))


#: Whether what is known of a thread is enough.
Goal: TypeAlias = Callable[[Cells], bool]


def keeps_out(member: Member, written: Automaton, bads: Sequence[Bad], known: Cells, bounds: Limits) -> bool:
    """Whether what is known of a thread excludes what is bad about it."""
    for cell, polyhedron in known.items():
        values = values_at(member, cell)
        here = {written.name: cell.point.place}
        for bad in bads:
            wanted = set(failing_edges(written, bad.failing))
            edges = zip(written.edges, member.owner.thread.edges, strict=True)
            found = [taking(own) for e, own in edges if e in wanted and e.source == cell.point.place]
            found += [] if bad.claim is None else [build.lnot(at_places(bad.claim, here))]
            if any(_is_possible(polyhedron, substitute(f, values), bounds) for f in found):
                return False
    return True


def _is_possible(polyhedron: Polyhedron, formula: Term, bounds: Limits) -> bool:
    return formula is not build.FALSE and polyhedra.meet(polyhedron, formula, bounds) is not None


def needs(
    known: Hierarchy, found: Mapping[int, Cells], main: int, goal: Goal, start: Term, bounds: Limits
) -> Iterator[Need]:
    """What the main thread needs of others for its goal, then what these need for that. Raises LimitReached."""
    goals: dict[int, tuple[Goal, ...]] = {main: (goal,)}
    # Each after those that need it; what threads of one level need of each other is told of the first one.
    for thread in reversed([i for level in known.levels([main]) for i in level]):
        if thread in goals and known.sources[thread]:
            clauses = _needed(known, found, thread, goals[thread], start, bounds)
            yield Need(thread, clauses)
            for clause in clauses or ():
                goals[clause.other] = (*goals.get(clause.other, ()), _holds(known, clause, bounds))


def _needed(
    known: Hierarchy, found: Mapping[int, Cells], thread: int, goals: Sequence[Goal], start: Term, bounds: Limits
) -> tuple[Clause, ...] | None:
    effects = effects_on(known, thread, found, bounds)

    def enough(clauses: Sequence[Clause]) -> bool:
        made = begun_cells(known, thread, start, bounds)
        allowed = tuple(dict.fromkeys(_allowed(e, clauses) for e in effects))
        settle(known.members[thread], made, allowed, Counter(), bounds)
        return all(goal(made) for goal in goals)

    kept = [c for other in known.sources[thread] for c in _clauses(known, found, thread, other, bounds)]
    if not enough(kept):
        return None
    # Long ones first: what speaks of fewer variables is easier to read.
    for clause in sorted(kept, key=lambda c: -len(c.direction)):
        fewer = [c for c in kept if c is not clause]
        if enough(fewer):
            kept = fewer
    return tuple(kept)


def _clauses(known: Hierarchy, found: Mapping[int, Cells], thread: int, other: int, bounds: Limits) -> Iterator[Clause]:
    """What holds of the variables that a thread writes and another one sees, by values of its control."""
    observer, writer = known.members[thread], known.members[other]
    written = {v for here in writer.steps.values() for s in here for v in s.updates} & observer.data
    seen = [v for v in writer.owner.control if v in observer.looks]
    by_control = dict[tuple[tuple[Var, Value | None], ...], Polyhedron]()
    for cell, polyhedron in found.get(other, {}).items():
        values = dict(zip(writer.owner.control, cell.point.values, strict=True))
        control = tuple((v, values[v]) for v in seen)
        hidden = {v for d in polyhedron for v, _ in d} - observer.data
        left = polyhedra.forget(polyhedron, hidden, bounds)
        old = by_control.get(control)
        by_control[control] = polyhedra.minimal(left, bounds) if old is None else polyhedra.join(old, left, bounds)
    for control, joined in by_control.items():
        for direction, constant in joined.items():
            if any(v in written for v, _ in direction):
                yield Clause(other, control, direction, constant)


def _allowed(effect: Effect, clauses: Sequence[Clause]) -> Effect:
    """The effect of anything that keeps the clauses and changes the same variables."""
    later = {**dict(effect.before), **dict(effect.after)}
    names = {v: primed(v) for v in effect.changed}
    said = dict[Direction, int]()
    for clause in clauses:
        if all(v in later and later[v] == x for v, x in clause.control):
            ((direction, constant),) = polyhedra.renamed({clause.direction: clause.constant}, names).items()
            said[direction] = max(constant, said.get(direction, constant))
    return replace(effect, relation=tuple(said.items()))


def _holds(known: Hierarchy, clause: Clause, bounds: Limits) -> Goal:
    control = known.members[clause.other].owner.control

    def holds(cells: Cells) -> bool:
        wanted = {clause.direction: clause.constant}
        return all(
            polyhedra.leq(polyhedron, wanted, bounds)
            for cell, polyhedron in cells.items()
            if set(clause.control) <= set(zip(control, cell.point.values, strict=True))
        )

    return holds
