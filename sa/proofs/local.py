"""Invariants of one automaton in its environment: found by `invariants.weak`, shown by obligations of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from time import perf_counter

from sa.automata.automaton import Automaton, Edge, Kind, Location, location_of, variables_of
from sa.automata.program import Formula
from sa.base.verdict import Verdict
from sa.checker.never import settled
from sa.checker.obligation import Case, Obligation, discharge
from sa.invariants.houdini import taking
from sa.invariants.weak import NotShown, invariant
from sa.proofs.result import Leaf
from sa.proofs.work import Work, add, example_of, satisfiable
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: What is said of a step that breaks an invariant in a state that may not be reached.
_NOT_INDUCTIVE = "not inductive: this step breaks it, in a state that may never be reached; no strengthening was found"
_GAVE_UP = "the solver gave up"


def at_locations(formula: Term, threads: tuple[str, ...], automaton: Automaton, separator: str) -> dict[str, Term]:
    """A formula with `at T.CS` resolved at each location of an automaton that is the product of these threads."""
    return {
        q.name: settled(formula, dict(zip(threads, q.name.split(separator), strict=True))) for q in automaton.locations
    }


def show_invariant(
    work: Work,
    automaton: Automaton,
    wanted: Mapping[str, Term],
    strong: bool,
    clauses: Mapping[str, tuple[Formula, ...]],
) -> bool:
    """Whether formulas by location are an invariant of the automaton in its environment; adds the leaf that says so.

    That it is not inductive does not say that it is ever false: the leaf is then not settled. `clauses` are what the
    formulas are made of. Raises LimitReached.
    """
    started = perf_counter()
    name = f"{'strong' if strong else 'weak'} invariant of {automaton.name}"
    found = invariant(work.session, automaton, wanted, strong)
    if isinstance(found, NotShown):
        add(work, replace(_not_shown(work, name, automaton, found, wanted, clauses), seconds=perf_counter() - started))
        return False
    for obligation in obligations(automaton, found.places, wanted, strong):
        failure = discharge(work.session, frozenset(), obligation)
        if failure is not None:
            where = f"{obligation.name}, {obligation.where}"
            add(work, Leaf(name, where, Verdict.UNKNOWN, failure.why, perf_counter() - started))
            return False
    add(work, Leaf(name, "", Verdict.PROVED, "", perf_counter() - started))
    return True


def _not_shown(
    work: Work,
    name: str,
    automaton: Automaton,
    found: NotShown,
    wanted: Mapping[str, Term],
    clauses: Mapping[str, tuple[Formula, ...]],
) -> Leaf:
    """The step that the formula itself is not inductive for, with values where there are any."""
    where = "initially" if found.location is None else f"at {found.location.name}"
    if found.edge is not None:
        where += f", step to {found.edge.target}"
    elif found.location is not None:
        where += ", step of the environment"
    example = example_of(work, _failing(automaton, found.location, found.edge, wanted, clauses))
    if example is None:
        return Leaf(name, where, Verdict.UNKNOWN, _GAVE_UP, 0.0)
    if found.location is None:
        verdict = Verdict.REFUTED if satisfiable(work) else Verdict.UNKNOWN
        return Leaf(name, where, verdict, "this initial state breaks it", 0.0, example=example)
    return Leaf(name, where, Verdict.UNKNOWN, _NOT_INDUCTIVE, 0.0, example=example)


def _failing(
    automaton: Automaton,
    place: Location | None,
    edge: Edge | None,
    wanted: Mapping[str, Term],
    clauses: Mapping[str, tuple[Formula, ...]],
) -> Obligation:
    """What the formula by itself fails for, as an obligation."""
    if place is None:
        start = (automaton.init, location_of(automaton, automaton.initial).inv)
        return _asked(start, wanted[automaton.initial], clauses[automaton.initial], {}, None)
    if edge is not None:
        after = dict(edge.updates)
        landed = substitute(location_of(automaton, edge.target).inv, after)
        known = (place.inv, wanted[place.name], *taking(edge), landed)
        return _asked(known, wanted[edge.target], clauses[edge.target], after, edge)
    assert place.env is not None
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    known = (place.inv, wanted[place.name], place.env, substitute(place.inv, later))
    return _asked(known, wanted[place.name], clauses[place.name], later, None)


def _asked(
    known: tuple[Term, ...], goal: Term, clauses: tuple[Formula, ...], after: Mapping[Var, Term], edge: Edge | None
) -> Obligation:
    moved = tuple(replace(f, term=substitute(f.term, after)) for f in clauses)
    case = Case((), build.conjuncts(substitute(goal, after)))
    return Obligation("", "", build.conjuncts(build.land(*known)), (case,), moved, edge)


def obligations(
    automaton: Automaton, places: Mapping[str, Term], wanted: Mapping[str, Term], strong: bool
) -> Iterator[Obligation]:
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
        counts = build.TRUE if strong else substitute(wanted[place.name], later)
        moved = build.land(here, place.env, substitute(place.inv, later), counts)
        kept = build.conjuncts(substitute(places[place.name], later))
        yield Obligation("environment step", place.name, build.conjuncts(moved), (Case((), kept),))
        implied = build.conjuncts(wanted[place.name])
        yield Obligation("it implies the invariant", place.name, build.conjuncts(here), (Case((), implied),))
