"""A goal and a relation, laid out for the checker: Ψ, closures and answers by place."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.certificates.goal import Goal, iota_of
from sa.certificates.relation import AbstractPath, Relation
from sa.checker.side import Side, identity, invariant, side
from sa.terms.build import FALSE, conjoined, conjuncts
from sa.terms.term import Term, Var


class Claim(Struct, frozen=True, eq=False):
    """`lemmas` by pair of locations, `answers` by pair and edge number, `closure` by abstract location.

    `still` says of each side that no global changes. Where termination is preserved there are `ranks` by pair.
    """

    goal: Goal
    concrete: Side
    abstract: Side
    iota: tuple[Term, ...]
    lemmas: Mapping[tuple[str, str], tuple[Term, ...]]
    answers: Mapping[tuple[str, str, int], tuple[AbstractPath, ...]]
    closure: Mapping[str, Term]
    openings: tuple[tuple[tuple[Var, Term], ...], ...]
    still: tuple[tuple[Term, ...], tuple[Term, ...]]
    ranks: Mapping[tuple[str, str], tuple[Term, ...]] | None = None


def claim(goal: Goal, relation: Relation) -> Claim:
    """The claim that the relation proves the goal, which is known to be well-formed."""
    concrete, abstract = side(goal.concrete), side(goal.abstract)
    return Claim(
        goal,
        concrete,
        abstract,
        conjuncts(iota_of(goal)),
        {(p.concrete, p.abstract): conjoined(p.lemmas) for p in relation.pairs},
        {(a.concrete, a.abstract, a.edge): a.answers for a in relation.answers},
        dict(relation.closure),
        relation.openings,
        (identity(concrete), identity(abstract)),
    )


def related(made: Claim, concrete: str, abstract: str) -> tuple[Term, ...]:
    """ι and the lemmas of a pair: Ψ without the invariants. FALSE where the relation does not have the pair."""
    return (*made.iota, *made.lemmas.get((concrete, abstract), (FALSE,)))


def assumed_at(made: Claim, concrete: str, abstract: str) -> tuple[Term, ...]:
    """Ψ of a pair as conjuncts."""
    invariants = (*invariant(made.concrete, concrete), *invariant(made.abstract, abstract))
    return conjoined((*invariants, *related(made, concrete, abstract)))
