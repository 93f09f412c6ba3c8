"""Theorem 3, corrected: refinements of threads among others are chained, any number of them.

Let A1 ⪯ A2 by θ1 with κ1, ι1 and A2 ⪯ A3 by θ2 with κ2, ι2. Then A1 ⪯ A3 with κ and ι as in
`theorem_2_chain_closed`, if the
environment in the middle is there: for (s1, s2) ∈ θ1, (s2, s3) ∈ θ2, *one* environment step of A1 and a finite
*sequence* of A3 after which ι holds, *one* environment step of A2 leads to some s2' with ι1 and ι2. (The paper lets A3
make one step, which is wrong; a sequence of A2 would be wrong too.)

*Why.* θ1 is closed under one step of A1's and any number of A2's environment, θ2 under one of A2's and any number of
A3's: with the middle step both sides land in their relation again. With more links every middle environment makes one
step, and each relation is closed under one step below and one, or at the end any number, above.

The sequence at the end is the closure that the last relation was shown with; single steps are of the environments
themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton, Kind, Origin, location_of, variables_of
from sa.automata.program import Formula
from sa.certificates.goal import Goal, iota_of
from sa.certificates.relation import PairRelation
from sa.checker.obligation import Case, Obligation
from sa.rules import theorem_2_chain_closed as chain_closed
from sa.rules.facts import Refinement
from sa.rules.theorem_2_chain_closed import inside
from sa.terms import build
from sa.terms.substitute import primed, sided, substitute, unsided
from sa.terms.term import Term, Var


def obligations(
    links: Sequence[Refinement], kappa: tuple[Formula, ...], iota: tuple[Formula, ...], claim: Goal
) -> Iterator[Obligation]:
    """The side conditions of a chain of pairs of threads; `claim` is the goal of the outer pair."""
    yield from chain_closed.obligations(links, kappa, iota)
    closures = dict(links[-1].pairs[0][1].closure)
    for places in _meeting([link.pairs[0][1].pairs for link in links]):
        yield _followed(links, places, claim, closures[places[-1].abstract])


def _meeting(relations: Sequence[tuple[PairRelation, ...]]) -> Iterator[tuple[PairRelation, ...]]:
    """A pair of locations of each link, each of which begins where the one before it ends."""
    if not relations:
        yield ()
        return
    for rest in _meeting(relations[:-1]):
        yield from ((*rest, p) for p in relations[-1] if not rest or rest[-1].abstract == p.concrete)


def _followed(
    links: Sequence[Refinement], places: Sequence[PairRelation], claim: Goal, environment_move: Term
) -> Obligation:
    goals, last = [link.pairs[0][0] for link in links], len(links)
    lower, upper = (
        location_of(goals[0].concrete, places[0].concrete),
        location_of(goals[-1].abstract, places[-1].abstract),
    )
    below, above = _later(goals[0].concrete), _later(goals[-1].abstract)
    later = below | above
    known, steps, unknown = [lower.inv, upper.inv], list[Term](), list[Var]()
    for number, (goal, place) in enumerate(zip(goals, places, strict=True)):
        known += [_named(t, number, last) for t in (iota_of(goal), *place.lemmas)]
        if number + 1 < last:
            between = location_of(goal.abstract, place.abstract)
            assert between.env is not None
            moves = {_as(v, number + 1, last): primed(_as(v, number + 1, last)) for v in _shared(goal.abstract)}
            inv, env = (_named(t, number, last) for t in (between.inv, between.env))
            known.append(inv)
            steps += [env, substitute(inv, moves)]
            later |= moves
            unknown += moves.values()
    kept = [substitute(_named(iota_of(goal), number, last), later) for number, goal in enumerate(goals)]
    assert lower.env is not None
    moved = (lower.env, substitute(lower.inv, below), environment_move, substitute(upper.inv, above))
    hypotheses = build.land(*known, *moved, substitute(iota_of(claim), {**below, **above}))
    case = Case(tuple(unknown), build.conjoined((*steps, *kept)))
    where = ", ".join((*(p.concrete for p in places), places[-1].abstract))
    return Obligation("an environment step in the middle", where, build.conjuncts(hypotheses), (case,))


def _shared(automaton: Automaton) -> tuple[Var, ...]:
    return variables_of(automaton, Kind.GLOBAL)


def _later(automaton: Automaton) -> dict[Var, Term]:
    return {v: primed(v) for v in _shared(automaton)}


def _as(var: Var, number: int, last: int) -> Var:
    """A variable of the abstract side of a link as one of the chain's end number `number`."""
    return sided(unsided(var), inside(number, last))


def _named(term: Term, number: int, last: int) -> Term:
    """A formula about both sides of a link's goal, over the names of the chain."""
    return chain_closed.linked(Formula(term, Origin(None)), number, last).term
