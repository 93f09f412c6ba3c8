"""Control points of some threads of a program and the steps between them: places, and values of what has few of them.

Nothing is reduced and no two steps are made one: justice is about single steps of single threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct

from sa.automata.automaton import Automaton, Variable
from sa.automata.program import Ends
from sa.automata.ranges import within
from sa.base.limits import spend
from sa.certificates.ends import Passage, Point, values_of_point
from sa.certificates.run import Bad
from sa.conditions.never import at_places
from sa.explicit.transition_system import whole
from sa.hybrid.control_variables import Reach, cases, control
from sa.smt.session import Session
from sa.terms.build import FALSE, TRUE, conjoined, constant, eq, land, lnot, lor
from sa.terms.sort import Value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Step(Struct, frozen=True, eq=False):
    """A step between two points: what it asks of the state before it and of its choices, and what it writes."""

    passage: Passage
    premise: tuple[Term, ...]
    updates: Mapping[Var, Term]


class Graph(Struct, frozen=True, eq=False):
    """All points of some threads, `threads` by their numbers, and what is `known` at each, ranges and invariants.

    `disturbances` are the steps of other threads: what they ask, and what they write.
    `init` holds at the start.
    """

    separate: tuple[Automaton, ...]
    threads: tuple[int, ...]
    points: tuple[Point, ...]
    known: tuple[tuple[Term, ...], ...]
    starts: tuple[int, ...]
    steps: tuple[Step, ...]
    disturbances: tuple[tuple[tuple[Term, ...], Mapping[Var, Term]], ...]
    init: tuple[Term, ...]


class _Frame(Struct, frozen=True, eq=False):
    """What exploring needs: the variables that are control, with their declarations, and where the claim is open."""

    separate: tuple[Automaton, ...]
    threads: tuple[int, ...]
    control: Mapping[Var, Variable]
    closed: Term


def graph_of_thread(separate: tuple[Automaton, ...], number: int, ends: Ends) -> Graph:
    """One thread by itself: its locations are its points."""
    frame = _Frame(separate, (number,), {}, closed_in(ends))
    thread = separate[number]
    points = tuple(Point((q.name,)) for q in thread.locations)
    start = next(n for n, q in enumerate(thread.locations) if q.name == thread.initial)
    return _made(frame, points, (start,))


def graph_of_all(
    threads: tuple[Automaton, ...], separate: tuple[Automaton, ...], ends: Ends, most: int, session: Session
) -> Graph | None:
    """All threads together, with the values of control variables; None if there are more than `most` points.

    Raises LimitReached.
    """
    everyone = tuple(range(len(threads)))
    variables, starts = control(whole(threads, Bad(None, TRUE)), session, Reach.ALL)
    declared = {v.var: v for t in separate for v in t.variables}
    frame = _Frame(separate, everyone, {v: declared[v] for v in variables}, closed_in(ends))
    places = tuple(t.initial for t in separate)
    # Without names for parameters all values are plain ones.
    values = (tuple((v, x) for v, x in s.items() if not isinstance(x, Var)) for s in starts)
    found = {Point(places, x): n for n, x in enumerate(values)}
    first, frontier = tuple(range(len(found))), list(found)
    while frontier:
        spend(session.bounds, 200)
        here = frontier.pop()
        for _, after, _, _ in _along(frame, here):
            if after not in found:
                found[after] = len(found)
                frontier.append(after)
        if len(found) > most:
            return None
    return _made(frame, tuple(found), first)


def _made(frame: _Frame, points: tuple[Point, ...], starts: tuple[int, ...]) -> Graph:
    numbers = {p: n for n, p in enumerate(points)}
    known = tuple(tuple(_known(frame, p)) for p in points)
    steps = list[Step]()
    for number, point in enumerate(points):
        for (thread, edge), after, asked, updates in _along(frame, point):
            here, there = _open(frame, point, {}), _open(frame, after, updates)
            premise = conjoined((*known[number], asked, here, there))
            if FALSE not in premise:
                steps.append(Step((number, thread, edge, numbers[after]), premise, updates))
    others = [t for n, t in enumerate(frame.separate) if n not in frame.threads]
    disturbed = tuple(
        (conjoined((_invariant(t, e.source), e.guard, *map(within, e.choices))), dict(e.updates))
        for t in others
        for e in t.edges
    )
    init = conjoined(t.init for t in frame.separate)
    return Graph(frame.separate, frame.threads, points, known, starts, tuple(steps), disturbed, init)


def _invariant(thread: Automaton, place: str) -> Term:
    return next(q.inv for q in thread.locations if q.name == place)


def _known(frame: _Frame, point: Point) -> Iterator[Term]:
    yield from values_of_point(point)
    values = _values(point)
    for number, place in zip(frame.threads, point.places, strict=True):
        thread = frame.separate[number]
        formulas = (_invariant(thread, place), *map(within, thread.variables))
        yield from conjoined(substitute(f, values) for f in formulas)


def _values(point: Point) -> dict[Var, Term]:
    return {v: constant(x, v.sort) for v, x in point.values}


def closed_in(ends: Ends) -> Term:
    """Where a claim is not open: it is fulfilled there, or runs with such a state do not count."""
    return ends.apart if ends.until is None else lor(ends.until, ends.apart)


def open_at(graph: Graph, ends: Ends, number: int) -> Term:
    """That the claim may be open at a point."""
    frame = _Frame(graph.separate, graph.threads, {}, closed_in(ends))
    return _open(frame, graph.points[number], {})


def _open(frame: _Frame, point: Point, updates: Mapping[Var, Term]) -> Term:
    names = [frame.separate[n].name for n in frame.threads]
    said = at_places(frame.closed, dict(zip(names, point.places, strict=True)))
    # After a step, the values of its target are what it asks for.
    return substitute(lnot(said), updates if updates else _values(point))


def _along(frame: _Frame, point: Point) -> Iterator[tuple[tuple[int, int], Point, Term, Mapping[Var, Term]]]:
    """The steps from a point: of which thread along which edge, where to, what is asked, what is written."""
    values = _values(point)
    for position, number in enumerate(frame.threads):
        for edge_number, edge in enumerate(frame.separate[number].edges):
            if edge.source != point.places[position]:
                continue
            guard = substitute(land(edge.guard, *map(within, edge.choices)), values)
            if guard is FALSE:
                continue
            updates = {v: substitute(t, values) for v, t in edge.updates}
            places = (*point.places[:position], edge.target, *point.places[position + 1 :])
            for asked, after in _values_after(frame, point, updates):
                condition = land(guard, asked)
                if condition is not FALSE:
                    yield (number, edge_number), Point(places, after), condition, updates


def _values_after(
    frame: _Frame, point: Point, updates: Mapping[Var, Term]
) -> Iterator[tuple[Term, tuple[tuple[Var, Value], ...]]]:
    ways = list[list[tuple[Term, Value]]]()
    for v, x in point.values:
        new = updates.get(v)
        if new is None:
            ways.append([(TRUE, x)])
        else:
            found = ((_equal(new, v, y), y) for _, y in cases(new, frame.control[v]) if not isinstance(y, Var))
            ways.append([(c, y) for c, y in found if c is not FALSE])
    for way in product(*ways):
        yield land(*(c for c, _ in way)), tuple((v, y) for (v, _), (_, y) in zip(point.values, way, strict=True))


def _equal(term: Term, v: Var, value: Value) -> Term:
    return eq(term, constant(value, v.sort))


def leading(steps: Sequence[Step]) -> dict[int, list[int]]:
    """Where steps lead, by point."""
    found = dict[int, list[int]]()
    for step in steps:
        found.setdefault(step.passage[0], []).append(step.passage[3])
    return found
