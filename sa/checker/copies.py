"""Pairs of threads that stand for any number of copies of a family (THEORY section 12).

What is shown of one copy, whatever its identity is, and of it beside one more, holds of any copies: no condition of
Theorem 4 but initial coverage is about more than two threads, and of two threads of one family nothing else is known
than that their identities differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec.structs import replace

from sa.automata.automaton import Kind
from sa.automata.family import (
    Family,
    another,
    family_fault,
    identity_of,
    name_of_another,
    parameter_of_another,
    representative,
    symbolic_name,
)
from sa.automata.program import Formula
from sa.automata.rename import own_local
from sa.certificates.families import CrowdJoint
from sa.certificates.family_composition import CrowdComposition, Met, fault_of_met, known_of_two
from sa.certificates.goal import Goal
from sa.certificates.threads import Annotated
from sa.checker.obligation import Obligation
from sa.checker.side import side
from sa.checker.threads import apart, own_steps, steps_of_others
from sa.terms.build import ONE, conjuncts, land, le, ne
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def copies_faults(made: CrowdComposition) -> Iterator[str]:
    """What keeps pairs from standing for copies: each has an identity that is its own, and there are no ghosts."""
    identities = dict(made.copies)
    if len(identities) < len(made.copies) or len(set(identities.values())) < len(identities):
        yield "a pair stands for two families, or two of them have the same identity"
    if not all(0 <= place < len(made.goals) for place in identities):
        yield "a pair that stands for copies does not exist"
        return
    someone = frozenset(w for i in identities.values() for w in (i, parameter_of_another(i)))
    if any(not f.free.isdisjoint(someone) for f in made.besides):
        yield "what is related besides is about one copy"
    for threads, proven in zip((made.concrete, made.abstract), made.met, strict=True):
        if not all(_is_about(met.joint, threads, made) for met in proven):
            yield "a proof about meetings is not about the program"
            return
        yield from (fault for met in proven if (fault := fault_of_met(met)) is not None)
    for threads in (made.concrete, made.abstract):
        for place, annotated in enumerate(threads):
            name = annotated.thread.name
            rigid = {v.var for v in annotated.thread.variables if v.kind is Kind.PARAM}
            own = identities.get(place)
            if own is not None and (own not in rigid or own.sort != INT):
                yield f"{name}: its identity is no parameter"
            known = {v.var for v in annotated.automaton.variables}
            taken = {w for p, i in made.copies for w in (i, parameter_of_another(i)) if p != place}
            if own is not None:
                taken.add(parameter_of_another(own))
            if not known.isdisjoint(taken):
                yield f"{name}: the identity of another copy is among its variables"
            if identities and annotated.automaton.variables != annotated.thread.variables:
                yield f"{name}: there are ghosts beside copies"
        everybody = [*(t.thread.name for t in threads), *(name_of_another(threads[p].thread.name) for p in identities)]
        if len(set(everybody)) < len(everybody):
            yield "another copy has the name of a thread"


def _is_about(joint: CrowdJoint, threads: Sequence[Annotated], made: CrowdComposition) -> bool:
    """Whether a proof is about the program whose threads these are, one copy of each family among them."""
    identities = dict(made.copies)
    once = tuple(t.thread for place, t in enumerate(threads) if place not in identities)
    families = zip(joint.families, made.copies, strict=False)
    begins = frozenset(conjuncts(joint.init))
    return (
        sorted(joint.threads, key=lambda t: t.name) == sorted(once, key=lambda t: t.name)
        and len(joint.families) == len(made.copies)
        and all(family_fault(f) is None for f in joint.families)
        and all(representative(f, own) == threads[place].thread for f, (place, own) in families)
        and all(begins <= frozenset(conjuncts(t.thread.init)) for t in threads)
        and frozenset(joint.axioms) <= frozenset(made.axioms)
    )


def known_of_identities(identities: Sequence[Var]) -> tuple[Term, ...]:
    """What is known of the identities of one copy of each family, and of one more: they are positive and differ."""
    everyone = [v for identity in identities for v in (identity, parameter_of_another(identity))]
    positive = (le(ONE, v) for v in everyone)
    return (*positive, *(ne(v, w) for v, w in combinations(everyone, 2)))


def together_with_copies(
    threads: Sequence[Annotated], copies: Sequence[tuple[int, Var]], proven: Sequence[Met]
) -> Iterator[Obligation]:
    """Every invariant holds initially, after the own steps, and after those of other threads and of other copies.

    How shared variables begin is what the threads that are there once say, and a copy of itself: of others there may
    be none. `proven` is what is known of two of them wherever they meet.
    """
    identities = dict(copies)
    sides = [side(apart(t.automaton)) for t in threads]
    once = land(*(s.automaton.init for place, s in enumerate(sides) if place not in identities))
    for place, observer in enumerate(sides):
        yield from own_steps(observer, land(once, observer.automaton.init))
        for number, other in enumerate(sides):
            if other is not observer:
                known = _where_they_meet(proven, threads, copies, place, number)
                yield from steps_of_others(other, observer, known)
        if place in identities:
            more = side(apart(another(threads[place].automaton, identities[place])))
            yield from steps_of_others(more, observer, _where_they_meet(proven, threads, copies, place, place))


def _where_they_meet(
    proven: Sequence[Met], threads: Sequence[Annotated], copies: Sequence[tuple[int, Var]], place: int, number: int
) -> dict[tuple[str, str], tuple[Term, ...]]:
    """By the locations of an observer and of an actor what is known: of two threads, or of a copy and one more."""
    one, other = threads[place].thread, threads[number].thread
    found = dict[tuple[str, str], tuple[Term, ...]]()
    for met in proven:
        names = _as_in_pairs(met.joint.families, copies, place == number)
        for spots, said in known_of_two((met,), one.name, other.name).items():
            found[spots] = (*found.get(spots, ()), *conjuncts(substitute(said, names)))
    return found


def _as_in_pairs(families: Sequence[Family], copies: Sequence[tuple[int, Var]], with_another: bool) -> dict[Var, Term]:
    """From the names that variables of copies have in joint invariants to those that they have here."""
    names = dict[Var, Term]()
    for family, (_, identity) in zip(families, copies, strict=True):
        name = family.thread.name
        met = [(1, name, identity)]
        if with_another:
            met.append((2, name_of_another(name), parameter_of_another(identity)))
        for number, here, identity_here in met:
            symbolic = symbolic_name(family, number)
            own = (v.var for v in family.thread.variables if v.kind is Kind.LOCAL)
            names |= {own_local(symbolic, v): own_local(here, v) for v in own}
            names[identity_of(family, symbolic)] = identity_here
    return names


def goal_of_another(goal: Goal, identity: Var) -> Goal:
    """The goal about one more copy beside the one that stands for all."""
    names: dict[Var, Term] = {identity: parameter_of_another(identity)}

    def said(formulas: Sequence[Formula]) -> tuple[Formula, ...]:
        return tuple(replace(f, term=substitute(f.term, names)) for f in formulas)

    return replace(
        goal,
        name=name_of_another(goal.name),
        concrete=another(goal.concrete, identity),
        abstract=another(goal.abstract, identity),
        kappa=said(goal.kappa),
        iota=said(goal.iota),
    )
