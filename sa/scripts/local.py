"""Invariants of one automaton in its environment: found by `invariants.weak`, shown by obligations of their own."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, location_of, variables_of
from sa.automata.program import Formula
from sa.base.clock import clock
from sa.base.verdict import Verdict
from sa.checker.obligation import Case, Obligation, discharge
from sa.invariants.houdini import taking
from sa.invariants.weak import NotShown, invariant
from sa.rules.facts import Invariance
from sa.rules.strong_and_weak_invariants import automaton_of, clauses, obligations, start, wanted
from sa.scripts.result import Leaf
from sa.scripts.work import Work, add, begins, example_of, satisfiable
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: What is said of a step that breaks an invariant in a state that may not be reached.
_NOT_INDUCTIVE = "not inductive: this step breaks it, in a state that may never be reached; no strengthening was found"
_GAVE_UP = "the solver gave up"


def show_invariant(work: Work, fact: Invariance) -> Mapping[str, Term] | None:
    """Formulas by location that make it an invariant of its threads; adds the leaf that says so, or why not.

    That it is not inductive does not say that it is ever false: the leaf is then not settled. Raises LimitReached.
    """
    automaton = automaton_of(fact)
    asked = wanted(fact, automaton)
    started = clock()
    name = f"{'strong' if fact.strong else 'weak'} invariant of {automaton.name}"
    found = invariant(work.session, automaton, asked, fact.strong)
    if isinstance(found, NotShown):
        told = _not_shown(work, name, fact, automaton, found, asked)
        add(work, replace(told, seconds=clock() - started))
        return None
    for obligation in obligations(automaton, found.places, asked, fact.strong):
        failure = discharge(work.session, frozenset(), obligation)
        if failure is not None:
            where = f"{obligation.name}, {obligation.where}"
            add(work, Leaf(name, where, Verdict.UNKNOWN, failure.why, clock() - started))
            return None
    add(work, Leaf(name, "", Verdict.PROVED, "", clock() - started))
    return found.places


def _not_shown(
    work: Work,
    name: str,
    fact: Invariance,
    automaton: Automaton,
    found: NotShown,
    asked: Mapping[str, Term],
) -> Leaf:
    """The step that the formula itself is not inductive for, with values where there are any."""
    said = clauses(fact, automaton)
    where = "initially" if found.location is None else f"at {found.location.name}"
    if found.edge is not None:
        where += f", step to {found.edge.target}"
    elif found.location is not None:
        where += ", step of the environment"
    example = example_of(work, _failing(automaton, found.location, found.edge, asked, said))
    if example is None:
        return Leaf(name, where, Verdict.UNKNOWN, _GAVE_UP, 0.0)
    if found.location is None:
        certain = satisfiable(work) and begins(work, fact.side)
        verdict = Verdict.REFUTED if certain else Verdict.UNKNOWN
        return Leaf(name, where, verdict, "this initial state breaks it", 0.0, example=example)
    return Leaf(name, where, Verdict.UNKNOWN, _NOT_INDUCTIVE, 0.0, example=example)


def _failing(
    automaton: Automaton,
    place: Location | None,
    edge: Edge | None,
    asked: Mapping[str, Term],
    said: Mapping[str, tuple[Formula, ...]],
) -> Obligation:
    """What the formula by itself fails for, as an obligation."""
    if place is None:
        return replace(start(automaton, asked), clauses=said[automaton.initial])
    if edge is not None:
        after = dict(edge.updates)
        landed = substitute(location_of(automaton, edge.target).inv, after)
        known = (place.inv, asked[place.name], *taking(edge), landed)
        return _asked(known, asked[edge.target], said[edge.target], after, edge)
    assert place.env is not None
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    known = (place.inv, asked[place.name], place.env, substitute(place.inv, later))
    return _asked(known, asked[place.name], said[place.name], later, None)


def _asked(
    known: tuple[Term, ...], goal: Term, clauses: tuple[Formula, ...], after: Mapping[Var, Term], edge: Edge | None
) -> Obligation:
    moved = tuple(replace(f, term=substitute(f.term, after)) for f in clauses)
    case = Case((), build.conjuncts(substitute(goal, after)))
    return Obligation("", "", build.conjoined(known), (case,), moved, edge)
