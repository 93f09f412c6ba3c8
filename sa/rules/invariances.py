"""When Theorems 1 and 5 and induction fit a claimed invariant, and what they ask for then."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from sa.automata.program import Formula
from sa.automata.proof import Preserves
from sa.certificates.threads import Annotated
from sa.rules import theorem_1_parallel_invariants as parallel_invariants
from sa.rules import theorem_5_preservation as preservation
from sa.rules.annotated_programs import Stage, compatible
from sa.rules.application import Applied, Asked, Unfit
from sa.rules.facts import Fact, Invariance, Refinement, Side, in_words, made_of
from sa.rules.statements import invariance_of
from sa.rules.theorem_1_parallel_invariants import names_apart
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Joint locations up to which rules and induction go over all of them.
JOINT = 400


def parallel(stage: Stage, claim: Preserves, cited: Sequence[Fact]) -> Applied:
    """Theorem 1 from cited invariants of the claim's threads. Raises Unfit."""
    fact = invariance_of(stage, claim)
    parts = [f for f in cited if isinstance(f, Invariance)]
    if len(parts) < len(cited):
        raise Unfit("this rule cites invariants")
    if not made_of(fact.side, [p.side for p in parts]):
        raise Unfit(f"the cited invariants are not those of {in_words(fact.side)}, in this order")
    if claim.strong and any(not p.strong for p in parts):
        raise Unfit("a strong invariant needs strong parts")
    rule = "Theorem 1" if len(fact.side.threads) > 1 else "induction"
    return Applied(rule, fact, (Asked(parallel_invariants.obligations(parts, fact), {}), _compatible(fact)))


def thread_by_thread(stage: Stage, claim: Preserves) -> tuple[Applied, tuple[Invariance, ...]] | None:
    """Theorem 1 from the claim itself, and what it asks each thread to be an invariant of.

    None where a part of the formula is about several threads.
    """
    fact = invariance_of(stage, claim)
    parts = _by_thread(fact)
    if parts is None:
        return None
    if len(parts) == 1:
        return Applied("induction", fact, (_compatible(fact),)), parts
    conditions = Asked(parallel_invariants.obligations(parts, fact), {})
    return Applied("Theorem 1", fact, (conditions, _compatible(fact))), parts


def jointly(stage: Stage, claim: Preserves) -> Applied:
    """Induction for the composition as one automaton (Definitions 3 to 5): what it asks besides."""
    fact = invariance_of(stage, claim)
    return Applied("induction", fact, (_compatible(fact),))


def _compatible(fact: Invariance) -> Asked:
    return Asked(compatible(fact.side), {})


def preserved(stage: Stage, claim: Preserves, cited: Sequence[Fact]) -> Applied:
    """Theorem 5 from a cited refinement and an invariant of its abstract side. Raises Unfit."""
    fact = invariance_of(stage, claim)
    refinements = [f for f in cited if isinstance(f, Refinement)]
    invariants = [f for f in cited if isinstance(f, Invariance)]
    if len(refinements) != 1 or len(invariants) != 1 or len(cited) != 2:
        raise Unfit("preservation cites one refinement and one invariant")
    (refined,), (above,) = refinements, invariants
    if refined.left != fact.side or refined.right != above.side:
        raise Unfit("the refinement leads from the claim's threads to those of the cited invariant")
    known_by_pairs = len(refined.pairs) == len(fact.side.threads)
    if not fact.side.whole and (len(fact.side.threads) > 1 or not known_by_pairs):
        if refined.links:
            raise Unfit(
                "a chain of threads among others says nothing of their environments: carry it over link by link"
            )
        raise Unfit("threads among others: show each refinement directly, carry its invariant over, then `by parallel`")
    if refined.narrow:
        raise Unfit("a rely narrows what others may do, which this rule does not know of: declare it in the programs")
    if claim.strong and not above.strong and not fact.side.whole:
        raise Unfit("a strong invariant needs a strong one")
    if any(map(preservation.speaks_of_locations, (above, fact))):
        if not known_by_pairs:
            hint = "show its pairs of threads first, then `by parallel`"
            raise Unfit(f"`at` needs to know which locations meet, which the cited refinement does not say: {hint}")
        if prod(len(relation.pairs) for _, relation in refined.pairs) > JOINT:
            raise Unfit("the threads meet at too many joint locations for `at`")
    aliases = {"conc": refined.left.program, "abs": refined.right.program}
    return Applied("Theorem 5", fact, (Asked(preservation.obligations(refined, above, fact), aliases),))


# ---------------------------------------------------------------- thread by thread


def _by_thread(fact: Invariance) -> tuple[Invariance, ...] | None:
    """The claim as invariants of one thread each: a conjunct goes to the thread that it is about, or to all.

    None where a conjunct is about several.
    """
    if len(fact.side.threads) == 1:
        return (replace(fact, side=_alone(fact.side, fact.side.threads[0])),)
    pieces = [replace(p, term=c) for p in fact.parts for c in build.conjuncts(p.term)]
    own = {t.automaton.name: _own(t) for t in fact.side.threads}
    everyone = frozenset[str]().union(*own.values())
    found = list[Invariance]()
    placed = 0
    for annotated in fact.side.threads:
        back: dict[Var, Term] = {v: k for k, v in names_apart((annotated,)).items() if isinstance(v, Var)}
        mine = own[annotated.automaton.name]
        about = [p for p in pieces if _names(p.term) & everyone <= mine]
        placed += sum(1 for p in about if _names(p.term) & mine)
        parts: tuple[Formula, ...] = tuple(replace(p, term=substitute(p.term, back)) for p in about)
        formula = build.land(*(p.term for p in parts))
        found.append(Invariance(_alone(fact.side, annotated), formula, fact.strong, parts))
    return tuple(found) if placed == sum(1 for p in pieces if _names(p.term) & everyone) else None


def _alone(side: Side, annotated: Annotated) -> Side:
    return Side(side.program, (annotated,), side.whole and len(side.threads) == 1)


def _own(annotated: Annotated) -> frozenset[str]:
    return frozenset(v.name for v in parallel_invariants.own_variables(annotated))


def _names(term: Term) -> frozenset[str]:
    return frozenset(v.name for v in term.free)
