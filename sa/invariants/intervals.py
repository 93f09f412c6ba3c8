"""Intervals of each thread's own variables at each of its control points, whatever the others do.

A thread's *own* variables are its locals and the shared ones that no other thread writes. Those of them that only
constants, such variables and conditions decide are *control*, whatever their ranges: the counter of a loop, how far a
thread has come. A point is a location with values of the control variables; it has an interval for each other variable
of the thread's own. Of variables that others write, one interval is known, which holds always. So the work grows with
the points of the threads and not with their combinations, and numbers that grow in loops that count keep their bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.components import components
from sa.base.limits import Limits, spend
from sa.domains.thresholds import Thresholds, thresholds_of
from sa.invariants.own_points import (
    Owner,
    Point,
    Step,
    begun_with,
    declared,
    first_point,
    read_by,
    unfolded,
)
from sa.terms import interval
from sa.terms.bounds import Ranges, assuming, interval_of
from sa.terms.interval import Interval, sort_range
from sa.terms.sort import ArraySort
from sa.terms.term import Var

#: Changes of an interval after which it grows to the next threshold, and those after which it has no end.
EXACT, PATIENT = 4, 40

#: Rounds that make intervals smaller again.
NARROWINGS = 3


class Bounded(Struct, frozen=True, eq=False):
    """What was found: by thread the intervals at each point that is reached, and what holds of each variable always."""

    owners: tuple[Owner, ...]
    points: tuple[Mapping[Point, Ranges], ...]
    common: Ranges


def intervals(threads: Sequence[Automaton], bounds: Limits) -> Bounded:
    """The intervals of threads whose locals have different names. Raises LimitReached."""
    begun = begun_with(threads)
    owners, steps = unfolded(threads, begun, bounds)
    return _fixed_point(_Run(owners, steps, begun, _cuts(threads), bounds))


def _cuts(threads: Sequence[Automaton]) -> Thresholds:
    formulas = (f for t in threads for f in (*(e.guard for e in t.edges), *(q.inv for q in t.locations)))
    return thresholds_of(formulas, (u for t in threads for e in t.edges for u in e.updates))


@dataclass(slots=True)
class _Run:
    """The state of the iteration; `changes` counts how often the interval of a variable grew, by point or for all."""

    owners: tuple[Owner, ...]
    steps: tuple[Mapping[Point, Sequence[Step]], ...]
    begun: Ranges
    cuts: Thresholds
    bounds: Limits
    common: dict[Var, Interval] = field(default_factory=dict)
    points: list[dict[Point, dict[Var, Interval]]] = field(default_factory=list)
    changes: Counter[tuple[Point | None, Var]] = field(default_factory=Counter)


def _fixed_point(run: _Run) -> Bounded:
    run.common = dict(run.begun)
    run.points = [_first(run, owner) for owner in run.owners]
    waiting = dict.fromkeys(_order(run))
    while waiting:
        number = next(iter(waiting))
        del waiting[number]
        grown = _settle(run, number)
        waiting |= {n: None for n, o in enumerate(run.owners) if not grown.isdisjoint(_looked_up(o))}
    for _ in range(NARROWINGS):
        _narrow(run)
    return Bounded(run.owners, tuple(run.points), run.common)


def _first(run: _Run, owner: Owner) -> dict[Point, dict[Var, Interval]]:
    return {first_point(owner, run.begun): {v: run.begun[v] for v in owner.data}}


def _order(run: _Run) -> list[int]:
    """Those who write before those who read it."""
    reads = [read_by(o.thread) for o in run.owners]
    writes = [{v for here in steps.values() for s in here for v in s.updates} for steps in run.steps]
    sources = {n: [m for m in range(len(writes)) if m != n and writes[m] & reads[n]] for n in range(len(reads))}
    return [n for part in components(sources, sources) for n in part]


def _looked_up(owner: Owner) -> set[Var]:
    """What a thread reads of what holds always, also of what it writes itself."""
    return read_by(owner.thread).difference(owner.data, owner.control)


def _settle(run: _Run, number: int) -> set[Var]:
    """Work on a thread until nothing changes there; the variables of which more is possible than before."""
    grown, pending = set[Var](), list(run.points[number])
    while pending:
        spend(run.bounds, 75)
        point = pending.pop()
        box = run.points[number][point]
        for step in run.steps[number][point]:
            after = _after(run, number, point, box, step)
            if after is None:
                continue
            grown |= {v for v in step.updates if v in run.common and _grow(run, None, run.common, v, after[v])}
            there = run.points[number].get(step.target)
            if there is None:
                run.points[number][step.target] = {v: after[v] for v in run.owners[number].data}
            # All variables grow at once.
            elif not {v for v in there if _grow(run, step.target, there, v, after[v])}:
                continue
            if step.target not in pending:
                pending.append(step.target)
    return grown


def _after(run: _Run, number: int, point: Point, box: Ranges, step: Step) -> dict[Var, Interval] | None:
    """The intervals after a step; None if it is not possible."""
    before: Ranges | None = {**run.common, **box, **{c.var: declared(c) for c in step.edge.choices}}
    for _ in range(2):
        before = None if before is None else assuming(step.guard, before)
    if before is None:
        return None
    owner = run.owners[number]
    mine = {v: before[v] for v in owner.data}
    mine |= {v: interval_of(t, before) for v, t in step.updates.items() if not isinstance(v.sort, ArraySort)}
    landed = assuming(step.inv, {**run.common, **mine})
    return None if landed is None else {v: landed.get(v, sort_range(v.sort)) for v in mine}


def _grow(run: _Run, point: Point | None, known: dict[Var, Interval], var: Var, more: Interval) -> bool:
    """Add values to an interval; whether there were any new ones."""
    old = known[var]
    new = interval.hull(old, more)
    if new == old:
        return False
    run.changes[point, var] += 1
    known[var] = _widened(old, new, run.cuts.get(var, frozenset()), run.changes[point, var])
    return True


def _widened(old: Interval, new: Interval, cuts: frozenset[int], count: int) -> Interval:
    if count <= EXACT:
        return new
    stops = cuts if count <= PATIENT else frozenset[int]()
    low, high = new
    if low is not None and low != old[0]:
        low = max((c for c in stops if c <= low), default=None)
    if high is not None and high != old[1]:
        high = min((c for c in stops if c >= high), default=None)
    return low, high


def _narrow(run: _Run) -> None:
    """One step down: all that a start or one step from the intervals leads to, which is closed under steps again."""
    common: dict[Var, Interval] = dict(run.begun)
    points = [_first(run, owner) for owner in run.owners]
    for number, boxes in enumerate(run.points):
        for point, box in boxes.items():
            spend(run.bounds, 40)
            for step in run.steps[number][point]:
                after = _after(run, number, point, box, step)
                if after is None:
                    continue
                for v in step.updates:
                    if v in common:
                        common[v] = interval.hull(common[v], after[v])
                there = points[number].setdefault(step.target, {})
                for v in run.owners[number].data:
                    there[v] = interval.hull(there[v], after[v]) if v in there else after[v]
    run.common, run.points = common, points
