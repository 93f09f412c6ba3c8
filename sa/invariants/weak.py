"""Weak and strong invariants of an automaton (Definitions 4 and 5), shown by induction over its locations.

A strong invariant holds whatever the environment does; a weak one as long as environment steps keep it. Where the
formula is not inductive by itself, invariants of the locations are looked for under which it is. What is found is
for `checker.invariants` to confirm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.automata.ranges import within
from sa.base.limits import Limits
from sa.smt.horn import Atom, Clause, Solution, solve
from sa.smt.session import Answer, Session, Unsat
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Call, Forall, Term, Var, children

#: Solver resources for invariants of locations.
RLIMIT = 20_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """Formulas by location that imply the invariant and are closed under all steps that count."""

    places: Mapping[str, Term]


@dataclass(frozen=True, slots=True)
class NotShown:
    """A step from a state where the formula holds to one where it does not: initially where there is no location.

    `edge` is None for the environment. `answer` has the values, or that the solver could not tell. The state need
    not be one that is ever reached.
    """

    location: Location | None
    edge: Edge | None
    answer: Answer


Induction: TypeAlias = Held | NotShown


def invariant(session: Session, automaton: Automaton, formula: Term, strong: bool) -> Induction:
    """Whether the formula is an invariant of the automaton, whose environments are given. Raises LimitReached."""
    fault = next(
        _faults(session, automaton, dict.fromkeys((q.name for q in automaton.locations), formula), strong), None
    )
    if fault is None:
        return Held({q.name: formula for q in automaton.locations})
    found = _solved(automaton, formula, strong, session.bounds)
    if found is None or next(_faults(session, automaton, found, strong, formula), None) is not None:
        return fault
    return Held(found)


def _faults(
    session: Session, automaton: Automaton, places: Mapping[str, Term], strong: bool, wanted: Term | None = None
) -> Iterator[NotShown]:
    """What keeps formulas by location from being inductive, and from implying what is wanted."""
    inv = {q.name: q.inv for q in automaton.locations}
    first = automaton.initial
    yield from _unless(session, (automaton.init, inv[first]), places[first], None, None)
    for edge in automaton.edges:
        after = dict(edge.updates)
        here = next(q for q in automaton.locations if q.name == edge.source)
        known = (*taking(edge), inv[edge.source], places[edge.source], substitute(inv[edge.target], after))
        yield from _unless(session, known, substitute(places[edge.target], after), here, edge)
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    for place in automaton.locations:
        here_now = places[place.name]
        if wanted is not None:
            yield from _unless(session, (place.inv, here_now), wanted, place, None)
        assert place.env is not None
        kept = () if strong or wanted is None else (substitute(wanted, later),)
        if strong or wanted is not None:
            known = (place.inv, here_now, place.env, substitute(place.inv, later), *kept)
            yield from _unless(session, known, substitute(here_now, later), place, None)


def taking(edge: Edge) -> tuple[Term, ...]:
    """That an edge is taken, in the state before it."""
    return (edge.guard, *(within(c) for c in edge.choices))


def _unless(
    session: Session, known: tuple[Term, ...], goal: Term, place: Location | None, edge: Edge | None
) -> Iterator[NotShown]:
    if goal is build.TRUE or goal in known:
        return
    answer = session.check((*(k for k in known if k is not build.TRUE), build.lnot(goal)))
    if not isinstance(answer, Unsat):
        yield NotShown(place, edge, answer)


def _solved(automaton: Automaton, formula: Term, strong: bool, bounds: Limits) -> dict[str, Term] | None:
    """Formulas by location from Spacer; None where there are none to be had, or where functions are in the way."""
    if _beyond_horn(automaton, formula):
        return None
    variables = tuple(v.var for v in automaton.variables)
    places = {q.name: q for q in automaton.locations}
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    clauses = [Clause((), build.land(automaton.init, places[automaton.initial].inv), _at(automaton.initial, variables))]
    for edge in automaton.edges:
        after = dict(edge.updates)
        known = (places[edge.source].inv, *taking(edge), substitute(places[edge.target].inv, after))
        there = _at(edge.target, tuple(after.get(v, v) for v in variables))
        clauses.append(Clause((_at(edge.source, variables),), build.land(*known), there))
    for place in automaton.locations:
        here = _at(place.name, variables)
        assert place.env is not None
        kept = build.TRUE if strong else substitute(formula, later)
        moved = build.land(place.inv, place.env, substitute(place.inv, later), kept)
        clauses.append(Clause((here,), moved, _at(place.name, tuple(later.get(v, v) for v in variables))))
        clauses.append(Clause((here,), build.land(place.inv, build.lnot(formula)), None))
    answer = solve({_name(q.name): variables for q in automaton.locations}, clauses, bounds, RLIMIT)
    if not isinstance(answer, Solution):
        return None
    return {q.name: answer.predicates[_name(q.name)] for q in automaton.locations}


def _name(location: str) -> str:
    return f"at {location}"


def _at(location: str, arguments: tuple[Term, ...]) -> Atom:
    return Atom(_name(location), arguments)


def _beyond_horn(automaton: Automaton, formula: Term) -> bool:
    terms = [formula, automaton.init]
    terms += [t for q in automaton.locations for t in (q.inv, q.env) if t is not None]
    terms += [t for e in automaton.edges for t in (e.guard, *(u for _, u in e.updates))]
    return any(called(t) for t in terms)


def called(term: Term) -> bool:
    """Whether a term has functions or quantifiers in it."""
    waiting, seen = [term], set[Term]()
    while waiting:
        here = waiting.pop()
        if isinstance(here, Forall | Call):
            return True
        if here not in seen:
            seen.add(here)
            waiting.extend(children(here))
    return False
