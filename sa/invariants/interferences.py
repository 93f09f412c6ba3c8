"""Interferences of threads: what a step may write while another thread is at a point, and what holds at pivots.

An interference is an edge with intervals of the shared variables where it is taken and of those that it writes (Miné,
Static analysis of run-time errors in embedded critical parallel C programs, ESOP 2011). It matters where both can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sa.base.limits import Limits, spend
from sa.domains.thresholds import Thresholds
from sa.invariants.exclusion import Meetings, Region, add_pair, bounds_at, meets
from sa.invariants.own_points import Owner, Point, Step
from sa.invariants.sight import Pivot, Sight
from sa.terms import interval
from sa.terms.bounds import Ranges
from sa.terms.interval import Interval, sort_range
from sa.terms.term import Term, Var

#: Changes of an interval after which it grows to the next threshold, and those after which it has no end.
EXACT, PATIENT = 4, 40

#: Units of an interference that is looked at.
AN_INTERFERENCE = 2

#: An edge, by its identity, with its regions, and the shared variables that others see and that it writes.
_Writing: TypeAlias = tuple[int, int, int, tuple[Var, ...]]


@dataclass(slots=True)
class Interference:
    """What is true of shared variables when an edge is taken, and what it writes; from which region it leads where.

    `grown` says when that was found.
    """

    source: int
    target: int
    before: dict[Var, Interval]
    after: dict[Var, Interval]
    grown: int = 0


@dataclass(slots=True)
class Known:
    """What is said so far: by thread the points with their intervals, and by thread its interferences."""

    points: list[dict[Point, dict[Var, Interval]]]
    interferences: list[dict[_Writing, Interference]]
    common: dict[Var, Interval]
    conditional: dict[Pivot, dict[Var, Interval] | None]


@dataclass(slots=True)
class Run:
    """The state of the iteration; `changes` counts how often the interval of a variable grew, by what it is about.

    `constant` are the intervals of variables that nobody writes, by thread those that it reads; `shown` are by thread
    the variables that others see. `landing` is by step what the invariant behind it says anew, `depending` are by pivot
    the points where it matters. `waiting` are threads to look at again, each with points. Where all is `exact`, nothing
    is widened. `clock` counts when interferences have `grown`, the last one by thread; `absorbed` is by point what was
    known when all of them until then had been looked at.
    """

    owners: tuple[Owner, ...]
    sights: tuple[Sight, ...]
    about: Mapping[Pivot, frozenset[Var]]
    steps: tuple[Mapping[Point, Sequence[Step]], ...]
    begun: Ranges
    constant: tuple[Ranges, ...]
    shown: tuple[frozenset[Var], ...]
    landing: Mapping[int, Term]
    depending: Mapping[Pivot, Sequence[tuple[int, Point]]]
    cuts: Thresholds
    bounds: Limits
    known: Known
    meetings: Meetings | None
    exact: bool = False
    waiting: dict[int, dict[Point, None]] = field(default_factory=dict)
    clock: int = 0
    grown: Counter[int] = field(default_factory=Counter)
    absorbed: dict[tuple[int, Point], tuple[int, Ranges]] = field(default_factory=dict)
    changes: Counter[tuple[object, Var]] = field(default_factory=Counter)


def absorb(run: Run, number: int, point: Point) -> bool:
    """Add what other threads may make of the variables that a thread sees at a point; whether that is new."""
    here, key = run.known.points[number][point], (number, point)
    region, fixed = (number, region_of(run, number, point)), fixed_at(run.sights[number], point)
    since, known = run.absorbed.get(key, (-1, {}))
    if known != here:
        since = -1
    began, grown, growing = run.clock, False, True
    while growing:
        growing = False
        for other, found in enumerate(run.known.interferences):
            if other == number or run.grown[other] <= since:
                continue
            spend(run.bounds, AN_INTERFERENCE * len(found))
            for effect in found.values():
                if effect.grown > since and _may_disturb(run, region, other, effect, here, here, fixed):
                    made = _made_of(run, region, other, effect, here)
                    growing |= bool({v for v, x in made.items() if grow(run, key, here, v, x)})
        grown |= growing
        since = -1
    run.absorbed[key] = began, dict(here)
    return grown


def fixed_at(sight: Sight, point: Point) -> Ranges:
    """The shared variables among the control variables, as they are at a point."""
    values = ((v, point.values[n]) for n, v in sight.control)
    return {v: (int(x), int(x)) for v, x in values if isinstance(x, int)}


def _is_new(effect: Interference, here: Ranges) -> bool:
    for v, values in effect.after.items():
        known = here.get(v)
        if known is not None and known != values and interval.hull(known, values) != known:
            return True
    return False


def region_of(run: Run, number: int, point: Point) -> int:
    """The region of a thread's point; 0 where sums say nothing."""
    return 0 if run.meetings is None else run.meetings.regions[number][point]


def _may_disturb(
    run: Run, region: Region, other: int, effect: Interference, here: Ranges, box: Ranges, fixed: Ranges
) -> bool:
    """Whether an interference says more than a box and may occur while a thread is here."""
    if run.meetings is not None and not meets(run.meetings, region, (other, effect.source)):
        return False
    return _is_new(effect, box) and _may_meet(effect, here, fixed)


def _made_of(run: Run, region: Region, other: int, effect: Interference, here: Ranges) -> Ranges:
    """What an interference of another thread makes of what a thread sees, as far as the sums allow it there."""
    seen = {v: x for v, x in effect.after.items() if v in here}
    if run.meetings is None:
        return seen
    earlier = bounds_at(run.meetings, region, (other, effect.source))
    later = bounds_at(run.meetings, region, (other, effect.target))
    if earlier is None or later is None or not _agree(earlier, here, effect.before):
        return {}
    limited = {v: interval.meet(x, later[v]) if v in later else x for v, x in seen.items()}
    return {v: x for v, x in limited.items() if x is not None} if None not in limited.values() else {}


def _agree(bounds: Ranges, *known: Ranges) -> bool:
    """Whether variables may have values that all of these allow."""
    for v, values in bounds.items():
        left: Interval | None = values
        for ranges in known:
            left = None if left is None else interval.meet(left, ranges[v]) if v in ranges else left
        if left is None:
            return False
    return True


def meet_anew(run: Run, number: int, point: Point, step: Step, before: Ranges) -> None:
    """Add the pairs of regions that a step leads to."""
    known = run.meetings
    if known is None or (mine := known.regions[number][point]) == (there := known.regions[number][step.target]):
        return
    fixed = run.sights[number]
    allowed = {v: before[v] for v in (*fixed.own, *fixed.others, *(v for _, v in fixed.control))}
    for other in range(len(run.owners)):
        if other != number:
            for q in [s for r, s in known.met[number, other] if r == mine]:
                if (there, q) not in known.met[number, other] and _may_be_at(run, (number, mine), (other, q), allowed):
                    add_pair(known, (number, there), (other, q))
                    run.absorbed.clear()
                    run.waiting.update((n, run.waiting.get(n, {})) for n in range(len(run.owners)))


def _may_be_at(run: Run, region: Region, other: Region, before: Ranges) -> bool:
    """Whether another thread may be at a region when a step is taken."""
    assert run.meetings is not None
    bounds = bounds_at(run.meetings, region, other)
    if bounds is None or not _agree(bounds, before):
        return False
    number, there = other
    here = run.known.points[number]
    for point in run.meetings.inside[number][there]:
        if point in here:
            known = {**here[point], **fixed_at(run.sights[number], point)}
            if _agree(before, known) and _agree(bounds, known):
                return True
    return False


def _may_meet(effect: Interference, here: Ranges, fixed: Ranges) -> bool:
    """Whether a thread can be where it is while another one takes an edge."""
    for v, values in effect.before.items():
        known = here.get(v) or fixed.get(v)
        if known is not None and known != values and interval.meet(known, values) is None:
            return False
    return True


def publish(run: Run, number: int, point: Point, step: Step, before: Ranges, after: Ranges) -> None:
    """Add what a step does to what others see, and to what is known of pivots."""
    known, sight = run.known, run.sights[number]
    meet_anew(run, number, point, step, before)
    written = [v for v in step.updates if v in after and v in known.common]
    for v in written:
        if grow(run, None, known.common, v, after[v]) and run.meetings is not None and run.meetings.beside:
            run.meetings.bounds.clear()
            run.absorbed.clear()
    shown = tuple(v for v in written if v in run.shown[number])
    regions = region_of(run, number, point), region_of(run, number, step.target)
    if shown and _disturbing(run, number, (id(step.edge), *regions, shown), before, after):
        for n, other in enumerate(run.sights):
            if n != number and not {*shown}.isdisjoint(other.others):
                run.waiting.setdefault(n, {})
    for pivot in sight.changes:
        if _said_of(run, pivot, written, before, after):
            for n, point in run.depending[pivot]:
                run.waiting.setdefault(n, {})[point] = None


def _disturbing(run: Run, number: int, key: _Writing, before: Ranges, after: Ranges) -> bool:
    """Add to an interference; whether it has grown."""
    sight, found = run.sights[number], run.known.interferences[number]
    allowed = {v: before[v] for v in (*sight.own, *sight.others, *(v for _, v in sight.control))}
    there = found.get(key)
    if there is None:
        there = found[key] = Interference(key[1], key[2], allowed, {v: after[v] for v in key[3]})
    else:
        wider = {v for v in there.before if grow(run, (key, "before"), there.before, v, allowed[v])}
        if not wider | {v for v in key[3] if grow(run, (key, "after"), there.after, v, after[v])}:
            return False
    run.clock += 1
    there.grown = run.grown[number] = run.clock
    return True


def _said_of(run: Run, pivot: Pivot, written: Sequence[Var], before: Ranges, after: Ranges) -> bool:
    """Add a step's end to what holds whenever a pivot does; whether it is new."""
    conditional, (var, value) = run.known.conditional, pivot
    at = (value, value)
    earlier = before.get(var, sort_range(var.sort))
    later = after[var] if var in written else earlier
    if interval.meet(later, at) is None:
        return False
    said, about = conditional[pivot], run.about[pivot]
    if var in written and earlier != at:
        ends = {v: after.get(v, before.get(v, run.known.common[v])) for v in sorted(about, key=lambda v: v.key)}
        if said is None:
            conditional[pivot] = ends
            return True
    else:
        ends = {v: after[v] for v in written if v in about}
        if said is None:
            # It never holds, so that nothing is kept.
            return False
    return bool({v for v, values in ends.items() if grow(run, pivot, said, v, values)})


def disturb(run: Run, number: int, point: Point, box: dict[Var, Interval]) -> None:
    """Add to intervals at a point what others may make of the old ones."""
    old, fixed = run.known.points[number][point], fixed_at(run.sights[number], point)
    region = number, region_of(run, number, point)
    for other, found in enumerate(run.known.interferences):
        if other != number:
            spend(run.bounds, AN_INTERFERENCE * len(found))
            for effect in found.values():
                if _may_disturb(run, region, other, effect, old, box, fixed):
                    made = _made_of(run, region, other, effect, old)
                    box |= {v: interval.hull(box[v], x) for v, x in made.items() if v in box}


def grow(run: Run, about: object, known: dict[Var, Interval], var: Var, more: Interval) -> bool:
    """Add values to an interval; whether there were any new ones."""
    old = known[var]
    new = interval.hull(old, more)
    if new == old:
        return False
    run.changes[about, var] += 1
    known[var] = new if run.exact else _widened(old, new, run.cuts.get(var, frozenset()), run.changes[about, var])
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
