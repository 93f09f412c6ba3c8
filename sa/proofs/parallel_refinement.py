"""Theorem 4: refinements of threads are one of their compositions.

Let A1 ⪯ Â1, …, An ⪯ Ân, the Ai compatible, the Âi compatible, and their ι pairwise without interference. Then
A1 ∥ … ∥ An ⪯ Â1 ∥ … ∥ Ân with the conjunctions of the κ and of the ι. For what is claimed of runs, every joint concrete
initial state needs a joint abstract one: that does not follow from the pairs'.

*Why.* A step of Ai is answered by its own pair, which keeps ιi and so every ιj. For pair j it is an environment step of
Aj, and the answer a sequence of environment steps of Âj, both allowed by compatibility, after which ιj holds: θj is
closed under just that (Definition 6, 2.a).

The conditions are those that `checker.composition` asks of any composition; here also that the claim's κ and ι follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.program import Axiom, Formula
from sa.certificates.threads import Annotated, Composition
from sa.checker import composition as checked
from sa.checker.obligation import Case, Obligation
from sa.proofs.facts import Refinement, Side, all_of
from sa.proofs.states import in_range, initially, variables
from sa.refinement.goals import silently
from sa.terms import build


def composed(
    left: Side, right: Side, parts: Sequence[Refinement], axioms: tuple[Axiom, ...], silent: bool
) -> Composition:
    """The parts, one each pair of threads in the order of the sides, as evidence for the whole."""
    pairs = tuple(pair for part in parts for pair in part.pairs)
    lower, upper = (tuple(_quiet(t) if silent else t for t in side.threads) for side in (left, right))
    return Composition(lower, upper, tuple(g for g, _ in pairs), tuple(r for _, r in pairs), axioms)


def _quiet(annotated: Annotated) -> Annotated:
    return Annotated(silently(annotated.thread), silently(annotated.automaton))


def obligations(
    made: Composition, parts: Sequence[Refinement], kappa: tuple[Formula, ...], iota: tuple[Formula, ...]
) -> Iterator[Obligation]:
    """The side conditions of the claim with this κ and ι."""
    left, right = Side("", made.concrete, True), Side("", made.abstract, True)
    yield from checked.obligations(made)
    together = tuple(f for p in parts for f in p.kappa)
    start = build.conjuncts(build.land(*initially(left, "conc"), *initially(right, "abs"), all_of(kappa)))
    yield Obligation("the claim's κ is that of the parts", "", start, (_all(together),), together)
    said = frozenset(build.conjuncts(all_of(kappa))) <= frozenset(build.conjuncts(all_of(together)))
    if not said or any(len(p.pairs) > 1 for p in parts):
        # What the pairs relate covers all initial states; what the claim relates may be less.
        wanted = build.conjuncts(build.land(*initially(right, "abs"), all_of(kappa)))
        covered = Case(variables(right, "abs"), wanted)
        yield Obligation("initial coverage", "", initially(left, "conc"), (covered,), kappa)
    states = (*in_range(left, "conc"), *in_range(right, "abs"))
    kept = build.conjuncts(build.land(*states, *(all_of(p.iota) for p in parts)))
    yield Obligation("the parts' ι is that of the claim", "", kept, (_all(iota),), iota)


def _all(formulas: tuple[Formula, ...]) -> Case:
    return Case((), build.conjuncts(all_of(formulas)))
