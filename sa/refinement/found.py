"""What a search has found, as evidence: what is said of each pair of locations, and the answers there."""

from __future__ import annotations

from collections.abc import Mapping

from sa.base.verdict import Reason, Unknown
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.domains import affine
from sa.game.board import Pair
from sa.game.opening import Covered
from sa.game.rounds import Round
from sa.simulation.algorithm_2_search import Search
from sa.simulation.state import PairState, dead
from sa.terms import build
from sa.terms.name import staged
from sa.terms.term import Term, Var


def relation_of(search: Search, solution: Mapping[Pair, Term] | None = None) -> Relation | Unknown:
    """The relation that a search without open questions has found, or that a solution of its clauses gives."""
    if solution is None:
        alive = {p: s for p, s in search.pairs.items() if s.facts is not None and not dead(s)}
    else:
        alive = {p: s for p, s in search.pairs.items() if solution.get(p, build.FALSE) is not build.FALSE}
    covered = search.opening_cover()
    if not isinstance(covered, Covered):
        return Unknown(Reason.SOLVER, "it is not known whether every initial state is related to an abstract one")
    closures = {pair[1]: search.closure(pair[1]).relation for pair in alive}
    return Relation(
        tuple(
            PairRelation(*pair, _lemmas(state) if solution is None else _solved(state, solution[pair]))
            for pair, state in alive.items()
        ),
        tuple(
            EdgeAnswer(*pair, number, tuple(_path(r) for r in state.rounds.get(number, []) if r.target in alive))
            for pair, state in alive.items()
            for number in state.steps
        ),
        tuple(closures.items()),
        tuple(tuple(opening.items()) for opening in covered.openings),
    )


def _solved(state: PairState, solution: Term) -> tuple[Term, ...]:
    return tuple(dict.fromkeys((*state.known, *affine.formulas(state.facts or {}), *build.conjuncts(solution))))


def _lemmas(state: PairState) -> tuple[Term, ...]:
    equations = affine.formulas(state.facts or {})
    return tuple(dict.fromkeys((*state.known, *equations, *(lemma.formula for lemma in state.lemmas))))


def _path(answer: Round) -> AbstractPath:
    witnesses = list[tuple[Var, Term]]()
    for position, choice in enumerate(answer.run.choices):
        for var, term in choice:
            witnesses.append((build.variable(staged(var.name, position), var.sort), term))
    return AbstractPath(answer.run.edges, tuple(witnesses), answer.run.turns)
