"""Theorem 1: invariants of threads are one of their composition.

Let λ1..λn be weak invariants of compatible automata, pairwise without interference: λi ∧ λj ∧ λi' ⇒ λj with the shared
variables after the step. Then λ1 ∧ … ∧ λn is a weak invariant of the composition. Of steps of i only those count that
j's environment allows, for no other is made.

*Why.* Initially all hold. A component step of i from a state with all λ keeps λi, since i's local step is one of its
automaton; by non-interference it keeps every λj. An environment step that keeps the conjunction counts, any other does
not. Compatibility makes i's step one that j's location invariants survive.

Strong invariants hold whatever the environment does, hence also after the other threads' steps, which compatibility
makes environment steps: no non-interference is needed.

What follows from the parts is an invariant too. But a weak one that says less counts more environment steps: those
that keep the claim must keep the parts, or else these do not hold in the runs that the claim is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations, permutations

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.certificates.threads import Annotated
from sa.checker.obligation import Case, Obligation
from sa.checker.threads import apart
from sa.rules.facts import Invariance
from sa.rules.states import in_range, in_range_after
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import local_of, primed, substitute
from sa.terms.term import Term, Var


def obligations(parts: Sequence[Invariance], claim: Invariance) -> Iterator[Obligation]:
    """The side conditions: no interference, and that the parts together imply what is claimed.

    Compatibility of the threads is shown once for a program. Parts are about one thread each, or more; strong ones
    need no protection.
    """
    formulas = [apart_formula(p.formula, p.side.threads) for p in parts]
    threads = claim.side.threads
    shared: dict[Var, Term] = {v: primed(v) for t in threads for v in variables_of(t.automaton, Kind.GLOBAL)}
    for (one, first), (two, second) in permutations(zip(parts, formulas, strict=True), 2):
        if not claim.strong and not two.strong:
            own: dict[Var, Term] = {v: primed(v) for t in one.side.threads for v in own_variables(t)}
            after = substitute(first, {**shared, **own})
            kept = build.conjuncts(substitute(second, shared))
            where = f"{_names(one.side.threads)} and {_names(two.side.threads)}"
            states = (*in_range(one.side), *in_range(two.side), *in_range_after(one.side), *in_range_after(two.side))
            spoken = frozenset((*first.free, *second.free))
            allowed = (build.lor(*_moves(apart(t.automaton), shared, spoken)) for t in two.side.threads)
            somewhere = _somewhere((first, second))
            known = build.conjoined((*states, first, second, after, *allowed, *somewhere))
            clauses = tuple(
                replace(f, term=substitute(apart_formula(f.term, two.side.threads), shared)) for f in two.parts
            )
            yield Obligation("non-interference", where, known, (Case((), kept),), clauses)
    wanted = apart_formula(claim.formula, threads)
    known = build.conjoined((*in_range(claim.side), *formulas, *_somewhere((*formulas, wanted))))
    clauses = tuple(replace(f, term=apart_formula(f.term, threads)) for f in claim.parts)
    yield Obligation("the parts imply the claim", "", known, (Case((), build.conjuncts(wanted)),), clauses)
    if not claim.strong and not claim.side.whole:
        yield _kept_outside(parts, formulas, wanted)


def _kept_outside(parts: Sequence[Invariance], formulas: Sequence[Term], claim: Term) -> Obligation:
    """An environment step of the composition after which the claim holds is one of every thread."""
    threads = [t for p in parts for t in p.side.threads]
    later: dict[Var, Term] = {v: primed(v) for t in threads for v in variables_of(t.automaton, Kind.GLOBAL)}
    spoken = frozenset(v for f in (*formulas, claim) for v in f.free)
    moved = [build.lor(*_moves(apart(t.automaton), later, spoken)) for t in threads]
    weak = [substitute(f, later) for p, f in zip(parts, formulas, strict=True) if not p.strong]
    certain = [substitute(f, later) for p, f in zip(parts, formulas, strict=True) if p.strong]
    known = build.conjoined((*formulas, *moved, *certain, substitute(claim, later)))
    kept = build.conjoined(weak)
    return Obligation("an environment that keeps the claim keeps the parts", "", known, (Case((), kept),))


def _moves(automaton: Automaton, later: Mapping[Var, Term], spoken: Set[Var]) -> Iterator[Term]:
    """The environment's steps at each location, where it is said which one it is if that is spoken of."""
    known = [q for q in automaton.locations if at(automaton, q) in spoken]
    for place in automaton.locations:
        assert place.env is not None
        there = [at(automaton, q) if q is place else build.lnot(at(automaton, q)) for q in known]
        yield build.land(*there, place.inv, place.env, substitute(place.inv, later))


def at(automaton: Automaton, place: Location) -> Var:
    """The Boolean variable that says that a thread is at a location."""
    return build.variable(at_place(automaton.name, place.name), BOOL)


def own_variables(annotated: Annotated) -> Iterator[Var]:
    """What only the thread's own steps change: its locals, as the composition names them, and where it is."""
    yield from (v for v in names_apart((annotated,)).values() if isinstance(v, Var))
    yield from (at(annotated.automaton, q) for q in annotated.automaton.locations)


def _somewhere(formulas: Sequence[Term]) -> Iterator[Term]:
    """That no thread is at two of the locations that are spoken of."""
    places = sorted({v for f in formulas for v in f.free if v.name.place is not None}, key=lambda v: v.key)
    for p, q in combinations(places, 2):
        if p.name.thread == q.name.thread:
            yield build.lor(build.lnot(p), build.lnot(q))


def apart_formula(formula: Term, threads: Sequence[Annotated]) -> Term:
    """A formula of `automata.proof.Preserves` over the names of the composition, where every local has its thread's."""
    return substitute(formula, names_apart(threads)) if len(threads) == 1 else formula


def names_apart(threads: Sequence[Annotated]) -> Mapping[Var, Term]:
    """The threads' locals as the composition names them."""
    return {v: local_of(v, t.automaton.name) for t in threads for v in variables_of(t.automaton, Kind.LOCAL)}


def _names(threads: Sequence[Annotated]) -> str:
    return " || ".join(t.automaton.name for t in threads)
