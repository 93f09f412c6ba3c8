"""Invariants of one thread among the others: found by `invariants.weak`, shown by obligations of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.base.verdict import Verdict
from sa.certificates.threads import Annotated
from sa.checker.obligation import Case, Obligation, discharge, example
from sa.invariants.weak import Held, invariant, taking
from sa.proofs.result import Leaf
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


@dataclass(frozen=True, slots=True)
class Shown:
    """The leaves of an invariant: one that sums up its induction, or the step that it fails for."""

    leaves: tuple[Leaf, ...]


def shown_invariant(session: Session, annotated: Annotated, formula: Term, strong: bool) -> Shown:
    """Whether the formula is an invariant of the thread in its environment. Raises LimitReached.

    That it is not inductive does not say that it is ever false: the leaf is then not settled.
    """
    automaton, started = annotated.automaton, perf_counter()
    found = invariant(session, automaton, formula, strong)
    name = f"{'strong' if strong else 'weak'} invariant of {automaton.name}"
    if not isinstance(found, Held):
        place = "initially" if found.location is None else f"at {found.location.name}"
        step = "" if found.edge is None else f", step to {found.edge.target}"
        why = (
            f"not inductive: {example(found.answer.values)}" if isinstance(found.answer, Sat) else "the solver gave up"
        )
        return Shown((Leaf(name, place + step, Verdict.UNKNOWN, why, perf_counter() - started),))
    for obligation in obligations(automaton, found.places, formula, strong):
        failure = discharge(session, frozenset(), obligation)
        if failure is not None:
            return Shown((Leaf(name, obligation.where, Verdict.UNKNOWN, failure.why, perf_counter() - started),))
    return Shown((Leaf(name, "", Verdict.PROVED, "", perf_counter() - started),))


def obligations(automaton: Automaton, places: Mapping[str, Term], formula: Term, strong: bool) -> Iterator[Obligation]:
    """Definitions 4 and 5: formulas by location that hold initially, imply the invariant and are kept by all steps.

    Of the environment those steps count that keep the invariant, for a strong one all.
    """
    inv = {q.name: q.inv for q in automaton.locations}
    start = build.conjuncts(build.land(automaton.init, inv[automaton.initial]))
    yield Obligation("initially", automaton.initial, start, (Case((), build.conjuncts(places[automaton.initial])),))
    for edge in automaton.edges:
        after = dict(edge.updates)
        landed = substitute(inv[edge.target], after)
        known = build.land(inv[edge.source], places[edge.source], *taking(edge), landed)
        kept = build.conjuncts(substitute(places[edge.target], after))
        yield Obligation("component step", f"{edge.source} -> {edge.target}", build.conjuncts(known), (Case((), kept),))
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    for place in automaton.locations:
        assert place.env is not None
        here = build.land(place.inv, places[place.name])
        counts = build.TRUE if strong else substitute(formula, later)
        moved = build.land(here, place.env, substitute(place.inv, later), counts)
        kept = build.conjuncts(substitute(places[place.name], later))
        yield Obligation("environment step", place.name, build.conjuncts(moved), (Case((), kept),))
        yield Obligation("it implies the invariant", place.name, build.conjuncts(here), (Case((), (formula,)),))
