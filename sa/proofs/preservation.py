"""Theorem 5, corrected: weak invariants carry over to the concrete side; and what strong ones need.

Let A1 ⪯ A2 by θ with κ, ι and initial coverage, and λ2 a weak invariant of A2. Then λ1 is a weak invariant of A1 if

- λ2 ∧ ι ⇒ λ1;
- environments are followed: for (s1, s2) ∈ θ with λ1, λ2, and an environment step of A1 to s1' with λ1, some
  environment path of A2 from s2, *every* state of which satisfies λ2, ends in s2' with (s1', s2') ∈ θ.

The second condition is empty for whole programs. The paper asks for less, and that is wrong for threads with an
environment: λ2 may then fail on the way, where nothing counts, and never be kept again.

*Why.* Follow a run of A1 whose environment steps keep λ1 by one of A2 whose environment steps keep λ2: answers are
component steps, which keep a weak invariant; environment steps are followed as the condition says. So λ2 holds at the
end of each, and with ι also λ1.

A strong λ1 needs a strong λ2 and environments that are followed whatever λ says.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton, Kind, location_of, variables_of
from sa.automata.rename import on_side
from sa.certificates.goal import Goal, iota_of
from sa.certificates.relation import Relation
from sa.checker.obligation import Case, Obligation
from sa.proofs.facts import Refinement, all_of
from sa.terms import build
from sa.terms.substitute import prefixed, primed, substitute
from sa.terms.term import Term, Var


def obligations(fact: Refinement, abstract: Term, concrete: Term, strong: bool) -> Iterator[Obligation]:
    """The side conditions for an abstract and a concrete invariant over plain names."""
    below, above = _on(concrete, "conc", fact), _on(abstract, "abs", fact)
    known = build.conjuncts(build.land(above, all_of(fact.iota)))
    yield Obligation(
        "the abstract invariant and ι imply the concrete one", "", known, (Case((), build.conjuncts(below)),)
    )
    if not fact.left.whole:
        for goal, relation in fact.pairs:
            strong_one = on_side(fact.right.threads[0].automaton, "abs")
            own, other = _alone(concrete, "conc", goal.concrete), _alone(abstract, "abs", goal.abstract)
            for place in relation.pairs:
                yield _followed(goal, relation, (place.concrete, place.abstract), own, other, strong, strong_one)


def _on(formula: Term, side: str, fact: Refinement) -> Term:
    """A formula over the names of a refinement: where there is one thread its locals are plain in the formula only."""
    threads = (fact.left if side == "conc" else fact.right).threads
    rigid = {v for t in threads for v in variables_of(t.automaton, Kind.PARAM)}
    if len(threads) == 1:
        own = variables_of(threads[0].automaton, Kind.LOCAL)
        formula = substitute(formula, {v: prefixed(v, threads[0].automaton.name) for v in own})
    return substitute(formula, {v: prefixed(v, side) for v in formula.free if v not in rigid})


def _alone(formula: Term, side: str, automaton: Automaton) -> Term:
    """A formula about a single thread over the names of its goal."""
    rigid = set(variables_of(automaton, Kind.PARAM))
    return substitute(formula, {v: prefixed(v, side) for v in formula.free if v not in rigid})


def _followed(
    goal: Goal,
    relation: Relation,
    place: tuple[str, str],
    below: Term,
    above: Term,
    strong: bool,
    shown: Automaton,
) -> Obligation:
    """One abstract environment step follows; θ is closed under it, since ι holds after it (Definition 6, 2.a).

    It leads into the invariants of the automaton that the abstract invariant was shown for.
    """
    here, there = location_of(goal.concrete, place[0]), location_of(goal.abstract, place[1])
    lemmas = next(p.lemmas for p in relation.pairs if (p.concrete, p.abstract) == place)
    first: dict[Var, Term] = {v: primed(v) for v in variables_of(goal.concrete, Kind.GLOBAL)}
    second: dict[Var, Term] = {v: primed(v) for v in variables_of(goal.abstract, Kind.GLOBAL)}
    assert here.env is not None and there.env is not None
    states = (here.inv, there.inv, iota_of(goal), *lemmas)
    moved = (here.env, substitute(here.inv, first))
    weak = () if strong else (below, above, substitute(below, first))
    landed = substitute(location_of(shown, place[1]).inv, second)
    followed = build.land(there.env, landed, substitute(iota_of(goal), {**first, **second}))
    kept = build.TRUE if strong else substitute(above, second)
    known = build.conjuncts(build.land(*states, *moved, *weak))
    cases = (
        Case(tuple(v for v in second.values() if isinstance(v, Var)), build.conjuncts(build.land(followed, kept))),
    )
    return Obligation("the environment is followed", f"{place[0]}, {place[1]}", known, cases)
