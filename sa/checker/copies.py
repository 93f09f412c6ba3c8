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
from sa.automata.family import another, parameter_of_another
from sa.automata.program import Formula
from sa.certificates.goal import Goal
from sa.certificates.threads import Annotated, Composition
from sa.checker.obligation import Obligation
from sa.checker.side import side
from sa.checker.threads import apart, own_steps, steps_of_others
from sa.terms.build import ONE, land, le, ne
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def copies_faults(made: Composition) -> Iterator[str]:
    """What keeps pairs from standing for copies: each has an identity that is its own, and there are no ghosts."""
    identities = dict(made.copies)
    if len(identities) < len(made.copies) or len(set(identities.values())) < len(identities):
        yield "a pair stands for two families, or two of them have the same identity"
    if not all(0 <= place < len(made.goals) for place in identities):
        yield "a pair that stands for copies does not exist"
        return
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
        everybody = [*(t.thread.name for t in threads), *(f"{threads[p].thread.name}[#2]" for p in identities)]
        if len(set(everybody)) < len(everybody):
            yield "another copy has the name of a thread"


def known_of_identities(identities: Sequence[Var]) -> tuple[Term, ...]:
    """What is known of the identities of one copy of each family, and of one more: they are positive and differ."""
    everyone = [v for identity in identities for v in (identity, parameter_of_another(identity))]
    positive = (le(ONE, v) for v in everyone)
    return (*positive, *(ne(v, w) for v, w in combinations(everyone, 2)))


def together_with_copies(threads: Sequence[Annotated], copies: Sequence[tuple[int, Var]]) -> Iterator[Obligation]:
    """Every invariant holds initially, after the own steps, and after those of other threads and of other copies.

    How shared variables begin is what the threads that are there once say, and a copy of itself: of others there may
    be none.
    """
    identities = dict(copies)
    sides = [side(apart(t.automaton)) for t in threads]
    once = land(*(s.automaton.init for place, s in enumerate(sides) if place not in identities))
    for place, observer in enumerate(sides):
        yield from own_steps(observer, land(once, observer.automaton.init))
        for other in sides:
            if other is not observer:
                yield from steps_of_others(other, observer)
        if place in identities:
            more = side(apart(another(threads[place].automaton, identities[place])))
            yield from steps_of_others(more, observer)


def goal_of_another(goal: Goal, identity: Var) -> Goal:
    """The goal about one more copy beside the one that stands for all."""
    names: dict[Var, Term] = {identity: parameter_of_another(identity)}

    def said(formulas: Sequence[Formula]) -> tuple[Formula, ...]:
        return tuple(replace(f, term=substitute(f.term, names)) for f in formulas)

    return replace(
        goal,
        name=f"{goal.name}[#2]",
        concrete=another(goal.concrete, identity),
        abstract=another(goal.abstract, identity),
        kappa=said(goal.kappa),
        iota=said(goal.iota),
    )
