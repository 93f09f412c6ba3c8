"""A reason for each component of a graph of control points why nobody stays in it for ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Kind
from sa.automata.components import components
from sa.automata.program import Ends
from sa.automata.standstill import possible
from sa.base.limits import Limits, spend
from sa.certificates.ends import Helped, Lowered, Part, Resting, Stage
from sa.ranking.points import Graph, Step, leading, open_at
from sa.ranking.rank import Cases, cases_of, ranked
from sa.smt.session import Session
from sa.terms.build import FALSE, ONE, ZERO, add, constant, land, le
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Not, Or, Term, Var, subterms


class Left(Struct, frozen=True):
    """A component without a reason: the graph, and the steps that may be taken in it for ever."""

    graph: Graph
    steps: tuple[Step, ...]


class _Search(Struct, frozen=True, eq=False):
    """What is looked for in a graph, with what seems to hold at its points."""

    graph: Graph
    ends: Ends
    facts: tuple[tuple[Term, ...], ...]
    session: Session

    @property
    def bounds(self) -> Limits:
        """The limits of the search."""
        return self.session.bounds


def part_of(
    graph: Graph, ends: Ends, facts: tuple[tuple[Term, ...], ...], roots: Sequence[int], session: Session
) -> Part | Left:
    """Why the threads of a graph do not step for ever, or where no reason was found. Raises LimitReached."""
    search = _Search(graph, ends, facts, session)
    stages = _stages(search, roots, graph.steps)
    return stages if isinstance(stages, Left) else Part(graph.threads, graph.points, stages)


def _stages(search: _Search, roots: Sequence[int], steps: Sequence[Step]) -> tuple[Stage, ...] | Left:
    found = list[Stage]()
    for component in components(roots, leading(steps)):
        spend(search.bounds, 200)
        inside = frozenset(component)
        own = [s for s in steps if s.passage[0] in inside and s.passage[3] in inside]
        if own:
            stage = _stage(search, tuple(sorted(component)), own)
            if isinstance(stage, Left):
                return stage
            found.append(stage)
    return tuple(found)


def _stage(search: _Search, component: tuple[int, ...], own: list[Step]) -> Stage | Left:
    moving = {s.passage[1] for s in own}
    names = {search.graph.separate[n].name for n in moving}
    if names.isdisjoint(search.ends.threads):
        return Resting(component)
    # Steps that cannot be taken lower any rank.
    idle = [s for s in own if _is_idle(search, s)]
    if idle:
        return _without(search, component, own, {p: constant(0, INT) for p in component}, idle)
    if search.ends.fair:
        for number in search.graph.threads:
            if number not in moving and _can_step(search, component, number):
                return Helped(component, number)
    return _ranked(search, component, own)


def _is_idle(search: _Search, step: Step) -> bool:
    """Whether a step seems to be impossible."""
    premise = land(*step.premise, *search.facts[step.passage[0]])
    return premise is FALSE or search.session.implied(FALSE, (premise,))


def _can_step(search: _Search, component: Sequence[int], thread: int) -> bool:
    """Whether a thread seems to be able to step at all of the points while the claim is open."""
    graph = search.graph
    position = graph.threads.index(thread)
    for number in component:
        point = graph.points[number]
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        edges = (e for e in graph.separate[thread].edges if e.source == point.places[position])
        can = substitute(possible(edges), values)
        known = (*graph.known[number], *search.facts[number], open_at(graph, search.ends, number))
        if not search.session.implied(can, known):
            return False
    return True


def _without(
    search: _Search, component: tuple[int, ...], own: Sequence[Step], ranks: Mapping[int, Term], strict: Sequence[Step]
) -> Stage | Left:
    """The component without steps that a rank is lowered by."""
    left = [s for s in own if s not in strict]
    then = _stages(search, component, left)
    if isinstance(then, Left):
        return then
    passages = tuple(s.passage for s in strict)
    return Lowered(component, tuple(ranks[p] for p in component), passages, then)


def _ranked(search: _Search, component: tuple[int, ...], own: list[Step]) -> Stage | Left:
    cases = {s.passage: _cases(search, s) for s in own}
    every = _variables(search)
    # A rank in the user's variables tells more.
    plain = tuple(v for v in every if not v.name.base.startswith("_"))
    for variables in dict.fromkeys((plain, every)):
        for shared in (True, False):
            for step in promising(own):
                others = [cases[s.passage] for s in own if s is not step]
                ranks = ranked(component, variables, [cases[step.passage]], others, shared, search.bounds)
                if ranks is not None:
                    return _without(search, component, own, ranks, _lowering(search, own, ranks, step))
    return Left(search.graph, tuple(own))


def _lowering(search: _Search, own: Sequence[Step], ranks: Mapping[int, Term], strict: Step) -> list[Step]:
    """The steps that lower the rank, which may be more than the one that was asked for."""
    found = [strict]
    for step in own:
        first, _, _, second = step.passage
        before, after = ranks[first], substitute(ranks[second], step.updates)
        wanted = land(le(ZERO, before), le(add(after, ONE), before))
        if step is not strict and search.session.implied(wanted, (*step.premise, *search.facts[first])):
            found.append(step)
    return found


def _variables(search: _Search) -> tuple[Var, ...]:
    """Numbers that a rank may be made of: those of the threads, parameters, and globals."""
    threads = [search.graph.separate[n] for n in search.graph.threads]
    found = {v.var: v for t in threads for v in t.variables if v.var.sort == INT}
    return tuple(v for v, x in found.items() if x.kind is not Kind.GLOBAL or _matters(search, v))


def _matters(search: _Search, v: Var) -> bool:
    return any(v in f.free for s in search.graph.steps for f in s.premise) or any(
        v in s.updates for s in search.graph.steps
    )


def _cases(search: _Search, step: Step) -> Cases:
    source, _, _, target = step.passage
    return cases_of(source, target, (*step.premise, *search.facts[source]), step.updates)


def promising(own: Sequence[Step]) -> list[Step]:
    """Steps that a rank may be lowered by, those with comparisons first: what bounds a rank is mostly tested there."""
    return sorted(own, key=lambda s: (-_comparisons(s), s.passage))


def _comparisons(step: Step) -> int:
    tests = subterms(f for f in step.premise if isinstance(f, Le | Not | Or | IsZero))
    return min(sum(isinstance(t, Le) for t in tests), 1)
