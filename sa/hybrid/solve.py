"""Horn clauses over a graph of control points: what holds of data at each point, or steps that lead to what is bad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.ranges import within
from sa.base.limits import Limits
from sa.conditions.never import at_places
from sa.hybrid.control_variables import value_of
from sa.hybrid.points import Frame, Graph, Point, Step, known
from sa.smt.horn import Atom, Clause, GivenUp, Solution
from sa.smt.reach import reach
from sa.terms import build
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Held(Struct, frozen=True):
    """A formula over data for each point of the graph."""

    points: Mapping[Point, Term]


class Way(Struct, frozen=True):
    """Steps from a start to what is bad."""

    steps: tuple[Step, ...]


class Horn(Struct, frozen=True):
    """Clauses about points: the name of each, its data, and the steps that clauses behind the `first` ones are for."""

    names: Mapping[Point, str]
    data: Mapping[Point, tuple[Var, ...]]
    clauses: tuple[Clause, ...]
    steps: tuple[Step, ...]

    @property
    def first(self) -> int:
        """How many clauses are about starts."""
        return len(self.clauses) - len(self.steps)

    @property
    def parameters(self) -> dict[str, tuple[Var, ...]]:
        """The data by the name of their point."""
        return {self.names[p]: self.data[p] for p in self.names}


def horn(f: Frame, graph: Graph, lemmas: Sequence[Term], whole: bool = False) -> Horn:
    """The clauses where `lemmas` always hold: about what matters from each point on, or about the `whole` state."""
    steps = [s for listed in graph.steps.values() for s in listed]
    assumed = {point: assumed_at(f, lemmas, point) for point in graph.steps}
    data = dict.fromkeys(graph.steps, _numbers(f)) if whole else _data(f, graph, assumed)
    names = {point: str(number) for number, point in enumerate(graph.steps)}
    clauses = list[Clause]()
    for point, start in graph.starts:
        given: dict[Var, Term] = {v.var: value_of(v.var, start[v.var]) for v in f.control}
        head = Atom(names[point], data[point])
        ranges = (within(v) for v in f.whole.variables)
        clauses.append(Clause((), substitute(build.land(f.whole.init, *ranges), given), head))
    for step in steps:
        body = Atom(names[step.source], data[step.source])
        there = None
        if step.target is not None:
            gone = _gone(step) if whole else {}
            there = Atom(names[step.target], tuple(step.updates.get(v, gone.get(v, v)) for v in data[step.target]))
        clauses.append(Clause((body,), build.land(step.guard, *assumed[step.source]), there))
    return Horn(names, data, tuple(clauses), tuple(steps))


def solve(made: Horn, bounds: Limits, rlimit: int) -> Held | Way | GivenUp:
    """What Spacer says. Raises LimitReached."""
    answer = reach(made.parameters, made.clauses, bounds, rlimit)
    match answer:
        case Solution(found):
            return Held({point: found[name] for point, name in made.names.items()})
        case GivenUp():
            return answer
        case derivation:
            return Way(tuple(made.steps[n - made.first] for n in derivation.clauses if n >= made.first))


def assumed_at(f: Frame, lemmas: Sequence[Term], point: Point) -> tuple[Term, ...]:
    """Lemmas at a point, as far as they are about data that is still of use."""
    places = {t.name: t.locations[p].name for t, p in zip(f.whole.threads, point.places, strict=True)}
    here = known(f, point)
    forgotten = {v.var for v in f.control if v.var not in here}
    said = (substitute(at_places(lemma, places), here) for lemma in lemmas)
    return tuple(formula for formula in said if formula.free.isdisjoint(forgotten))


def _numbers(f: Frame) -> tuple[Var, ...]:
    control = {v.var for v in f.control}
    return tuple(v.var for v in f.whole.variables if v.var not in control)


def _gone(step: Step) -> dict[Var, Var]:
    """What is written and nobody reads any more, with names for values that nobody knows."""
    written = {v for arc in step.arcs for v in arc.updates} - step.updates.keys()
    return {v: build.variable(staged(v.name, len(step.arcs)), v.sort) for v in written}


def _data(f: Frame, graph: Graph, assumed: Mapping[Point, Sequence[Term]]) -> Mapping[Point, tuple[Var, ...]]:
    """The variables at each point, in order, on which it depends what may happen from there on."""
    order = _numbers(f)
    sources = dict[Point, list[Step]]()
    found: dict[Point, frozenset[Var]] = {}
    for point, steps in graph.steps.items():
        found[point] = frozenset[Var]()
        for step in steps:
            if step.target is not None:
                sources.setdefault(step.target, []).append(step)
    everything = frozenset(order)
    pending = list(graph.steps)
    waiting = set(pending)
    while pending:
        point = pending.pop()
        waiting.discard(point)
        here = frozenset(v for s in graph.steps[point] for v in _read(s, found)) & everything
        here |= everything & frozenset(v for c in assumed[point] if not here.isdisjoint(c.free) for v in c.free)
        if here != found[point]:
            found[point] = here
            for step in sources.get(point, ()):
                if step.source not in waiting:
                    waiting.add(step.source)
                    pending.append(step.source)
    return {p: tuple(v for v in order if v in here) for p, here in found.items()}


def _read(step: Step, found: Mapping[Point, frozenset[Var]]) -> frozenset[Var]:
    later = frozenset[Var]() if step.target is None else found[step.target]
    return step.guard.free.union(*(step.updates[v].free if v in step.updates else {v} for v in later))
