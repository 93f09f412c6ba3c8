"""Affine equalities between data at control points, by forward propagation (Karr, Acta Informatica 6, 1976), and zones.

No solver is needed and it always ends, since each join that changes something leaves fewer equations. Where they
exclude what is bad they are a solution of the Horn clauses (`solve`) like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from sa.automata.ranges import within
from sa.base.limits import Limits, check_time
from sa.domains import zones
from sa.domains.affine import EVERYTHING, Space, assign, forget, formulas, grown, meet, rows_of
from sa.domains.zones import Zone
from sa.hybrid.control import value_of
from sa.hybrid.points import Frame, Graph, Point, Step
from sa.hybrid.solve import Held, assumed_at
from sa.invariants.differences import VARIABLES, Leading, spread, thresholds
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Points that are looked at for differences, each time that what comes to it grows.
STEPS = 1_000


def equalities(f: Frame, graph: Graph, bounds: Limits) -> dict[Point, Term]:
    """What is equal at each point of the graph; FALSE where nothing comes. Raises LimitReached."""
    found = dict[Point, Space]()
    waiting = deque[Point]()
    queued = set[Point]()

    def reached(point: Point, space: Space) -> None:
        old = found.get(point)
        new = space if old is None else grown(old, space)
        if new != old:
            found[point] = new
            if point not in queued:
                queued.add(point)
                waiting.append(point)

    for point, start in graph.starts:
        given: dict[Var, Term] = {v.var: value_of(v.var, start[v.var]) for v in f.control}
        first = meet(EVERYTHING, rows_of(substitute(f.whole.init, given)))
        if first is not None:
            reached(point, first)
    while waiting:
        check_time(bounds)
        here = waiting.popleft()
        queued.discard(here)
        for step in graph.steps[here]:
            if step.target is not None and (after := _after(found[here], step)) is not None:
                reached(step.target, after)
    return {p: build.land(*formulas(found[p])) if p in found else build.FALSE for p in graph.steps}


def _after(space: Space, step: Step) -> Space | None:
    """The space after a step; None where its guard contradicts the equations."""
    before = meet(space, rows_of(step.guard))
    after = None if before is None else assign(before, step.updates)
    if after is None:
        return None
    # What nobody reads any more is written, too, but not by the steps between points.
    written = {v for arc in step.arcs for v in arc.updates} - step.updates.keys()
    return forget(after, (*step.choices, *sorted(written, key=lambda v: v.key)))


def differences(f: Frame, graph: Graph, equal: Mapping[Point, Term], bounds: Limits) -> dict[Point, Term]:
    """What is equal at each point, and how large differences between data are there. Raises LimitReached."""
    control = {v.var for v in f.control}
    ranges = {v.var: within(v) for v in f.whole.variables}
    if len(ranges.keys() - control) > VARIABLES:
        return dict(equal)
    starts = dict[Point, Zone]()
    for point, start in graph.starts:
        given: dict[Var, Term] = {v.var: value_of(v.var, start[v.var]) for v in f.control}
        init = substitute(build.land(f.whole.init, *ranges.values()), given)
        if (first := zones.meet(zones.EVERYTHING, init)) is not None:
            starts[point] = first if point not in starts else zones.join(starts[point], first)
    leaving = {p: [_leading(s, s.target, ranges) for s in steps if s.target] for p, steps in graph.steps.items()}
    tests = (s.guard for steps in graph.steps.values() for s in steps)
    found = spread(starts, leaving, thresholds(tests), STEPS, bounds)
    return {p: build.land(said, *zones.formulas(found[p])) if p in found else said for p, said in equal.items()}


def _leading(step: Step, target: Point, ranges: Mapping[Var, Term]) -> Leading[Point]:
    written = dict.fromkeys(v for arc in step.arcs for v in arc.updates)
    kept = (substitute(ranges[v], {v: t}) for v, t in step.updates.items())
    return target, (*written, *step.choices), zones.step(build.land(step.guard, *kept), step.updates)


def excluded(
    f: Frame, graph: Graph, said: Mapping[Point, Term], lemmas: Sequence[Term], session: Session
) -> Held | None:
    """The equalities as a solution, if with ranges and lemmas no step to what is bad is possible."""
    ranges = tuple(within(v) for v in f.whole.variables)
    for point, steps in graph.steps.items():
        known = (said[point], *ranges, *assumed_at(f, lemmas, point))
        for step in steps:
            if step.target is None and not session.implied(build.lnot(step.guard), known):
                return None
    return Held(said)
