"""Affine equalities between data at control points, by forward propagation (Karr, Acta Informatica 6, 1976), and zones.

No solver is needed and it always ends, since each join that changes something leaves fewer equations. Where they
exclude what is bad they are a solution of the Horn clauses (`solve`) like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence

from msgspec import Struct, field

from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad
from sa.domains import zones
from sa.domains.affine import EVERYTHING, Space, assign, forget, formulas, grown, meet, rows_of
from sa.domains.zones import Zone
from sa.hybrid.control_variables import value_of
from sa.hybrid.points import Frame, Graph, Point, Step
from sa.hybrid.solve import assumed_at
from sa.invariants.zone_propagation import VARIABLES, Leading, spread, thresholds
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Units of a look at a point for equations, and of a step whose equations are not known yet.
A_LOOK, A_STEP = 30, 60

#: How often points are looked at for differences: so many times each, and so many times beside.
LOOKS, STEPS = 20, 200


class _Spaces(Struct, frozen=True, eq=False):
    """Spaces by number, equal ones once, and what became of them: points are many, and what is equal is mostly not."""

    numbers: dict[frozenset[tuple[Term, frozenset[tuple[Term | None, int]]]], int] = field(default_factory=dict)
    spaces: list[Space] = field(default_factory=list)
    steps: dict[Hashable, int | None] = field(default_factory=dict)
    joins: dict[tuple[int, int], int] = field(default_factory=dict)


def _number(made: _Spaces, space: Space) -> int:
    rows = frozenset((pivot, frozenset(row.items())) for pivot, row in space.items())
    if rows not in made.numbers:
        made.numbers[rows] = len(made.spaces)
        made.spaces.append(space)
    return made.numbers[rows]


def _joined(made: _Spaces, old: int, new: int) -> int:
    if (old, new) not in made.joins:
        made.joins[old, new] = _number(made, grown(made.spaces[old], made.spaces[new]))
    return made.joins[old, new]


def _stepped(made: _Spaces, here: int, assumed: tuple[Term, ...], step: Step, bounds: Limits) -> int | None:
    key = (here, assumed, step.guard, tuple(step.updates.items()), step.choices, step.arcs)
    if key not in made.steps:
        spend(bounds, A_STEP)
        known = meet(made.spaces[here], rows_of(build.land(*assumed)))
        after = None if known is None else _after(known, step)
        made.steps[key] = None if after is None else _number(made, after)
    return made.steps[key]


def equalities(f: Frame, graph: Graph, lemmas: Sequence[Term], bounds: Limits) -> dict[Point, Term]:
    """What is equal at each point of the graph where lemmas hold; FALSE where nothing comes. Raises LimitReached."""
    made, found = _Spaces(), dict[Point, int]()
    waiting = deque[Point]()
    queued = set[Point]()

    def reached(point: Point, space: int) -> None:
        old = found.get(point)
        new = space if old is None else _joined(made, old, space)
        if new != old:
            found[point] = new
            if point not in queued:
                queued.add(point)
                waiting.append(point)

    for point, start in graph.starts:
        given: dict[Var, Term] = {v.var: value_of(v.var, start[v.var]) for v in f.control}
        first = meet(EVERYTHING, rows_of(substitute(f.whole.init, given)))
        if first is not None:
            reached(point, _number(made, first))
    while waiting:
        spend(bounds, A_LOOK)
        here = waiting.popleft()
        queued.discard(here)
        assumed = assumed_at(f, lemmas, here)
        for step in graph.steps[here]:
            if step.target is not None and (after := _stepped(made, found[here], assumed, step, bounds)) is not None:
                reached(step.target, after)
    said = [build.land(*formulas(space)) for space in made.spaces]
    return {p: said[found[p]] if p in found else build.FALSE for p in graph.steps}


def _after(space: Space, step: Step) -> Space | None:
    """The space after a step; None where its guard contradicts the equations."""
    before = meet(space, rows_of(step.guard))
    after = None if before is None else assign(before, step.updates)
    if after is None:
        return None
    # What nobody reads any more is written, too, but not by the steps between points.
    written = {v for arc in step.arcs for v in arc.updates} - step.updates.keys()
    return forget(after, (*step.choices, *sorted(written, key=lambda v: v.key)))


def differences(f: Frame, graph: Graph, lemmas: Sequence[Term], bounds: Limits) -> tuple[Graph, dict[Point, Term]]:
    """How large differences between data are at each point, and the graph without steps that these exclude.

    Nothing is said where there is too much to look at. Raises LimitReached.
    """
    control = {v.var for v in f.control}
    ranges = {v.var: within(v) for v in f.whole.variables}
    if len(ranges.keys() - control) > VARIABLES:
        return graph, {}
    starts = dict[Point, Zone]()
    for point, start in graph.starts:
        given: dict[Var, Term] = {v.var: value_of(v.var, start[v.var]) for v in f.control}
        init = substitute(build.land(f.whole.init, *ranges.values()), given)
        if (first := zones.meet(zones.EVERYTHING, init)) is not None:
            starts[point] = first if point not in starts else zones.join(starts[point], first)
    steps = {p: [s for s in here if s.target is not None] for p, here in graph.steps.items()}
    leaving = dict[Point, list[Leading[Point]]]()
    for point, here in graph.steps.items():
        known = build.land(*assumed_at(f, lemmas, point))
        leaving[point] = [_leading(s, s.target, known, ranges) for s in here if s.target is not None]
    tests = (s.guard for here in graph.steps.values() for s in here)
    found = spread(starts, leaving, thresholds(tests), LOOKS * len(steps) + STEPS, bounds)
    if not found:
        return graph, {}
    left = dict[Point, tuple[Step, ...]]()
    for point, here in graph.steps.items():
        taken = {
            s
            for s, (_, changed, cases) in zip(steps[point], leaving[point], strict=True)
            if point in found and zones.after(found[point], cases, changed) is not None
        }
        left[point] = tuple(s for s in here if s in taken or (s.target is None and point in found))
    said = {p: build.land(*zones.formulas(found[p])) if p in found else build.FALSE for p in graph.steps}
    return Graph(graph.starts, left), said


def _leading(step: Step, target: Point, known: Term, ranges: Mapping[Var, Term]) -> Leading[Point]:
    written = dict.fromkeys(v for arc in step.arcs for v in arc.updates)
    kept = (substitute(ranges[v], {v: t}) for v, t in step.updates.items())
    return target, (*written, *step.choices), zones.step(build.land(known, step.guard, *kept), step.updates)


def possible(
    f: Frame, graph: Graph, said: Mapping[Point, Term], lemmas: Sequence[Term], session: Session
) -> frozenset[Bad]:
    """What is bad and may be reached by a step where this is said of the data, with ranges and lemmas."""
    found = set[Bad]()
    for point, steps in graph.steps.items():
        bads = dict.fromkeys(s.bad for s in steps if s.bad is not None and s.bad not in found)
        known = assumed_at(f, lemmas, point) if bads else ()
        for bad in bads:
            if not is_safe(f, [s for s in steps if s.bad == bad], said[point], known, session):
                found.add(bad)
        if len(found) == len(f.bads):
            break
    return frozenset(found)


def is_safe(f: Frame, steps: Sequence[Step], said: Term, known: Sequence[Term], session: Session) -> bool:
    """Whether no step from a point leads to what is bad, where this is said of the data and lemmas are known."""
    hypotheses = (said, *(within(v) for v in f.whole.variables), *known)
    return all(session.implied(build.lnot(step.guard), hypotheses) for step in steps if step.target is None)
