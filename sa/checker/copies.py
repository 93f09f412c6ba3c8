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
from sa.automata.family import another, family_fault, name_of_another, parameter_of_another, representative
from sa.automata.program import Formula
from sa.certificates.crowd import CrowdComposition, CrowdJoint, meetings
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
    for threads, joints in zip((made.concrete, made.abstract), made.apart, strict=True):
        if any(not _is_about(j, threads, made) for j in joints):
            yield "a proof about places is not about the program"
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
    threads: Sequence[Annotated], copies: Sequence[tuple[int, Var]], joints: Sequence[CrowdJoint]
) -> Iterator[Obligation]:
    """Every invariant holds initially, after the own steps, and after those of other threads and of other copies.

    How shared variables begin is what the threads that are there once say, and a copy of itself: of others there may
    be none. `joints` show which two places are never met.
    """
    identities, never = dict(copies), _never_met(joints)
    sides = [side(apart(t.automaton)) for t in threads]
    once = land(*(s.automaton.init for place, s in enumerate(sides) if place not in identities))
    for place, observer in enumerate(sides):
        yield from own_steps(observer, land(once, observer.automaton.init))
        name = threads[place].thread.name
        for actor, other in zip(threads, sides, strict=True):
            if other is not observer:
                yield from steps_of_others(other, observer, never.get((actor.thread.name, name), frozenset()))
        if place in identities:
            more = side(apart(another(threads[place].automaton, identities[place])))
            yield from steps_of_others(more, observer, never.get((name, name), frozenset()))


def _never_met(joints: Sequence[CrowdJoint]) -> dict[tuple[str, str], frozenset[tuple[str, str]]]:
    """By the names of two the locations where they never are at once; of copies of one family of any two."""
    found = dict[tuple[str, str], set[tuple[str, str]]]()
    for joint in joints:
        known = meetings(joint.threads, joint.families)
        for (one, here), (two, there) in (known[bad] for bad in joint.never if bad in known):
            found.setdefault((one, two), set()).add((here, there))
            found.setdefault((two, one), set()).add((there, here))
    return {names: frozenset(places) for names, places in found.items()}


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
