"""What may hold of data at control points, one of a few alternatives each: equations with the tests that were passed.

Where a value came from one of several threads, no single set of equations says which (`equalities`). So a point has
several spaces, with the literals that hold there, by forward propagation. It always ends: where there are too many
alternatives, they are joined to one, which keeps what is equal and true in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.base.limits import spend
from sa.domains.affine import EVERYTHING, Space, assign, definitions, forget, formulas, grown, implies, meet, rows_of
from sa.hybrid.control_variables import value_of
from sa.hybrid.karr import is_safe
from sa.hybrid.points import Frame, Graph, Point, Step
from sa.hybrid.solve import Held, assumed_at
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.solve import solution
from sa.terms.substitute import primed, substitute
from sa.terms.term import Or, Term, Var

#: How many alternatives a point has at most, how many ways one step is taken apart into, and how many steps are
#: looked at before there is one alternative each.
ALTERNATIVES, WAYS, STEPS = 24, 12, 12_000


class Alternative(Struct, frozen=True):
    """States that satisfy the rows of the space and the literals, which speak of no variable that it defines."""

    space: Space
    literals: frozenset[Term]


def alternatives(
    f: Frame, graph: Graph, lemmas: Sequence[Term], said: Mapping[Point, Term], session: Session
) -> Held | None:
    """What holds at each point of the graph where lemmas hold, and what is `said` of points already.

    FALSE where nothing comes. Raises LimitReached. None where a step to what is bad is possible in one of the
    alternatives. They only grow, so that is seen at once.
    """
    found = dict[Point, _Point]()
    waiting = list[tuple[Point, Alternative]]()
    assumed = {p: assumed_at(f, lemmas, p) for p in graph.steps}
    known = {p: build.land(*those) for p, those in assumed.items()}
    looked = 0

    def reached(point: Point, made: Alternative) -> None:
        here = found.setdefault(point, _Point([], 0))
        added = _added(here, made, ALTERNATIVES if looked < STEPS else 1)
        if added is not None:
            waiting.append((point, added))

    for point, start in graph.starts:
        given: dict[Var, Term] = {v.var: value_of(v.var, start[v.var]) for v in f.control}
        first = _where(Alternative(EVERYTHING, frozenset()), substitute(f.whole.init, given))
        if first is not None:
            reached(point, first)
    while waiting:
        spend(session.bounds, 500)
        point, here = waiting.pop()
        # It may be part of a greater one by now.
        if here not in found[point].those:
            continue
        if not is_safe(
            f, graph.steps[point], build.land(_formula(here), said.get(point, build.TRUE)), assumed[point], session
        ):
            return None
        defined = definitions(here.space)
        for step in graph.steps[point]:
            if step.target is None:
                continue
            for guard, updates in _ways(build.land(known[point], step.guard), step.updates, defined):
                looked += 1
                after = _after(here, guard, updates, step)
                if after is not None:
                    reached(step.target, after)
    # The graph may lack steps that what is said excludes, so it is part of what holds.
    holding = {p: build.lor(*map(_formula, here.those)) for p, here in found.items()}
    return Held({p: build.land(said.get(p, build.TRUE), holding.get(p, build.FALSE)) for p in graph.steps})


class _Point(Struct):
    """The alternatives of a point, and how often one came."""

    those: list[Alternative]
    came: int


def _added(here: _Point, new: Alternative, most: int) -> Alternative | None:
    """The alternative as it is added to a point, perhaps joined with others; None where it says nothing new."""
    if any(_contains(old, new) for old in here.those):
        return None
    here.came += 1
    if here.came > most:
        for old in here.those:
            new = Alternative(grown(old.space, new.space), old.literals & new.literals)
        here.those = [new]
        return new
    while (other := next((old for old in here.those if _is_opposite(old, new)), None)) is not None:
        here.those.remove(other)
        new = Alternative(new.space, new.literals & other.literals)
    here.those = [*(old for old in here.those if not _contains(new, old)), new]
    return new


def _contains(great: Alternative, small: Alternative) -> bool:
    return great.literals <= small.literals and implies(small.space, great.space.values())


def _is_opposite(first: Alternative, second: Alternative) -> bool:
    """Whether the two differ only in how one test came out."""
    mine, other = first.literals - second.literals, second.literals - first.literals
    if len(mine) != 1 or len(other) != 1 or first.space != second.space:
        return False
    return build.lnot(next(iter(mine))) is next(iter(other))


def _formula(alternative: Alternative) -> Term:
    return build.land(*formulas(alternative.space), *sorted(alternative.literals, key=lambda t: t.key))


def _ways(
    guard: Term, updates: Mapping[Var, Term], defined: Mapping[Var, Term]
) -> Iterator[tuple[Term, Mapping[Var, Term]]]:
    """A step from where variables are defined so, by cases in which no condition is open, unless these are too many."""
    first = substitute(guard, defined), {v: substitute(t, defined) for v, t in updates.items()}
    waiting: list[tuple[Term, Mapping[Var, Term]]] = [first]
    made = 1
    while waiting:
        known, becomes = waiting.pop()
        if known is build.FALSE:
            continue
        choice = _choice(known, becomes) if made < WAYS else None
        if choice is None:
            yield known, becomes
            continue
        made += 1
        for truth in (False, True):
            condition = choice if truth else build.lnot(choice)
            rest = build.land(*(decided(c, choice, truth) for c in build.conjuncts(known)))
            after = {v: decided(t, choice, truth) for v, t in becomes.items()}
            waiting.append((build.land(condition, rest), after))


def _choice(guard: Term, updates: Mapping[Var, Term]) -> Term | None:
    """What a step is taken apart by: a part of a disjunction, a condition in a literal or in an update."""
    for part in build.conjuncts(guard):
        if isinstance(part, Or):
            return part.args[0]
        if (condition := condition_in(part)) is not None:
            return condition
    return next((c for t in updates.values() if (c := condition_in(t)) is not None), None)


def _where(here: Alternative, formula: Term) -> Alternative | None:
    """The alternative where a formula holds, too; None where that is certainly nowhere."""
    space = meet(here.space, rows_of(formula))
    return None if space is None else _with(space, (*here.literals, *build.conjuncts(formula)))


def _with(space: Space, literals: Iterable[Term]) -> Alternative | None:
    defined = definitions(space)
    said = frozenset(
        part for literal in literals for part in build.conjuncts(substitute(literal, defined)) if part is not build.TRUE
    )
    if build.FALSE in said or any(build.lnot(part) in said for part in said):
        return None
    # What the rows say is not said again.
    rest = frozenset(part for part in said if not (rows := rows_of(part)) or not implies(space, rows))
    return Alternative(space, rest)


def _after(here: Alternative, guard: Term, updates: Mapping[Var, Term], step: Step) -> Alternative | None:
    """The alternative after a step in one of its ways."""
    before = _where(here, guard)
    space = None if before is None else assign(before.space, updates)
    if before is None or space is None:
        return None
    # What nobody reads any more is written, too, but not by the steps between points.
    unread = {v for arc in step.arcs for v in arc.updates} - updates.keys()
    gone = (*step.choices, *sorted(unread, key=lambda v: v.key))
    return _with(forget(space, gone), _carried(before, updates, gone))


def _carried(before: Alternative, updates: Mapping[Var, Term], gone: Sequence[Var]) -> Iterator[Term]:
    """The literals in terms of the state after a step, as far as that has what they speak of."""
    changed = frozenset((*updates, *gone))
    equations = (*formulas(before.space), *(build.eq(primed(v), t) for v, t in updates.items()))
    old = dict[Var, Term]()
    for var in sorted(changed, key=lambda v: v.key):
        for equation in equations:
            said = solution(equation, frozenset((var,)))
            if said is not None and said[1].free.isdisjoint(changed):
                old[var] = said[1]
                break
    names: dict[Var, Term] = {primed(v): v for v in updates}
    for literal in before.literals:
        moved = substitute(literal, old)
        if moved.free.isdisjoint(changed):
            yield substitute(moved, names)
