"""Ranks of a weak simulation: numbers that are lowered wherever the abstract side stays while the concrete one moves.

Points are pairs of locations, steps the silent concrete ones that are answered by staying. A pair of a component of
this graph is ranked by where the component comes in their order, then by an affine rank within it, then by the
components that are left without the steps which lower that rank, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import astuple, replace

from sa.automata.automaton import Edge, Kind, edges_from
from sa.automata.components import components
from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.preservation import Following, PairRank
from sa.certificates.relation import AbstractPath, EdgeAnswer, Relation
from sa.ranking.piecewise import Move, in_pieces
from sa.ranking.rank import cases_of, ranked
from sa.smt.session import Session
from sa.terms.build import FALSE, ONE, TRUE, ZERO, add, conjoined, integer, land, le
from sa.terms.sort import INT
from sa.terms.substitute import primed, substitute
from sa.terms.term import Le, Term, Var, subterms

#: A pair of locations.
Pair = tuple[str, str]

#: An abstract path of so many edges at most may take the place of staying.
_LONGEST = 3


class Stay(Struct, frozen=True, eq=False):
    """A concrete edge, by its number, that is answered by staying: between pairs, where what holds, writing what."""

    edge: int
    source: Pair
    target: Pair
    premise: tuple[Term, ...]
    updates: Mapping[Var, Term]


class Unranked(Struct, frozen=True):
    """The concrete edges that may be taken for ever while the abstract side stays, as far as ranks tell."""

    edges: frozenset[int]


def is_staying(path: AbstractPath) -> bool:
    """Whether an answer takes no abstract step."""
    return not path.edges and not path.turns


def following(goal: Goal, relation: Relation, bounds: Limits) -> Following | Unranked:
    """The relation with ranks; or where there seem to be none. Raises LimitReached."""
    session = Session(bounds, tuple(a.formula for a in goal.axioms))
    search = _Search(session, _numbers(goal), {} if goal.closed else dict(_disturbances(goal, relation)))
    stays = tuple(_stays(goal, relation))
    pairs = [(p.concrete, p.abstract) for p in relation.pairs]
    found = _ranks(search, pairs, stays)
    if isinstance(found, Unranked):
        return found
    rows = list(zip_longest(*(found[p] for p in pairs), fillvalue=ZERO))
    terms = list(zip(*rows, strict=True)) if rows else [()] * len(pairs)
    return Following(relation, tuple(PairRank(*p, tuple(t)) for p, t in zip(pairs, terms, strict=True)))


class _Search(Struct, frozen=True, eq=False):
    """What ranks are made of, and what environments do at pairs: steps between states of the pair."""

    session: Session
    variables: tuple[Var, ...]
    disturbances: Mapping[Pair, tuple[tuple[Term, ...], Mapping[Var, Term]]]


def _numbers(goal: Goal) -> tuple[Var, ...]:
    both = (*goal.concrete.variables, *goal.abstract.variables)
    return tuple(dict.fromkeys(v.var for v in both if v.var.sort == INT))


def _psi(goal: Goal, relation: Relation) -> Callable[[Pair], tuple[Term, ...]]:
    """Ψ of a pair."""
    lemmas = {(p.concrete, p.abstract): p.lemmas for p in relation.pairs}
    first, second = ({q.name: q.inv for q in side.locations} for side in (goal.concrete, goal.abstract))
    iota = iota_of(goal)
    return lambda pair: conjoined((first[pair[0]], second[pair[1]], iota, *lemmas.get(pair, (FALSE,))))


def _disturbances(goal: Goal, relation: Relation) -> Iterator[tuple[Pair, tuple[tuple[Term, ...], Mapping[Var, Term]]]]:
    """By pair, what a step of both environments asks, and what globals are after it."""
    psi, closure = _psi(goal, relation), dict(relation.closure)
    moving = {q.name: q.env for q in goal.concrete.locations}
    both = (*goal.concrete.variables, *goal.abstract.variables)
    updates: dict[Var, Term] = {v.var: primed(v.var) for v in both if v.kind is Kind.GLOBAL}
    for pair in ((p.concrete, p.abstract) for p in relation.pairs):
        after = (substitute(f, updates) for f in psi(pair))
        yield pair, (conjoined((*psi(pair), moving[pair[0]] or TRUE, closure.get(pair[1], TRUE), *after)), updates)


def _stays(goal: Goal, relation: Relation) -> Iterator[Stay]:
    """The steps that are answered by staying, with Ψ before and after them."""
    psi = _psi(goal, relation)
    for answer in relation.answers:
        edge = goal.concrete.edges[answer.edge]
        if edge.label is not None or not any(map(is_staying, answer.answers)):
            continue
        source, target = (answer.concrete, answer.abstract), (edge.target, answer.abstract)
        updates = dict(edge.updates)
        after = (substitute(f, updates) for f in psi(target))
        premise = conjoined((*psi(source), edge.guard, *map(within, edge.choices), *after))
        if FALSE not in premise:
            yield Stay(answer.edge, source, target, premise, updates)


def _ranks(search: _Search, roots: Sequence[Pair], stays: Sequence[Stay]) -> dict[Pair, tuple[Term, ...]] | Unranked:
    """A tuple of numbers for each pair; what a stay leads to comes later, or has a smaller one."""
    leading = dict[Pair, list[Pair]]()
    for stay in stays:
        leading.setdefault(stay.source, []).append(stay.target)
    found, failed = dict[Pair, tuple[Term, ...]](), frozenset[int]()
    for number, component in enumerate(components(roots, leading)):
        spend(search.session.bounds, 200)
        inside = frozenset(component)
        own = [s for s in stays if s.source in inside and s.target in inside]
        inner = _within(search, component, own) if own else dict.fromkeys(component, ())
        if isinstance(inner, Unranked):
            failed |= inner.edges
        else:
            found |= {p: (integer(number), *inner[p]) for p in component}
    return Unranked(failed) if failed else found


def _within(search: _Search, component: Sequence[Pair], own: list[Stay]) -> dict[Pair, tuple[Term, ...]] | Unranked:
    """The same within a component."""
    possible = [s for s in own if not search.session.implied(FALSE, s.premise)]
    if len(possible) < len(own):
        return _ranks(search, component, possible) if possible else dict.fromkeys(component, ())
    points = {p: n for n, p in enumerate(component)}
    found = _lowered(search, points, own)
    if found is None:
        return Unranked(frozenset(s.edge for s in own))
    strict, ranks = found
    left = [s for n, s in enumerate(own) if n != strict and not _is_lowered(search, s, points, ranks)]
    then = _ranks(search, component, left)
    return then if isinstance(then, Unranked) else {p: (ranks[points[p]], *then[p]) for p in component}


def _lowered(search: _Search, points: Mapping[Pair, int], own: Sequence[Stay]) -> tuple[int, Mapping[int, Term]] | None:
    """The number of a step that lowers a rank, and that rank by point; None where none was found."""
    moves = [Move(points[s.source], points[s.target], s.premise, s.updates) for s in own]
    kept = [Move(n, n, *search.disturbances[p]) for p, n in points.items() if p in search.disturbances]
    cases, beside = ([cases_of(*astuple(m)) for m in those] for those in (moves, kept))
    order = sorted(range(len(own)), key=lambda n: (-_comparisons(own[n]), n))
    every, variables, bounds = tuple(points.values()), search.variables, search.session.bounds
    for shared in (True, False):
        for strict in order:
            others = [*(c for n, c in enumerate(cases) if n != strict), *beside]
            ranks = ranked(every, variables, [cases[strict]], others, shared, bounds)
            if ranks is not None:
                return strict, ranks
    return in_pieces(every, variables, moves, kept, order, bounds)


def _is_lowered(search: _Search, stay: Stay, points: Mapping[Pair, int], ranks: Mapping[int, Term]) -> bool:
    before, after = ranks[points[stay.source]], substitute(ranks[points[stay.target]], stay.updates)
    return search.session.implied(land(le(ZERO, before), le(add(after, ONE), before)), stay.premise)


def _comparisons(stay: Stay) -> int:
    return min(sum(isinstance(t, Le) for t in subterms(stay.premise)), 1)


# ---------------------------------------------------------------- answers that move


def moving(goal: Goal, relation: Relation, edges: frozenset[int], only: bool) -> Relation:
    """The relation, in which these concrete edges are answered by silent steps of the abstract side where that may do.

    If `only`, staying is no answer beside them.
    """
    pairs = {(p.concrete, p.abstract) for p in relation.pairs}
    leaving = {q: [e for e in out if e.label is None] for q, out in edges_from(goal.abstract).items()}
    numbers = {id(e): n for n, e in enumerate(goal.abstract.edges)}

    def improved(answer: EdgeAnswer) -> EdgeAnswer:
        target = goal.concrete.edges[answer.edge].target
        if answer.edge not in edges or not any(map(is_staying, answer.answers)):
            return answer
        ways = [
            AbstractPath(tuple(numbers[id(e)] for e in way))
            for way in _ways(leaving, answer.abstract)
            if (target, way[-1].target) in pairs
        ]
        kept = tuple(a for a in answer.answers if not (only and ways and is_staying(a)))
        known = {a.edges for a in kept if not a.turns}
        return replace(answer, answers=(*(w for w in ways if w.edges not in known), *kept))

    return replace(relation, answers=tuple(map(improved, relation.answers)))


def _ways(leaving: Mapping[str, Sequence[Edge]], start: str) -> Iterator[tuple[Edge, ...]]:
    """Paths of silent edges, short ones first."""
    ways: list[tuple[Edge, ...]] = [()]
    for _ in range(_LONGEST):
        ways = [(*w, e) for w in ways for e in leaving[w[-1].target if w else start]]
        yield from ways
