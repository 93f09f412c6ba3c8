"""Intervals of each thread's own variables at each of its control points, whatever the others do.

A thread's *own* variables are its locals and the shared ones that no other thread writes. Those of them that only
constants, such variables and conditions decide are *control*, whatever their ranges: the counter of a loop, how far a
thread has come. A point is a location with values of the control variables; it has an interval for each other variable
of the thread's own. Of variables that others write, one interval is known, which holds always. So the work grows with
the points of the threads and not with their combinations, and numbers that grow in loops that count keep their bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Variable, edges_from
from sa.automata.components import components
from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.domains.thresholds import Thresholds, thresholds_of
from sa.terms import build, interval
from sa.terms.bounds import Ranges, assuming, interval_of
from sa.terms.cases import outcomes
from sa.terms.interval import Interval, sort_range
from sa.terms.sort import BOOL, ArraySort, Value
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Int, Ite, Member, Term, Var, sort_of

#: Points of a thread: where there are more, the control variable with the most values is data.
POINTS = 400

#: Control variables of a thread that become data before all of them do, and cases of them after one step.
TRIED, CASES = 4, 16

#: Changes of an interval after which it grows to the next threshold, and those after which it has no end.
EXACT, PATIENT = 4, 40

#: Rounds that make intervals smaller again.
NARROWINGS = 3

_Values: TypeAlias = tuple[Value, ...]


class Point(Struct, frozen=True):
    """A location, and the values that the thread's control variables have there, in their order."""

    place: str
    values: _Values


class Owner(Struct, frozen=True, eq=False):
    """A thread with names of its own, its control variables, and the other variables that nobody else writes."""

    thread: Automaton
    control: tuple[Var, ...]
    data: tuple[Var, ...]

    def known(self, point: Point) -> dict[Var, Term]:
        """The control variables' values at a point, as terms."""
        return {v: build.constant(x, v.sort) for v, x in zip(self.control, point.values, strict=True)}


class Bounded(Struct, frozen=True, eq=False):
    """What was found: by thread the intervals at each point that is reached, and what holds of each variable always."""

    owners: tuple[Owner, ...]
    points: tuple[Mapping[Point, Ranges], ...]
    common: Ranges


class _Step(Struct, frozen=True, eq=False):
    """An edge at a point, one way for its control variables to come out: what is tested, and the values after it."""

    edge: Edge
    guard: Term
    target: Point
    inv: Term
    updates: Mapping[Var, Term]


class _Crowded(Exception):
    """A thread has too many points, or values are not known: a control variable that had better be data."""

    def __init__(self, var: Var) -> None:
        super().__init__(var.name)
        self.var = var


def intervals(threads: Sequence[Automaton], bounds: Limits) -> Bounded:
    """The intervals of threads whose locals have different names. Raises LimitReached."""
    begun = _begun(threads)
    writers = _writers([{v for e in t.edges for v, _ in e.updates} for t in threads])
    owners, steps = list[Owner](), list[Mapping[Point, Sequence[_Step]]]()
    for number, thread in enumerate(threads):
        owner, found = _unfolded(thread, {v for v, who in writers.items() if who != {number}}, begun, bounds)
        owners.append(owner)
        steps.append(found)
    # An element whose index is control may be written by fewer threads than the text says.
    really = _writers([{v for here in found.values() for s in here for v in s.updates} for found in steps])
    for number, owner in enumerate(owners):
        shared = {v for v, who in really.items() if who != {number}}
        data = (v.var for v in owner.thread.variables if _is_number(v) and v.kind is not Kind.PARAM)
        mine = tuple(v for v in data if v not in shared and v not in owner.control and really.get(v) is not None)
        owners[number] = Owner(owner.thread, owner.control, mine)
    return _fixed_point(_Run(tuple(owners), tuple(steps), begun, _cuts(threads), bounds))


def _writers(written: Sequence[set[Var]]) -> dict[Var, set[int]]:
    found = dict[Var, set[int]]()
    for number, variables in enumerate(written):
        for v in variables:
            found.setdefault(v, set()).add(number)
    return found


def _is_number(variable: Variable) -> bool:
    return not isinstance(variable.var.sort, ArraySort)


def _begun(threads: Sequence[Automaton]) -> Ranges:
    """The intervals of all variables at the start."""
    ranges: Ranges = {v.var: _declared(v) for t in threads for v in t.variables if _is_number(v)}
    for _ in range(2):
        for thread in threads:
            # Where there is no start at all everything holds, and ranges say enough.
            ranges = assuming(thread.init, ranges) or ranges
    return ranges


def _declared(variable: Variable) -> Interval:
    return interval.meet((variable.low, variable.high), sort_range(variable.var.sort)) or sort_range(variable.var.sort)


def _cuts(threads: Sequence[Automaton]) -> Thresholds:
    formulas = (f for t in threads for f in (*(e.guard for e in t.edges), *(q.inv for q in t.locations)))
    return thresholds_of(formulas, (u for t in threads for e in t.edges for u in e.updates))


def _unfolded(
    thread: Automaton, shared: set[Var], begun: Ranges, bounds: Limits
) -> tuple[Owner, Mapping[Point, Sequence[_Step]]]:
    """The thread with its control variables, and its steps by point, those that the data may forbid among them."""
    data = set[Var]()
    while True:
        control = _control(thread, shared | data, begun) if len(data) <= TRIED else ()
        try:
            return Owner(thread, control, ()), _points(Owner(thread, control, ()), begun, bounds)
        except _Crowded as crowded:
            data.add(crowded.var)


def _control(thread: Automaton, others: set[Var], begun: Ranges) -> tuple[Var, ...]:
    """The largest part of the variables that begin with one value, and whose values only the part itself decides."""
    written = {v for e in thread.edges for v, _ in e.updates}
    left = {v for v in written - others if not isinstance(v.sort, ArraySort) and interval.size(begun[v]) == 1}
    falling = True
    while falling:
        fallen = {v for e in thread.edges for v, t in e.updates if v in left and not _is_decided(t, left)}
        left -= fallen
        falling = bool(fallen)
    return tuple(v.var for v in thread.variables if v.var in left)


def _is_decided(term: Term, left: set[Var]) -> bool:
    if isinstance(term, Ite):
        return _is_decided(term.positive, left) and _is_decided(term.negative, left)
    return sort_of(term) == BOOL or term.free <= left


def _points(owner: Owner, begun: Ranges, bounds: Limits) -> Mapping[Point, Sequence[_Step]]:
    """The steps at each point that control allows to reach. Raises _Crowded and LimitReached."""
    outgoing = edges_from(owner.thread)
    invariants = {q.name: q.inv for q in owner.thread.locations}
    first = Point(owner.thread.initial, tuple(_value(begun[v][0], v) for v in owner.control))
    found, pending = dict[Point, Sequence[_Step]](), [first]
    for point in pending:
        if point in found:
            continue
        spend(bounds, 120)
        known = owner.known(point)
        found[point] = [s for e in outgoing[point.place] for s in _ways(owner, point, known, e, invariants)]
        if len(found) > POINTS and owner.control:
            raise _Crowded(_most_values(owner.control, found))
        pending += [s.target for s in found[point]]
    return found


def _value(number: int | None, var: Var) -> Value:
    assert number is not None
    return bool(number) if var.sort == BOOL else number


def _most_values(control: Sequence[Var], points: Mapping[Point, object]) -> Var:
    counts = [len({p.values[i] for p in points}) for i in range(len(control))]
    return control[counts.index(max(counts))]


def _ways(
    owner: Owner, point: Point, known: Mapping[Var, Term], edge: Edge, invariants: Mapping[str, Term]
) -> Iterator[_Step]:
    """What an edge may make of the control variables, with the condition on the data for it."""
    guard = build.land(substitute(edge.guard, known), *(within(c) for c in edge.choices))
    updates = {v: t for v, u in edge.updates if (t := substitute(u, known)) is not v}
    changed = [v for v in owner.control if v in updates]
    ways = list(product(*(tuple(_cases(updates[v], v)) for v in changed))) if guard is not build.FALSE else []
    if len(ways) > CASES:
        raise _Crowded(changed[0])
    for way in ways:
        condition = build.land(guard, *(c for c, _ in way))
        after = dict(zip(owner.control, point.values, strict=True))
        after |= {v: x for v, (_, x) in zip(changed, way, strict=True)}
        target = Point(edge.target, tuple(after.values()))
        inv = substitute(invariants[edge.target], owner.known(target))
        if condition is not build.FALSE and inv is not build.FALSE:
            yield _Step(edge, condition, target, inv, updates)


def _cases(term: Term, var: Var) -> Iterator[tuple[Term, Value]]:
    """The values that a control variable may get, each with its condition. Raises _Crowded if they are not known."""
    for condition, value in outcomes(term):
        match value:
            case Int(number) | Bool(number) | Member(_, number):
                yield condition, number
            case _:
                # The value of a function without a body.
                raise _Crowded(var)


@dataclass(slots=True)
class _Run:
    """The state of the iteration; `changes` counts how often the interval of a variable grew, by point or for all."""

    owners: tuple[Owner, ...]
    steps: tuple[Mapping[Point, Sequence[_Step]], ...]
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
    start = Point(owner.thread.initial, tuple(_value(run.begun[v][0], v) for v in owner.control))
    return {start: {v: run.begun[v] for v in owner.data}}


def _order(run: _Run) -> list[int]:
    """Those who write before those who read it."""
    reads = [_read(o.thread) for o in run.owners]
    writes = [{v for here in steps.values() for s in here for v in s.updates} for steps in run.steps]
    sources = {n: [m for m in range(len(writes)) if m != n and writes[m] & reads[n]] for n in range(len(reads))}
    return [n for part in components(sources, sources) for n in part]


def _looked_up(owner: Owner) -> set[Var]:
    """What a thread reads of what holds always, also of what it writes itself."""
    return _read(owner.thread).difference(owner.data, owner.control)


def _read(thread: Automaton) -> set[Var]:
    terms = (t for e in thread.edges for t in (e.guard, *(u for _, u in e.updates)))
    return {v for t in terms for v in t.free} | {v for q in thread.locations for v in q.inv.free}


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


def _after(run: _Run, number: int, point: Point, box: Ranges, step: _Step) -> dict[Var, Interval] | None:
    """The intervals after a step; None if it is not possible."""
    before: Ranges | None = {**run.common, **box, **{c.var: _declared(c) for c in step.edge.choices}}
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
