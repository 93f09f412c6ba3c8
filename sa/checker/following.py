"""Checks that a weak simulation preserves termination or progress (THEORY section 15).

To what Definition 6 asks is added: a step that is answered by staying lowers the rank of the pair, and no environment
step raises it; or, for progress, where no concrete step is possible no abstract one is.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa.automata.standstill import possible
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.preservation import Following, Kept
from sa.checker.claim import Claim
from sa.checker.environments import moved_together
from sa.checker.obligation import Case, Obligation
from sa.checker.ruling import Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.weak_simulation import check_claim, well_formed
from sa.terms.build import le, lnot
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import sort_of


def check_following(
    goal: Goal, kept: Kept, made: Following, bounds: Limits, seed: int = 0, solvers: Solvers = Z3
) -> Ruling:
    """Whether the relation proves the goal and preserves that. Raises LimitReached."""
    if not goal.matched:
        return Rejected("ranks", "they are of a goal that stands for itself")
    claim = well_formed(goal, made.relation)
    if isinstance(claim, Rejected):
        return claim
    match kept:
        case Kept.TERMINATION:
            fault = _rank_fault(claim, made)
            if fault is not None:
                return Rejected("ranks", fault)
            ranks = {(r.concrete, r.abstract): r.terms for r in made.ranks}
            return check_claim(replace(claim, ranks=ranks), bounds, seed, solvers, _kept_by_environments)
        case Kept.PROGRESS:
            return check_claim(claim, bounds, seed, solvers, _standing)


def _rank_fault(claim: Claim, made: Following) -> str | None:
    """What is wrong with the shape of ranks."""
    pairs = [(r.concrete, r.abstract) for r in made.ranks]
    known = frozenset(v.var for s in (claim.concrete, claim.abstract) for v in s.automaton.variables)
    terms = [t for r in made.ranks for t in r.terms]
    if len(set(pairs)) < len(pairs) or {*pairs} != claim.lemmas.keys():
        return "they are not given once at each pair"
    if len({len(r.terms) for r in made.ranks}) > 1:
        return "they have not one length"
    if any(sort_of(t) != INT or not t.free <= known for t in terms):
        return "they are no numbers over variables of both sides"
    return None


def _kept_by_environments(claim: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    """No environment step raises any number of the rank."""
    if claim.ranks is None or claim.goal.closed:
        return
    names = {**claim.concrete.after, **claim.abstract.after}
    terms = claim.ranks[concrete, abstract]
    if any(not t.free.isdisjoint(names) for t in terms):
        kept = tuple(le(substitute(t, names), t) for t in terms)
        hypotheses = moved_together(claim, concrete, abstract)
        yield Obligation("environment and rank", f"({concrete}, {abstract})", hypotheses, (Case((), kept),))


def _standing(claim: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    """Where no concrete step is possible, though it is not at its end, no abstract one is."""
    own = [e for _, e in claim.concrete.outgoing[concrete]]
    if any(e.thread not in claim.goal.serving for e in own):
        theirs = [e for _, e in claim.abstract.outgoing[abstract]]
        hypothesis = lnot(possible(own))
        yield Obligation(
            "standstill", f"({concrete}, {abstract})", (hypothesis,), (Case((), (lnot(possible(theirs)),)),)
        )
