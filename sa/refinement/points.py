"""Relations between control points: the two sides with values of flags and locks as part of their locations.

A relation of the unfolded sides (`game.unfolding`) is folded back: what is said of a pair of locations is said of each
pair of their copies, and the answers are those of all copies. The checker sees only that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, share, spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.game.board import Pair
from sa.game.partitioning import Unfolded, unfolded
from sa.question.asked import GoalAsked, Related
from sa.refinement.deciders import by_relation
from sa.simulation.endings import Tactics
from sa.simulation.state import Facts, give, given
from sa.terms import build
from sa.terms.term import Term, Var

#: Ranges of so many values are control, fewer where there would be too many copies.
FEW = (16, 4, 1)

#: There are at most so many copies on each side: any number up to the first, and for each location on average.
POINTS, EACH = 400, 4


class Points(Struct, frozen=True, eq=False):
    """A goal about two sides that are unfolded."""

    goal: Goal
    concrete: Unfolded
    abstract: Unfolded


def points_of(goal: Goal) -> Points | None:
    """The goal between control points; None where these are too many, or the locations themselves."""
    read = iota_of(goal).free
    concrete, abstract = (_unfolded(side, read, goal.closed) for side in (goal.concrete, goal.abstract))
    if concrete is None or abstract is None:
        return None
    same = (len(u.automaton.edges) == len(a.edges) for u, a in ((concrete, goal.concrete), (abstract, goal.abstract)))
    if all(same) and all(v is build.TRUE for u in (concrete, abstract) for v in u.values.values()):
        return None
    return Points(replace(goal, concrete=concrete.automaton, abstract=abstract.automaton), concrete, abstract)


def _unfolded(automaton: Automaton, read: frozenset[Var], alone: bool) -> Unfolded | None:
    most = max(POINTS, EACH * len(automaton.locations))
    tried = ((FEW[0], True), *((few, False) for few in FEW))
    found = (unfolded(automaton, read, few, most, counting, alone) for few, counting in tried)
    return next((made for made in found if made is not None), None)


def at_points(points: Points, known: Facts) -> Facts:
    """What is known of each location, of each of its copies."""
    first, second = (
        {copy: side[place] for copy, place in its.place.items() if place in side}
        for its, side in zip((points.concrete, points.abstract), known, strict=True)
    )
    return first, second


def folded(points: Points, goal: Goal, relation: Relation) -> Relation:
    """What a relation of the unfolded sides says of the goal itself."""
    said = dict[Pair, list[tuple[Term, ...]]]()
    for pair in relation.pairs:
        values = (points.concrete.values[pair.concrete], points.abstract.values[pair.abstract])
        said.setdefault(_place(points, pair), []).append(build.conjoined((*values, *pair.lemmas)))
    given = dict[tuple[str, str, int], dict[AbstractPath, None]]()
    for answer in relation.answers:
        key = *_place(points, answer), points.concrete.edge[answer.edge]
        given.setdefault(key, {}).update((_path(points, path), None) for path in answer.answers)
    outgoing = dict[str, list[int]]()
    for number, edge in enumerate(goal.concrete.edges):
        outgoing.setdefault(edge.source, []).append(number)
    closures = _closures(points, goal, relation)
    return Relation(
        tuple(PairRelation(*place, tuple(_either(listed))) for place, listed in said.items()),
        tuple(
            EdgeAnswer(*place, number, tuple(given.get((*place, number), ())))
            for place in said
            for number in outgoing.get(place[0], ())
        ),
        tuple((name, closures[name]) for name in dict.fromkeys(place for _, place in said)),
        relation.openings,
    )


def _closures(points: Points, goal: Goal, relation: Relation) -> Mapping[str, Term]:
    """The closures of environments. Those of a location's copies are about different values, which stay as they are."""
    if goal.closed:
        # Nobody but the threads moves: the environment is its own closure.
        return {q.name: q.env for q in goal.abstract.locations if q.env is not None}
    said = dict[str, list[Term]]()
    for name, closure in relation.closure:
        under = build.implies(points.abstract.values[name], closure)
        said.setdefault(points.abstract.place[name], []).append(under)
    return {place: build.land(*listed) for place, listed in said.items()}


def _place(points: Points, of: PairRelation | EdgeAnswer) -> Pair:
    return points.concrete.place[of.concrete], points.abstract.place[of.abstract]


def _path(points: Points, path: AbstractPath) -> AbstractPath:
    turns = tuple(replace(t, cycle=_numbers(points, t.cycle)) for t in path.turns)
    return AbstractPath(_numbers(points, path.edges), path.witnesses, turns)


def _numbers(points: Points, edges: Iterable[int]) -> tuple[int, ...]:
    return tuple(points.abstract.edge[n] for n in edges)


def _either(listed: Sequence[tuple[Term, ...]]) -> Iterator[Term]:
    """One of several conjunctions, what all of them say apart."""
    common = [c for c in listed[0] if all(c in other for other in listed)]
    yield from common
    rest = build.lor(*(build.land(*(c for c in other if c not in common)) for other in listed))
    if rest is not build.TRUE:
        yield rest


def by_points(tactics: Sequence[Tactics], asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    """Searches for a relation where values of flags and locks are part of the locations. Raises LimitReached."""
    goal = asked.goal
    if (points := asked.shared.once(("points", goal), lambda: points_of(goal))) is None:
        return
    other = GoalAsked(points.goal, asked.shared)
    give(asked.shared, points.goal, at_points(points, given(asked.shared, goal)))
    for number, tactic in enumerate(tactics):
        part = replace(budget, bounds=share(budget.bounds, 1 / (len(tactics) - number)))
        with suppress(LimitReached):
            for answer in by_relation(tactic, other, part, report):
                if isinstance(answer.evidence, Relation):
                    yield Related(folded(points, goal, answer.evidence), answer.effort)
                    return
        spend(budget.bounds, 800)
