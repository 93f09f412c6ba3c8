"""Control points of some threads as evidence gives them, and the steps between them, made from the threads.

Every step from a point leads to one of the points, which is checked here; so the points are all that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge
from sa.automata.program import Ends
from sa.base.limits import Limits, spend
from sa.certificates.ends import Condition, Part, Passage, Point, bad_of, values_of_point
from sa.certificates.run import Bad
from sa.checker.joint_locations import settled
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.ruling import Failure, Rejected
from sa.checker.side import within
from sa.smt.solver import Solver
from sa.terms.build import FALSE, ONE, TRUE, ZERO, add, conjoined, constant, eq, land, le, lnot, lor
from sa.terms.sort import Value, is_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Wrong(Exception):
    """The evidence is rejected for this."""

    def __init__(self, ruling: Failure) -> None:
        super().__init__(ruling.why)
        self.ruling = ruling


class Taken(Struct, frozen=True, eq=False):
    """A step between two points, over the values of the first: what it asks, what it chooses, what it writes."""

    passage: Passage
    premise: tuple[Term, ...]
    choices: tuple[Var, ...]
    updates: Mapping[Var, Term]


class Graph(Struct, frozen=True, eq=False):
    """Of a part: the steps between its points while the claim is open, and what is true where a part is at a point."""

    part: Part
    starts: tuple[int, ...]
    taken: tuple[Taken, ...]
    known: tuple[tuple[Term, ...], ...]


class Question(Struct, frozen=True, eq=False):
    """The threads, with names of their own, the claim about them, and what reasons ask of states.

    Of the conditions, `left` are those that do not hold by themselves.
    """

    separate: tuple[Automaton, ...]
    ends: Ends
    session: Solver
    bounds: Limits
    asked: dict[Bad, Condition] = field(default_factory=dict)
    left: dict[Bad, Condition] = field(default_factory=dict)

    @property
    def numbers(self) -> frozenset[Var]:
        """What a rank may be made of."""
        return frozenset(v.var for t in self.separate for v in t.variables)


def in_words(places: Sequence[tuple[str, str]]) -> str:
    """Places for messages."""
    return ", ".join(f"{t} at {q}" for t, q in places)


def require(
    question: Question,
    graph: Graph,
    number: int,
    premise: Sequence[Term],
    choices: tuple[Var, ...],
    conclusion: Term,
    *others: tuple[str, str],
) -> None:
    """A condition at a point: it holds by itself, or something bad is left that a proof has to exclude."""
    places = (*where_at(question, graph.part, graph.part.points[number]), *others)
    condition = Condition(places, conjoined(premise), choices, conclusion)
    obligation = Obligation("condition", in_words(places), condition.premise, (Case((), (conclusion,)),))
    bad = bad_of(condition)
    question.asked[bad] = condition
    if discharge(question.session, frozenset(), obligation) is not None:
        question.left[bad] = condition


def require_everywhere(question: Question, premise: Sequence[Term], conclusion: Term) -> None:
    """A condition that is about no point: formulas may say where threads are."""
    condition = Condition((), conjoined(premise), (), conclusion)
    bad = bad_of(condition)
    question.asked[bad] = condition
    obligation = Obligation("condition", "any state", condition.premise, (Case((), (conclusion,)),))
    if discharge(question.session, frozenset(), obligation) is not None:
        question.left[bad] = condition


def require_lowered(
    question: Question, graph: Graph, step: Taken, ranks: Mapping[int, Term], known: Sequence[Term], strict: bool
) -> None:
    """The step does not raise the rank, and lowers it from 0 or more if it is strict."""
    first, _, _, second = step.passage
    before, after = ranks[first], substitute(ranks[second], step.updates)
    conclusion = land(le(ZERO, before), le(add(after, ONE), before)) if strict else le(after, before)
    require(question, graph, first, (*step.premise, *known), step.choices, conclusion)


def check_points(asked: Question, part: Part) -> None:
    """Points are places of these threads with values that only they write."""
    threads = [asked.separate[n] for n in part.threads]
    others = [t for n, t in enumerate(asked.separate) if n not in part.threads]
    foreign = {v for t in others for e in t.edges for v, _ in e.updates}
    known = {v.var for t in threads for v in t.variables}
    fault = None
    if len(set(part.points)) < len(part.points):
        fault = "one is there twice"
    for point in part.points:
        if len(point.places) != len(threads) or any(
            q not in {p.name for p in t.locations} for t, q in zip(threads, point.places, strict=False)
        ):
            fault = "one is at a location that does not exist"
        named = [v for v, _ in point.values]
        if len(set(named)) < len(named) or not set(named) <= known - foreign:
            fault = "one gives a value to what others write"
        elif any(not is_value(x, v.sort) for v, x in point.values):
            fault = "one gives a value that the variable cannot have"
    if fault is not None:
        raise Wrong(Rejected("points", fault))


def where_at(asked: Question, part: Part, point: Point) -> tuple[tuple[str, str], ...]:
    """Which thread is where at a point."""
    return tuple((asked.separate[n].name, q) for n, q in zip(part.threads, point.places, strict=True))


def graph_of(asked: Question, part: Part) -> Graph:
    """The steps of the part's threads between its points. All that they lead to are points again."""
    known = tuple(tuple(_known(asked, part, p)) for p in part.points)
    by_places = dict[tuple[str, ...], list[int]]()
    for number, point in enumerate(part.points):
        by_places.setdefault(point.places, []).append(number)
    found = list[Taken]()
    for number in range(len(part.points)):
        spend(asked.bounds, 200)
        for position, thread in enumerate(part.threads):
            for edge_number, edge in enumerate(asked.separate[thread].edges):
                if edge.source == part.points[number].places[position]:
                    found += _along(asked, part, known, by_places, (number, position, edge_number))
    return Graph(part, tuple(_starts(asked, part, by_places)), tuple(found), known)


def _known(asked: Question, part: Part, point: Point) -> Iterator[Term]:
    """What is true at a point: values, invariants and ranges."""
    yield from values_of_point(point)
    values = {v: constant(x, v.sort) for v, x in point.values}
    for number, place in zip(part.threads, point.places, strict=True):
        thread = asked.separate[number]
        local = (q.inv for q in thread.locations if q.name == place)
        yield from conjoined(substitute(f, values) for f in (*local, *map(within, thread.variables)))


def _along(
    asked: Question,
    part: Part,
    known: Sequence[tuple[Term, ...]],
    by_places: Mapping[tuple[str, ...], Sequence[int]],
    step: tuple[int, int, int],
) -> list[Taken]:
    number, position, edge_number = step
    point, thread = part.points[number], part.threads[position]
    edge: Edge = asked.separate[thread].edges[edge_number]
    values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
    guard = substitute(land(edge.guard, *map(within, edge.choices)), values)
    if guard is FALSE:
        return []
    updates = {v: substitute(t, values) for v, t in edge.updates}
    places = (*point.places[:position], edge.target, *point.places[position + 1 :])
    choices, cases, found = tuple(c.var for c in edge.choices), list[Term](), list[Taken]()
    for after in by_places.get(places, ()):
        reached = land(*(_equal(v, x, updates, values) for v, x in part.points[after].values))
        if reached is not FALSE:
            cases.append(reached)
            here, there = open_at(asked, part, number, {}, values), open_at(asked, part, after, updates, values)
            premise = conjoined((*known[number], guard, reached, here, there))
            if FALSE not in premise:
                passage = (number, thread, edge_number, after)
                found.append(Taken(passage, premise, choices, updates))
    if TRUE not in cases:
        _require_covered(asked, conjoined((*known[number], guard)), cases, where_at(asked, part, point))
    return found


def _equal(v: Var, value: Value, updates: Mapping[Var, Term], values: Mapping[Var, Term]) -> Term:
    return eq(updates.get(v, values.get(v, v)), constant(value, v.sort))


def is_open(asked: Question) -> Term:
    """That the claim may still be open; over variables, and Booleans that say where threads are."""
    ends = asked.ends
    return lnot(ends.apart if ends.until is None else lor(ends.until, ends.apart))


def open_at(asked: Question, part: Part, number: int, updates: Mapping[Var, Term], values: Mapping[Var, Term]) -> Term:
    """That the claim may still be open at a point, in terms of the state before the step that leads there."""
    said = settled(is_open(asked), dict(where_at(asked, part, part.points[number])))
    return substitute(said, {**values, **updates})


def _require_covered(
    asked: Question, premise: tuple[Term, ...], cases: Sequence[Term], where: tuple[tuple[str, str], ...]
) -> None:
    obligation = Obligation("points", in_words(where), premise, (Case((), (lor(*cases),)),))
    failure = discharge(asked.session, frozenset(), obligation)
    if failure is not None:
        raise Wrong(failure)


def _starts(asked: Question, part: Part, by_places: Mapping[tuple[str, ...], Sequence[int]]) -> Iterator[int]:
    threads = [asked.separate[n] for n in part.threads]
    init = conjoined(
        f
        for t in threads
        for f in (t.init, *(q.inv for q in t.locations if q.name == t.initial), *map(within, t.variables))
    )
    places = tuple(t.initial for t in threads)
    found = by_places.get(places, ())
    cases = [land(*values_of_point(part.points[n])) for n in found]
    at = tuple((t.name, t.initial) for t in threads)
    _require_covered(asked, init, cases, at)
    yield from found


def pending(asked: Question, graph: Graph) -> tuple[int, ...]:
    """The points at which the claim can begin to be open."""
    ends, part = asked.ends, graph.part
    assert ends.until is not None
    found = list[int]()
    for number, point in enumerate(part.points):
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        places = dict(where_at(asked, part, point))
        if land(substitute(settled(ends.since, places), values), open_at(asked, part, number, {}, values)) is not FALSE:
            found.append(number)
    return tuple(found)
