"""Evidence for PROVED written down from an explicit set of pairs of states, for goals over finite ranges."""

from __future__ import annotations

from collections.abc import Iterable

from sa.automata.automaton import Edge
from sa.certificates.goal import Goal
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.terms.build import constant, eq, land, lor
from sa.terms.substitute import primed
from sa.terms.term import Term, Var
from tests.oracle.explicit import (
    Action,
    Explicit,
    State,
    all_states,
    component_steps,
    configuration,
    environment_closure,
    explicit,
)
from tests.oracle.game import Board, Pair, board, needs_of, openings


def relation_of(goal: Goal, theta: frozenset[Pair]) -> Relation:
    """θ as a relation: Ψ lists its states, each edge is answered by the paths that θ allows."""
    b = board(goal)
    places = sorted({(s1.location, s2.location) for s1, s2 in theta})
    pairs = tuple(
        PairRelation(p, q, (lor(*(state_term(b, pair) for pair in theta if locations(pair) == (p, q))),))
        for p, q in places
    )
    answers = tuple(
        EdgeAnswer(p, q, number, paths_of(b, theta, (p, q), edge))
        for p, q in places
        for number, edge in enumerate(goal.concrete.edges)
        if edge.source == p
    )
    closure = tuple((q, closure_of(goal, q)) for q in sorted({q for _, q in places}))
    return Relation(pairs, answers, closure, openings_of(b, theta))


def is_simulation(goal: Goal, theta: frozenset[Pair]) -> bool:
    """Whether θ is a weak simulation that covers the start, by enumeration."""
    b = board(goal)
    for s1, partners in openings(b).items():
        kept = [(s1, s2) in theta for s2 in partners]
        if not (any(kept) if goal.choose_init else partners and all(kept)):
            return False
    needs = [needs_of(b, pair) for pair in theta]
    return all(n.every <= theta and all(not some.isdisjoint(theta) for some in n.some) for n in needs)


def locations(pair: Pair) -> tuple[str, str]:
    return pair[0].location, pair[1].location


def state_term(b: Board, pair: Pair) -> Term:
    values = {**configuration(b.concrete, pair[0]).values, **configuration(b.abstract, pair[1]).values}
    return land(*(eq(v, constant(x, v.sort)) for v, x in values.items()))


def paths_of(b: Board, theta: frozenset[Pair], place: tuple[str, str], edge: Edge) -> tuple[AbstractPath, ...]:
    found: dict[AbstractPath, None] = {}
    for s1, s2 in sorted(pair for pair in theta if locations(pair) == place):
        for step in component_steps(b.concrete, s1):
            if step.edge is edge:
                ends = answers(b.abstract, s2, step.action)
                good = sorted((path, end) for end, path in ends.items() if (step.after, end) in theta)
                found.update((AbstractPath(path), None) for path, _ in good[:1])
    return tuple(found)


def answers(x: Explicit, start: State, action: Action) -> dict[State, tuple[int, ...]]:
    """The ends of the abstract paths with this label, each with a path."""

    def extend(ends: dict[State, tuple[int, ...]], wanted: Iterable[Action]) -> dict[State, tuple[int, ...]]:
        return {
            step.after: (*path, x.automaton.edges.index(step.edge))
            for here, path in ends.items()
            for step in component_steps(x, here)
            if step.action in wanted
        }

    def silently(ends: dict[State, tuple[int, ...]]) -> dict[State, tuple[int, ...]]:
        while not (more := extend(ends, (None,))).keys() <= ends.keys():
            ends = {**more, **ends}
        return ends

    before = silently({start: ()})
    return before if action is None else silently(extend(before, (action,)))


def closure_of(goal: Goal, location: str) -> Term:
    """The pairs of valuations that finitely many abstract environment steps at a location connect."""
    x = explicit(goal.abstract)
    cubes = []
    for s in all_states(x):
        if s.location == location:
            now = land(*(eq(v, constant(y, v.sort)) for v, y in zip(x.order, s.row, strict=True)))
            for t in environment_closure(x, s):
                shared = list(zip(x.order, t.row, strict=True))[x.params : x.visible]
                cubes.append(land(now, *(eq(primed(v), constant(y, v.sort)) for v, y in shared)))
    return lor(*cubes)


def openings_of(b: Board, theta: frozenset[Pair]) -> tuple[tuple[tuple[Var, Term], ...], ...]:
    states = {s2 for s1, partners in openings(b).items() for s2 in partners if (s1, s2) in theta}
    return tuple(
        tuple((v, constant(x, v.sort)) for v, x in list(zip(b.abstract.order, s.row, strict=True))[b.abstract.params :])
        for s in sorted(states)
    )
