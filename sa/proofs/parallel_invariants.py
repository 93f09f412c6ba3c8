"""Theorem 1: invariants of threads are one of their composition.

Let λ1..λn be weak invariants of compatible automata, pairwise without interference: λi ∧ λj ∧ λi' ⇒ λj with the shared
variables after the step. Then λ1 ∧ … ∧ λn is a weak invariant of the composition.

*Why.* Initially all hold. A component step of i from a state with all λ keeps λi, since i's local step is one of its
automaton; by non-interference it keeps every λj. An environment step that keeps the conjunction counts, any other does
not. Compatibility makes i's step one that j's location invariants survive.

Strong invariants hold whatever the environment does, hence also after the other threads' steps, which compatibility
makes environment steps: no non-interference is needed.

What follows from the parts is an invariant too. But a weak one that says less counts more environment steps: those
that keep the claim must keep the parts, or else these do not hold in the runs that the claim is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.certificates.threads import Annotated
from sa.checker.obligation import Case, Obligation
from sa.checker.threads import apart
from sa.proofs.facts import Invariance
from sa.terms import build
from sa.terms.substitute import prefixed, primed, substitute
from sa.terms.term import Term, Var


def obligations(parts: Sequence[Invariance], claim: Term, strong: bool, alone: bool) -> Iterator[Obligation]:
    """The side conditions: no interference, and that the parts together imply what is claimed.

    Compatibility of the threads is shown once for a program. Parts are about one thread each, or more. `alone` says
    that the composition has no environment.
    """
    formulas = [substitute(p.formula, names_apart(p.side.threads)) for p in parts]
    if not strong:
        shared: dict[Var, Term] = {
            v: primed(v) for p in parts for t in p.side.threads for v in variables_of(t.automaton, Kind.GLOBAL)
        }
        for (one, first), (two, second) in permutations(zip(parts, formulas, strict=True), 2):
            own: dict[Var, Term] = {t: primed(t) for t in names_apart(one.side.threads).values() if isinstance(t, Var)}
            after = substitute(first, {**shared, **own})
            kept = build.conjuncts(substitute(second, shared))
            where = f"{_names(one.side.threads)} and {_names(two.side.threads)}"
            known = build.conjuncts(build.land(first, second, after))
            yield Obligation("non-interference", where, known, (Case((), kept),))
    known = build.conjuncts(build.land(*formulas))
    yield Obligation("the parts imply the claim", "", known, (Case((), build.conjuncts(claim)),))
    if not strong and not alone:
        yield _kept_outside(parts, formulas, claim)


def _kept_outside(parts: Sequence[Invariance], formulas: Sequence[Term], claim: Term) -> Obligation:
    """An environment step of the composition after which the claim holds is one of every thread."""
    threads = [t for p in parts for t in p.side.threads]
    later: dict[Var, Term] = {v: primed(v) for t in threads for v in variables_of(t.automaton, Kind.GLOBAL)}
    moved = [build.lor(*_moves(apart(t.automaton), later)) for t in threads]
    weak = [substitute(f, later) for p, f in zip(parts, formulas, strict=True) if not p.strong]
    certain = [substitute(f, later) for p, f in zip(parts, formulas, strict=True) if p.strong]
    known = build.conjuncts(build.land(*formulas, *moved, *certain, substitute(claim, later)))
    kept = build.conjuncts(build.land(*weak))
    return Obligation("an environment that keeps the claim keeps the parts", "", known, (Case((), kept),))


def _moves(automaton: Automaton, later: Mapping[Var, Term]) -> Iterator[Term]:
    for place in automaton.locations:
        assert place.env is not None
        yield build.land(place.inv, place.env, substitute(place.inv, later))


def names_apart(threads: Sequence[Annotated]) -> Mapping[Var, Term]:
    """The threads' locals as the composition names them."""
    return {v: prefixed(v, t.automaton.name) for t in threads for v in variables_of(t.automaton, Kind.LOCAL)}


def _names(threads: Sequence[Annotated]) -> str:
    return " || ".join(t.automaton.name for t in threads)
