"""The points of each thread by itself: its locations, with the values of variables that it alone decides.

A thread's *own* variables are its locals and the shared ones that no other thread writes. Those of them that only
constants, such variables and conditions decide are *control*, whatever their ranges: the counter of a loop, how far a
thread has come. A point is a location with values of the control variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.invariants.cases import TwoValued, cases, two_valued
from sa.invariants.place_invariants import firsts
from sa.terms import build, interval
from sa.terms.bounds import Ranges, assuming
from sa.terms.cases import outcomes
from sa.terms.interval import Interval, sort_range
from sa.terms.sort import BOOL, ArraySort, Value
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Int, Ite, Member, Term, Var, sort_of

#: Points of a thread: where there are more, the control variable with the most values is data.
POINTS = 400

#: Control variables of a thread that become data before all of them do, and cases of them after one step.
TRIED, CASES = 4, 16

#: The values of control variables; None where a local has not been set yet.
_Values: TypeAlias = tuple[Value | None, ...]


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
        values = zip(self.control, point.values, strict=True)
        return {v: build.constant(x, v.sort) for v, x in values if x is not None}


class Step(Struct, frozen=True, eq=False):
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


def unfolded(
    threads: Sequence[Automaton], begun: Ranges, bounds: Limits
) -> tuple[tuple[Owner, ...], tuple[Mapping[Point, Sequence[Step]], ...]]:
    """Threads whose locals have different names with their own variables, and their steps by point.

    Raises LimitReached.
    """
    writers = _writers([{v for e in t.edges for v, _ in e.updates} for t in threads])
    two = two_valued(threads, firsts(threads))
    owners, steps = list[Owner](), list[Mapping[Point, Sequence[Step]]]()
    for number, thread in enumerate(threads):
        others = {v for v, who in writers.items() if who != {number}}
        owner, found = _by_cases(thread, two, others, begun, bounds) or _unfolded(thread, others, begun, bounds)
        owners.append(owner)
        steps.append(found)
    # An element whose index is control may be written by fewer threads than the text says.
    really = _writers([{v for here in found.values() for s in here for v in s.updates} for found in steps])
    for number, owner in enumerate(owners):
        shared = {v for v, who in really.items() if who != {number}}
        data = (v.var for v in owner.thread.variables if is_number(v) and v.kind is not Kind.PARAM)
        mine = tuple(v for v in data if v not in shared and v not in owner.control and really.get(v) is not None)
        owners[number] = Owner(owner.thread, owner.control, mine)
    return tuple(owners), tuple(steps)


def _writers(written: Sequence[set[Var]]) -> dict[Var, set[int]]:
    found = dict[Var, set[int]]()
    for number, variables in enumerate(written):
        for v in variables:
            found.setdefault(v, set()).add(number)
    return found


def is_number(variable: Variable) -> bool:
    """Whether a variable's values are numbers, or count as such."""
    return not isinstance(variable.var.sort, ArraySort)


def begun_with(threads: Sequence[Automaton]) -> Ranges:
    """The intervals of all variables at the start."""
    ranges: Ranges = {v.var: declared(v) for t in threads for v in t.variables if is_number(v)}
    for _ in range(2):
        for thread in threads:
            # Where there is no start at all everything holds, and ranges say enough.
            ranges = assuming(thread.init, ranges) or ranges
    return ranges


def declared(variable: Variable) -> Interval:
    """The interval that a variable is declared with."""
    return interval.meet((variable.low, variable.high), sort_range(variable.var.sort)) or sort_range(variable.var.sort)


def _by_cases(
    thread: Automaton, two: TwoValued, shared: set[Var], begun: Ranges, bounds: Limits
) -> tuple[Owner, Mapping[Point, Sequence[Step]]] | None:
    """The same where steps that read a variable with two values are one for each: what it was is control, as after an
    exchange. None where that makes no difference, or too many points.
    """
    split = [(edge, cases(edge, two)) for edge in thread.edges]
    if all(len(some) == 1 for _, some in split):
        return None
    control = _control(thread, [e for _, some in split for e in some], shared, begun)
    owner = Owner(thread, control, ())
    try:
        return owner, _points(owner, split, begun, bounds)
    except _Crowded:
        return None


def _unfolded(
    thread: Automaton, shared: set[Var], begun: Ranges, bounds: Limits
) -> tuple[Owner, Mapping[Point, Sequence[Step]]]:
    """The thread with its control variables, and its steps by point, those that the data may forbid among them."""
    data = set[Var]()
    while True:
        control = _control(thread, thread.edges, shared | data, begun) if len(data) <= TRIED else ()
        owner = Owner(thread, control, ())
        try:
            return owner, _points(owner, [(edge, (edge,)) for edge in thread.edges], begun, bounds)
        except _Crowded as crowded:
            data.add(crowded.var)


def _control(thread: Automaton, edges: Sequence[Edge], others: set[Var], begun: Ranges) -> tuple[Var, ...]:
    """The largest part of the variables that begin with one value, or are set before, and whose values only the part
    itself decides.
    """
    written = {v for e in edges for v, _ in e.updates}
    local = {v.var for v in thread.variables if v.kind is Kind.LOCAL}
    mine = {v for v in written - others if not isinstance(v.sort, ArraySort)}
    left = {v for v in mine if v in local or interval.size(begun[v]) == 1}
    falling = True
    while falling:
        fallen = {v for e in edges for v, t in e.updates if v in left and not _is_decided(t, left)}
        left -= fallen
        falling = bool(fallen)
    return tuple(v.var for v in thread.variables if v.var in left)


def _is_decided(term: Term, left: set[Var]) -> bool:
    if isinstance(term, Ite):
        return _is_decided(term.positive, left) and _is_decided(term.negative, left)
    return sort_of(term) == BOOL or term.free <= left


#: The edges of a thread, each with the cases that it comes to.
_Split: TypeAlias = Sequence[tuple[Edge, tuple[Edge, ...]]]


def _points(owner: Owner, split: _Split, begun: Ranges, bounds: Limits) -> Mapping[Point, Sequence[Step]]:
    """The steps at each point that control allows to reach. Raises _Crowded and LimitReached."""
    outgoing: dict[str, list[tuple[Edge, tuple[Edge, ...]]]] = {q.name: [] for q in owner.thread.locations}
    for edge, some in split:
        outgoing[edge.source].append((edge, some))
    invariants = {q.name: q.inv for q in owner.thread.locations}
    found, pending = dict[Point, Sequence[Step]](), [first_point(owner, begun)]
    for point in pending:
        if point in found:
            continue
        spend(bounds, 120)
        known = owner.known(point)
        found[point] = [
            s
            for edge, some in outgoing[point.place]
            for case in some
            for s in _ways(owner, point, known, edge, case, invariants)
        ]
        if len(found) > POINTS and owner.control:
            raise _Crowded(_most_values(owner.control, found))
        pending += [s.target for s in found[point]]
    return found


def first_point(owner: Owner, begun: Ranges) -> Point:
    """The point that a thread begins at."""
    return Point(owner.thread.initial, tuple(first_value(v, begun) for v in owner.control))


def first_value(var: Var, begun: Ranges) -> Value | None:
    """The one value that a variable begins with; None if there are several."""
    number = begun[var][0]
    if number is None or interval.size(begun[var]) != 1:
        return None
    return bool(number) if var.sort == BOOL else number


def _most_values(control: Sequence[Var], points: Mapping[Point, object]) -> Var:
    counts = [len({p.values[i] for p in points}) for i in range(len(control))]
    return control[counts.index(max(counts))]


def _ways(
    owner: Owner, point: Point, known: Mapping[Var, Term], edge: Edge, case: Edge, invariants: Mapping[str, Term]
) -> Iterator[Step]:
    """What an edge in one of its cases may make of the control variables, with the condition on the data for it."""
    guard = build.land(substitute(case.guard, known), *(within(c) for c in edge.choices))
    updates = {v: t for v, u in case.updates if (t := substitute(u, known)) is not v}
    changed = [v for v in owner.control if v in updates]
    ways = list(product(*(tuple(_cases(updates[v], v)) for v in changed))) if guard is not build.FALSE else []
    if len(ways) > CASES:
        raise _Crowded(changed[0])
    for way in ways:
        condition = build.land(guard, *(c for c, _ in way))
        after: dict[Var, Value | None] = dict(zip(owner.control, point.values, strict=True))
        after |= {v: x for v, (_, x) in zip(changed, way, strict=True)}
        target = Point(edge.target, tuple(after.values()))
        inv = substitute(invariants[edge.target], owner.known(target))
        if condition is not build.FALSE and inv is not build.FALSE:
            yield Step(edge, condition, target, inv, updates)


def _cases(term: Term, var: Var) -> Iterator[tuple[Term, Value]]:
    """The values that a control variable may get, each with its condition. Raises _Crowded if they are not known."""
    for condition, value in outcomes(term):
        match value:
            case Int(number) | Bool(number) | Member(_, number):
                yield condition, number
            case _:
                # The value of a function without a body.
                raise _Crowded(var)


def read_by(thread: Automaton) -> set[Var]:
    """The variables that a thread's steps and invariants mention."""
    terms = (t for e in thread.edges for t in (e.guard, *(u for _, u in e.updates)))
    return {v for t in terms for v in t.free} | {v for q in thread.locations for v in q.inv.free}
