"""Intervals at each control point of each thread by itself, with the interferences of the others (Miné, ESOP 2011).

A thread's *own* variables are its locals and the shared ones that no other thread writes. Those of them that only
constants, such variables and conditions decide are *control*, whatever their ranges: the counter of a loop, how far a
thread has come. A point is a location with values of the control variables; it has an interval for each other variable
of the thread's own, and for each shared one that it sees (`sight`). What an edge of another thread may write there, and
where its own intervals allow it to be taken at all, is an interference: who holds a lock is disturbed by nobody who
would have to hold it. What holds whenever a lock is free or a flag is set, whoever made it so, is known behind a test
of that. The work grows with the points of the threads and not with their combinations, and numbers that grow in loops
that count keep their bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct

from sa.automata.automaton import Automaton, location_of
from sa.automata.components import components
from sa.base.limits import Limits, spend
from sa.domains.thresholds import Thresholds, thresholds_of
from sa.invariants.exclusion import (
    Meetings,
    Region,
    Sum,
    bounds_at,
    bounds_seen,
    keeps,
    meetings_of,
    sums_of,
)
from sa.invariants.interferences import Known, Run, absorb, disturb, fixed_at, grow, meet_anew, publish
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
from sa.invariants.sight import Pivot, Sight, sights_of, tested
from sa.terms import build, interval
from sa.terms.bounds import Ranges, assuming, interval_of
from sa.terms.interval import Interval, sort_range
from sa.terms.sort import ArraySort
from sa.terms.term import Term, Var

#: Rounds that make intervals smaller again.
NARROWINGS = 3

#: Units of a step.
A_STEP = 75


class Bounded(Struct, frozen=True, eq=False):
    """What was found: by thread the intervals at each point that is reached, and what holds of each variable always.

    `conditional` is by pivot what holds whenever its variable has its value; None where it never has. `meetings`
    say which points of two threads exclude each other, if sums that steps keep say so.
    """

    owners: tuple[Owner, ...]
    sights: tuple[Sight, ...]
    points: tuple[Mapping[Point, Ranges], ...]
    common: Ranges
    conditional: Mapping[Pivot, Ranges | None]
    meetings: Meetings | None


def iteration_of(threads: Sequence[Automaton], bounds: Limits, sums: bool = True) -> Run:
    """The iteration in its beginning, for threads whose locals have different names; with `sums`, points exclude each
    other by these. Raises LimitReached.
    """
    initial = begun_with(threads)
    owners, steps = unfolded(threads, initial, bounds)
    sights, about = sights_of(owners)
    written = {v for here in steps for found in here.values() for s in found for v in s.updates}
    constant = tuple({v: initial[v] for v in read_by(o.thread) - written if v in initial} for o in owners)
    everybody = range(len(owners))
    shown = tuple(frozenset(v for m in everybody if m != n for v in sights[m].others) for n in everybody)
    known = _beginning(owners, sights, about, initial)
    landing = {id(s): _landing(o, s) for o, here in zip(owners, steps, strict=True) for f in here.values() for s in f}
    depending = _depending(sights, about, steps)
    first = [first_point(o, initial) for o in owners]
    met = meetings_of(sums_of(owners, steps) if sums else (), first, steps, known.common)
    return Run(
        owners, sights, about, steps, initial, constant, shown, landing, depending, _cuts(threads), bounds, known, met
    )


def intervals_of(run: Run, bounds: Limits) -> Bounded:
    """The end of the iteration. It goes on from what was known where a limit ended it. Raises LimitReached."""
    run.bounds = bounds
    while True:
        _settle_all(run)
        down = run
        for _ in range(NARROWINGS):
            down = _narrowed(down)
        if run.meetings is None or len(kept := _kept(down)) == len(run.meetings.sums):
            break
        # Without the sums that steps do not keep everything begins again.
        first = [first_point(o, run.begun) for o in run.owners]
        run.known = _beginning(run.owners, run.sights, run.about, run.begun)
        run.meetings = meetings_of(kept, first, run.steps, run.known.common)
        run.changes.clear()
        run.absorbed.clear()
    found = down.known
    return Bounded(run.owners, run.sights, tuple(found.points), found.common, found.conditional, run.meetings)


def _settle_all(run: Run) -> None:
    """Work on all threads until nothing changes anywhere."""
    run.waiting = {n: dict.fromkeys(run.known.points[n]) for n in _order(run)}
    while run.waiting:
        number = next(iter(run.waiting))
        _settle(run, number, run.waiting.pop(number))
        if not run.waiting and run.meetings is not None:
            # What was not possible together may be so by now.
            for number, point, step, before in _taken(run):
                meet_anew(run, number, point, step, before)


def _taken(run: Run) -> Iterator[tuple[int, Point, Step, Ranges]]:
    """The steps that are possible, with what is known before them."""
    for number, places in enumerate(run.known.points):
        for point in list(places):
            for step in run.steps[number][point]:
                spend(run.bounds, A_STEP)
                before = _before(run, number, point, step)
                if before is not None:
                    yield number, point, step, before


def _kept(run: Run) -> tuple[Sum, ...]:
    """The sums that all steps keep which are possible."""
    left = () if run.meetings is None else run.meetings.sums
    for number, point, step, before in _taken(run):
        left = tuple(s for s in left if keeps(s, number, point, step, {**run.known.common, **before}))
    return left


def _cuts(threads: Sequence[Automaton]) -> Thresholds:
    formulas = (f for t in threads for f in (*(e.guard for e in t.edges), *(q.inv for q in t.locations)))
    return thresholds_of(formulas, (u for t in threads for e in t.edges for u in e.updates))


def _beginning(
    owners: Sequence[Owner], sights: Sequence[Sight], about: Mapping[Pivot, frozenset[Var]], begun: Ranges
) -> Known:
    """What is true in the beginning."""
    points = [
        {first_point(o, begun): {v: begun[v] for v in (*o.data, *s.others)}}
        for o, s in zip(owners, sights, strict=True)
    ]
    conditional = {
        (var, value): {v: begun[v] for v in sorted(said, key=lambda v: v.key)}
        if interval.meet(begun[var], (value, value)) is not None
        else None
        for (var, value), said in about.items()
    }
    return Known(points, [{} for _ in owners], dict(begun), conditional)


def _landing(owner: Owner, step: Step) -> Term:
    """The part of the invariant behind a step that does not follow from the one before it."""
    known = location_of(owner.thread, step.edge.source).inv
    before = frozenset(build.conjuncts(known))
    return build.land(*(c for c in build.conjuncts(step.inv) if c not in before or not c.free.isdisjoint(step.updates)))


def _depending(
    sights: Sequence[Sight], about: Mapping[Pivot, frozenset[Var]], steps: Sequence[Mapping[Point, Sequence[Step]]]
) -> Mapping[Pivot, Sequence[tuple[int, Point]]]:
    """By pivot the points from where a step tests it, or may say something new of it."""
    found: dict[Pivot, dict[tuple[int, Point], None]] = {p: {} for p in about}
    for number, (sight, here) in enumerate(zip(sights, steps, strict=True)):
        for point, taken_there in here.items():
            for step in taken_there:
                for pivot in tested(step.guard):
                    if pivot in found:
                        found[pivot][number, point] = None
                for pivot in sight.changes:
                    if not about[pivot].isdisjoint(step.updates):
                        found[pivot][number, point] = None
    return {p: tuple(points) for p, points in found.items()}


def _order(run: Run) -> list[int]:
    """Those who write before those who read it."""
    reads = [read_by(o.thread) for o in run.owners]
    writes = [{v for here in steps.values() for s in here for v in s.updates} for steps in run.steps]
    sources = {n: [m for m in range(len(writes)) if m != n and writes[m] & reads[n]] for n in range(len(reads))}
    return [n for part in components(sources, sources) for n in part]


def _settle(run: Run, number: int, pending: dict[Point, None]) -> None:
    """Work on a thread until nothing changes there; what is `pending` is always looked at."""
    points = run.known.points[number]
    pending = {p: None for p in points if absorb(run, number, p) or p in pending}
    while pending:
        point = next(iter(pending))
        del pending[point]
        for step in run.steps[number][point]:
            spend(run.bounds, A_STEP)
            before = _before(run, number, point, step)
            after = None if before is None else _after(run, number, before, step)
            if before is None or after is None:
                continue
            publish(run, number, point, step, before, after)
            there = points.get(step.target)
            if there is None:
                points[step.target] = {v: after[v] for v in points[point]}
            # All variables grow at once.
            elif not {v for v in there if grow(run, (number, step.target), there, v, after[v])}:
                continue
            absorb(run, number, step.target)
            pending[step.target] = None


def _before(run: Run, number: int, point: Point, step: Step) -> Ranges | None:
    """The intervals with which a step is taken; None if it is not possible."""
    sight, here = run.sights[number], run.known.points[number][point]
    choices = {c.var: declared(c) for c in step.edge.choices}
    known = {**run.constant[number], **here, **fixed_at(sight, point), **choices}
    if not run.exact or run.meetings is None:
        return taken(step.guard, known, run.known.conditional)
    return taken(step.guard, known, run.known.conditional, run.meetings, (number, run.meetings.regions[number][point]))


def taken(
    guard: Term,
    known: Ranges,
    conditional: Mapping[Pivot, Mapping[Var, Interval] | None],
    others: Meetings | None = None,
    region: Region = (0, 0),
) -> Ranges | None:
    """What is known where a guard holds, and what follows from the pivots that are true then, and from where `others`
    may be while a thread is at its `region`; None if it cannot hold.
    """
    before: Ranges | None = known
    for _ in range(2):
        before = None if before is None else assuming(guard, before)
    if before is None:
        return None
    found, pivots = dict(before), dict.fromkeys(tested(guard))
    if others is not None:
        said = bounds_seen(others, region, before)
        if said is None:
            return None
        pivots |= dict.fromkeys((v, x[0]) for v, x in said.items() if x[0] is not None and x[0] == x[1])
        limited = {v: interval.meet(x, before.get(v, x)) for v, x in said.items()}
        found |= {v: x for v, x in limited.items() if x is not None}
        if len(limited) > sum(x is not None for x in limited.values()):
            return None
    for pivot in pivots:
        said = conditional.get(pivot, {})
        if said is None:
            return None
        for v, values in said.items():
            common = interval.meet(found[v], values) if v in found else values
            if common is None:
                return None
            found[v] = common
    return assuming(guard, found)


def _after(run: Run, number: int, before: Ranges, step: Step) -> dict[Var, Interval] | None:
    """The intervals after a step; None if it is not possible."""
    mine = {v: before[v] for v in (*run.owners[number].data, *run.sights[number].others)}
    mine |= {v: interval_of(t, before) for v, t in step.updates.items() if not isinstance(v.sort, ArraySort)}
    landed = assuming(run.landing[id(step)], {**before, **mine})
    return None if landed is None else {v: landed.get(v, sort_range(v.sort)) for v in mine}


def _narrowed(run: Run) -> Run:
    """One step down: all that a start, a step or an interference leads to, which is closed under these again."""
    old, new = run.known, _beginning(run.owners, run.sights, run.about, run.begun)
    down = replace(run, known=new, exact=True, changes=Counter(), grown=Counter(), absorbed={})
    every = ((*step, _after(run, step[0], step[3], step[2])) for step in _taken(run))
    ends = [(n, p, s, earlier, later) for n, p, s, earlier, later in every if later is not None]
    # What is said of a pivot counts as soon as it can hold.
    for number, point, step, earlier, later in (*ends, *ends):
        publish(down, number, point, step, earlier, later)
    for number, _, step, _, later in ends:
        there = new.points[number].setdefault(step.target, {})
        there |= {v: interval.hull(there.get(v, later[v]), later[v]) for v in old.points[number][step.target]}
    for number, boxes in enumerate(new.points):
        for point, box in boxes.items():
            disturb(run, number, point, box)
            if run.meetings is not None:
                _limit(box, bounds_at(run.meetings, (number, run.meetings.regions[number][point])))
    return down


def _limit(box: dict[Var, Interval], bounds: Ranges | None) -> None:
    """Leave out of intervals what sums exclude."""
    for v, values in (bounds or {}).items():
        common = interval.meet(box[v], values) if v in box else None
        if common is not None:
            box[v] = common
