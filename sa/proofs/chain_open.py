"""Theorem 3, corrected: refinements of threads among others are chained.

Let A1 ⪯ A2 by θ1 with κ1, ι1 and A2 ⪯ A3 by θ2 with κ2, ι2. Then A1 ⪯ A3 with κ and ι as in `chain_closed`, if the
environment in the middle is there: for (s1, s2) ∈ θ1, (s2, s3) ∈ θ2, *one* environment step of A1 and a finite
*sequence* of A3 after which ι holds, *one* environment step of A2 leads to some s2' with ι1 and ι2. (The paper lets A3
make one step, which is wrong; a sequence of A2 would be wrong too.)

*Why.* θ1 is closed under one step of A1's and any number of A2's environment, θ2 under one of A2's and any number of
A3's: with the middle step both sides land in their relation again.

The sequence of A3 is the closure that θ2 was shown with; A2's single step is one of its own environment.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton, Kind, location_of, variables_of
from sa.automata.program import Formula
from sa.certificates.goal import Goal, iota_of
from sa.checker.obligation import Case, Obligation
from sa.proofs import chain_closed
from sa.proofs.facts import Refinement
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def obligations(
    first: Refinement, second: Refinement, kappa: tuple[Formula, ...], iota: tuple[Formula, ...], claim: Goal
) -> Iterator[Obligation]:
    """The side conditions of a chain of two pairs of threads; `claim` is the goal of the outer pair."""
    yield from chain_closed.obligations(first, second, kappa, iota)
    (one, theta_1), (two, theta_2) = first.pairs[0], second.pairs[0]
    closures = dict(theta_2.closure)
    for p in theta_1.pairs:
        for q in theta_2.pairs:
            if p.abstract == q.concrete:
                where = f"{p.concrete}, {p.abstract}, {q.abstract}"
                known = [_mid(t, "abs") for t in (iota_of(one), *p.lemmas)]
                known += [_mid(t, "conc") for t in (iota_of(two), *q.lemmas)]
                drift = closures[q.abstract]
                yield _followed(where, known, (one, two, claim), (p.concrete, p.abstract, q.abstract), drift)


def _followed(
    where: str, known: list[Term], goals: tuple[Goal, Goal, Goal], places: tuple[str, str, str], drift: Term
) -> Obligation:
    one, two, claim = goals
    lower, upper = location_of(one.concrete, places[0]), location_of(two.abstract, places[2])
    between = location_of(one.abstract, places[1])
    below, above = _later(one.concrete), _later(two.abstract)
    inside = {_as_mid(v, "abs"): primed(_as_mid(v, "abs")) for v in variables_of(one.abstract, Kind.GLOBAL)}
    assert lower.env is not None and between.env is not None
    inv = _mid(between.inv, "abs")
    moved = (lower.env, substitute(lower.inv, below), drift, substitute(upper.inv, above))
    hypotheses = build.land(*known, lower.inv, upper.inv, inv, *moved, substitute(iota_of(claim), {**below, **above}))
    step = (_mid(between.env, "abs"), substitute(inv, inside))
    kept_1 = substitute(_mid(iota_of(one), "abs"), {**below, **inside})
    kept_2 = substitute(_mid(iota_of(two), "conc"), {**inside, **above})
    case = Case(tuple(inside.values()), build.conjuncts(build.land(*step, kept_1, kept_2)))
    return Obligation("an environment step in the middle", where, build.conjuncts(hypotheses), (case,))


def _later(automaton: Automaton) -> dict[Var, Term]:
    return {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}


def _as_mid(var: Var, side: str) -> Var:
    return build.variable(f"mid.{var.name.removeprefix(f'{side}.')}", var.sort, var.primes)


def _mid(term: Term, side: str) -> Term:
    return substitute(term, {v: _as_mid(v, side) for v in term.free if v.name.startswith(f"{side}.")})
