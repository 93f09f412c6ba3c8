"""Theorem 4: refinements of threads are one of their compositions.

Let A1 ⪯ Â1, …, An ⪯ Ân, the Ai compatible, the Âi compatible, and their ι pairwise without interference. Then
A1 ∥ … ∥ An ⪯ Â1 ∥ … ∥ Ân with the conjunctions of the κ and of the ι. For what is claimed of runs, every joint concrete
initial state needs a joint abstract one: that does not follow from the pairs'.

*Why.* A step of Ai is answered by its own pair, which keeps ιi and so every ιj. For pair j it is an environment step of
Aj, and the answer a sequence of environment steps of Âj, both allowed by compatibility, after which ιj holds: θj is
closed under just that (Definition 6, 2.a).

The conditions are those that `checker.composition` asks of any composition; here also that the claim's κ and ι follow,
that an environment that keeps the claim's ι keeps the parts', and that declared environments of compositions match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Kind, Location, variables_of
from sa.automata.program import Axiom, Formula
from sa.automata.rename import on_side
from sa.certificates.threads import Annotated, Composition
from sa.checker import composition as checked
from sa.checker.obligation import Case, Obligation
from sa.checker.question import silently
from sa.rules.facts import Refinement, Side, all_of
from sa.rules.statements import outer
from sa.rules.states import in_range, initially, variables
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


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
    made: Composition,
    parts: Sequence[Refinement],
    kappa: tuple[Formula, ...],
    iota: tuple[Formula, ...],
    among_others: bool,
    matched: bool,
) -> Iterator[Obligation]:
    """The side conditions of the claim with this κ and ι; `among_others` if others move beside the threads.

    `matched` says that environments are declared: then they must match, which is part of what is claimed.
    """
    left, right = Side("", made.concrete, True), Side("", made.abstract, True)
    yield from checked.obligations(made)
    together = tuple(f for p in parts for f in p.kappa)
    start = build.conjoined((*initially(left, "conc"), *initially(right, "abs"), all_of(kappa)))
    yield Obligation("the claim's κ is that of the parts", "", start, (_all(together),), together)
    shown = (f for p in parts for goal, _ in p.pairs for f in outer((goal.kappa, goal.iota), p.left, p.right)[0])
    said = frozenset(build.conjuncts(all_of(kappa))) <= frozenset(build.conjuncts(all_of(tuple(shown))))
    if not said or any(len(p.pairs) > 1 for p in parts):
        # What the pairs' goals relate covers all initial states; what the claim relates, or a part, may be less.
        wanted = build.conjoined((*initially(right, "abs"), all_of(kappa)))
        covered = Case(variables(right, "abs"), wanted)
        yield Obligation("initial coverage", "", initially(left, "conc"), (covered,), kappa)
    states = (*in_range(left, "conc"), *in_range(right, "abs"))
    kept = build.conjoined((*states, *(all_of(p.iota) for p in parts)))
    yield Obligation("the parts' ι is that of the claim", "", kept, (_all(iota),), iota)
    if among_others:
        yield from _in_an_environment(made, states, tuple(f for p in parts for f in p.iota), iota, matched)


def _in_an_environment(
    made: Composition, states: Sequence[Term], parts: tuple[Formula, ...], iota: tuple[Formula, ...], matched: bool
) -> Iterator[Obligation]:
    """What others do: they may do all that keeps the claim's ι (2.a), so it must keep the parts'; and it must match.

    One abstract step answers one concrete step. Where locations have different environments the concrete ones are
    taken together and of the abstract ones what they have in common, so more is asked than is needed.
    """
    known = build.conjoined((*states, all_of(iota)))
    yield Obligation("the claim's ι is that of the parts", "", known, (_all(parts),), parts)
    if not matched or len(made.concrete) < 2:
        return
    lower = [on_side(t.automaton, "conc") for t in made.concrete]
    upper = [on_side(t.automaton, "abs") for t in made.abstract]
    concrete = build.land(*(build.lor(*(_env(q) for q in a.locations)) for a in lower))
    abstract = build.land(*(_env(q) for a in upper for q in a.locations))
    first: dict[Var, Term] = {v: primed(v) for a in lower for v in variables_of(a, Kind.GLOBAL)}
    second = {v: primed(v) for a in upper for v in variables_of(a, Kind.GLOBAL)}
    after = substitute(build.land(*states, all_of(parts)), {**first, **second})
    wanted = build.conjoined((abstract, after))
    moved = build.conjoined((*states, all_of(parts), concrete, substitute(build.land(*states), first)))
    clauses = tuple(replace(f, term=substitute(f.term, {**first, **second})) for f in parts)
    yield Obligation("the environments match", "", moved, (Case(tuple(second.values()), wanted),), clauses)


def _env(place: Location) -> Term:
    return build.TRUE if place.env is None else place.env


def _all(formulas: tuple[Formula, ...]) -> Case:
    return Case((), build.conjuncts(all_of(formulas)))
