"""Theorem 5, corrected: weak invariants carry over to the concrete side; and what strong ones need.

Let A1 ⪯ A2 by θ with κ, ι and initial coverage, and λ2 a weak invariant of A2. Then λ1 is a weak invariant of A1 if

- λ2 ∧ ι ⇒ λ1; where they speak of locations, λ2 at q2 and what θ says of (q1, q2) imply λ1 at q1, for all of its pairs;
- environments are followed: for (s1, s2) ∈ θ with λ1, λ2, and an environment step of A1 to s1' with λ1, some
  environment path of A2 from s2, *every* state of which satisfies λ2, ends in s2' with (s1', s2') ∈ θ.

The second condition is empty for whole programs. The paper asks for less, and that is wrong for threads with an
environment: λ2 may then fail on the way, where nothing counts, and never be kept again.

*Why.* Follow a run of A1 whose environment steps keep λ1 by one of A2 whose environment steps keep λ2: answers are
component steps, which keep a weak invariant; environment steps are followed as the condition says. So λ2 holds at the
end of each, the states are in θ, and with both also λ1 holds.

A strong λ1 needs a strong λ2 and environments that are followed whatever λ says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, location_of, variables_of
from sa.automata.rename import on_side
from sa.certificates.goal import Goal, iota_of
from sa.certificates.relation import PairRelation
from sa.checker.joint_locations import settled
from sa.checker.obligation import Case, Obligation
from sa.checker.threads import apart
from sa.rules.facts import Invariance, Refinement, all_of
from sa.rules.states import in_range
from sa.terms import build
from sa.terms.substitute import local_of, primed, sided, substitute, unsided
from sa.terms.term import Term, Var


def obligations(fact: Refinement, abstract: Invariance, concrete: Invariance) -> Iterator[Obligation]:
    """The side conditions; invariants that speak of locations need the pairs of every thread."""
    if speaks_of_locations(abstract) or speaks_of_locations(concrete):
        for places in product(*(relation.pairs for _, relation in fact.pairs)):
            yield from _implied_at(fact, abstract, concrete, places)
    else:
        states = (*in_range(fact.left, "conc"), *in_range(fact.right, "abs"))
        known = build.conjoined((*states, _on(abstract.formula, "abs", fact), all_of(fact.iota)))
        clauses = tuple(replace(f, term=_on(f.term, "conc", fact)) for f in concrete.parts)
        case = Case((), build.conjuncts(_on(concrete.formula, "conc", fact)))
        yield Obligation("the abstract invariant and ι imply the concrete one", "", known, (case,), clauses)
    if not fact.left.whole:
        for goal, relation in fact.pairs:
            for place in relation.pairs:
                yield _followed(fact, goal, place, abstract, concrete)


def speaks_of_locations(invariant: Invariance) -> bool:
    """Whether some `at T.CS` is in it."""
    return any(v.name.place is not None for v in invariant.formula.free)


def _implied_at(
    fact: Refinement, abstract: Invariance, concrete: Invariance, places: tuple[PairRelation, ...]
) -> Iterator[Obligation]:
    """What holds where the threads are at these pairs of locations."""
    below = {t.automaton.name: p.concrete for t, p in zip(fact.left.threads, places, strict=True)}
    above = {t.automaton.name: p.abstract for t, p in zip(fact.right.threads, places, strict=True)}
    wanted = build.conjuncts(_on(settled(concrete.formula, below), "conc", fact))
    if wanted == (build.TRUE,) or not wanted:
        return
    known = [_on(settled(abstract.formula, above), "abs", fact), all_of(fact.iota)]
    for index, ((goal, _), place) in enumerate(zip(fact.pairs, places, strict=True)):
        names = _own(goal, fact, index)
        known += [substitute(t, names) for t in (iota_of(goal), *place.lemmas)]
        for side, name, where in (
            (fact.left, "conc", place.concrete),
            (fact.right, "abs", place.abstract),
        ):
            known.append(location_of(on_side(apart(side.threads[index].automaton), name), where).inv)
    clauses = tuple(replace(f, term=_on(settled(f.term, below), "conc", fact)) for f in concrete.parts)
    where = ", ".join(f"{t} at {q}" for t, q in below.items()) + " with " + ", ".join(above.values())
    yield Obligation(
        "the abstract invariant and θ imply the concrete one",
        where,
        build.conjoined(known),
        (Case((), wanted),),
        clauses,
    )


def _own(goal: Goal, fact: Refinement, index: int) -> Mapping[Var, Term]:
    """The locals of a goal about one pair of threads, as the whole refinement names them."""
    found = dict[Var, Term]()
    for automaton, side, name in ((goal.concrete, fact.left, "conc"), (goal.abstract, fact.right, "abs")):
        thread = side.threads[index].automaton.name
        for v in variables_of(automaton, Kind.LOCAL):
            found[v] = sided(local_of(unsided(v), thread), name)
    return found


def _on(formula: Term, side: str, fact: Refinement) -> Term:
    """A formula over the names of a refinement: where there is one thread its locals are plain in the formula only."""
    threads = (fact.left if side == "conc" else fact.right).threads
    known = {v for t in threads for v in variables_of(t.automaton, Kind.GLOBAL)}
    known |= {local_of(v, t.automaton.name) for t in threads for v in variables_of(t.automaton, Kind.LOCAL)}
    if len(threads) == 1:
        own = variables_of(threads[0].automaton, Kind.LOCAL)
        formula = substitute(formula, {v: local_of(v, threads[0].automaton.name) for v in own})
    # What is left is rigid: parameters, those of the script as well.
    return substitute(formula, {v: sided(v, side) for v in formula.free if v in known})


def _alone(formula: Term, side: str, automaton: Automaton) -> Term:
    """A formula about a single thread over the names of its goal."""
    known = {v.var for v in automaton.variables}
    return substitute(formula, {v: w for v in formula.free if (w := sided(v, side)) in known})


def _followed(
    fact: Refinement, goal: Goal, place: PairRelation, abstract: Invariance, concrete: Invariance
) -> Obligation:
    """One abstract environment step follows; θ is closed under it, since ι holds after it (Definition 6, 2.a).

    It leads into the invariants of the automaton that the abstract invariant was shown for; states of both sides
    satisfy the invariants of the annotated threads, since runs are runs of these.
    """
    (left,), (right,) = fact.left.threads, fact.right.threads
    lower = location_of(on_side(left.automaton, "conc"), place.concrete)
    upper = location_of(on_side(right.automaton, "abs"), place.abstract)
    here, there = location_of(goal.concrete, place.concrete), location_of(goal.abstract, place.abstract)
    below = _alone(settled(concrete.formula, {left.automaton.name: place.concrete}), "conc", goal.concrete)
    above = _alone(settled(abstract.formula, {right.automaton.name: place.abstract}), "abs", goal.abstract)
    first: dict[Var, Term] = {v: primed(v) for v in variables_of(goal.concrete, Kind.GLOBAL)}
    second: dict[Var, Term] = {v: primed(v) for v in variables_of(goal.abstract, Kind.GLOBAL)}
    assert here.env is not None and there.env is not None
    states = (here.inv, there.inv, lower.inv, upper.inv, iota_of(goal), *place.lemmas)
    moved = (here.env, substitute(build.land(here.inv, lower.inv), first))
    weak = () if concrete.strong else (below, above, substitute(below, first))
    landed = substitute(build.land(there.inv, upper.inv), second)
    followed = build.land(there.env, landed, substitute(iota_of(goal), {**first, **second}))
    kept = build.TRUE if concrete.strong else substitute(above, second)
    known = build.conjoined((*states, *moved, *weak))
    unknown = tuple(v for v in second.values() if isinstance(v, Var))
    case = Case(unknown, build.conjoined((followed, kept)))
    clauses = (
        *(replace(f, term=substitute(f.term, {**first, **second})) for f in goal.iota),
        *(
            replace(
                f,
                term=substitute(
                    _alone(settled(f.term, {right.automaton.name: place.abstract}), "abs", goal.abstract), second
                ),
            )
            for f in abstract.parts
        ),
    )
    return Obligation("the environment is followed", f"{place.concrete}, {place.abstract}", known, (case,), clauses)
