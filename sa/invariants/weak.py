"""Weak and strong invariants of an automaton (Definitions 4 and 5), shown by induction over its locations.

A strong invariant holds whatever the environment does; a weak one as long as environment steps keep it. Where the
formula is not inductive by itself, invariants of the locations are looked for under which it is: conjunctions of
candidates first, then whatever Spacer finds. What is found is for `proofs.local` to confirm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.invariants.conjunctions import conjunctions
from sa.invariants.houdini import candidates, has_functions, taking
from sa.smt.horn import Atom, Clause, Solution, solve
from sa.smt.session import Answer, Session, Unsat
from sa.terms import build
from sa.terms.compile import Row
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Solver resources for invariants of locations, and for each question while they are looked for.
RLIMIT, SOON = 20_000_000, 500_000


class Held(Struct, frozen=True):
    """Formulas by location that imply the invariant and are closed under all steps that count."""

    places: Mapping[str, Term]


class NotShown(Struct, frozen=True):
    """A step from a state where the formula holds to one where it does not: initially where there is no location.

    `edge` is None for the environment. `answer` has the values, or that the solver could not tell. The state need
    not be one that is ever reached.
    """

    location: Location | None
    edge: Edge | None
    answer: Answer


Induction: TypeAlias = Held | NotShown


def invariant(session: Session, automaton: Automaton, wanted: Mapping[str, Term], strong: bool) -> Induction:
    """Whether formulas by location are an invariant of the automaton, whose environments are given.

    Raises LimitReached.
    """
    # Functions make the solver look for a long time for what is not there; proofs are found soon.
    asked = session.again(SOON) if _beyond_horn(automaton, wanted.values()) else session
    fault = next(_faults(asked, automaton, wanted, wanted, strong), None)
    if fault is None:
        return Held(wanted)
    for strengthened in (_by_candidates, _solved):
        found = strengthened(asked, automaton, wanted, strong)
        if found is not None and next(_faults(asked, automaton, found, wanted, strong), None) is None:
            return Held(found)
    return fault


def inductive(
    session: Session, automaton: Automaton, offered: Mapping[str, Sequence[Term]], counts: Mapping[str, Term]
) -> dict[str, Term]:
    """The strongest conjunctions of what is offered that hold at the locations and that no step breaks (Houdini).

    Of the environment those steps count after which the formula in `counts` holds, or all. Where no step leads, all
    that is offered holds, or FALSE. Raises LimitReached.
    """
    places = {_name(q.name): q.name for q in automaton.locations}
    variables = tuple(v.var for v in automaton.variables)
    parameters = dict.fromkeys(places, variables)
    candidates_at = {name: tuple(dict.fromkeys(offered[q])) for name, q in places.items()}
    nothing: dict[str, tuple[Row, ...]] = dict.fromkeys(places, ())
    clauses = tuple(_steps(automaton, counts))
    found = conjunctions(session, parameters, clauses, candidates_at, session.bounds, nothing)
    return {q: found[name] for name, q in places.items()}


def _by_candidates(session: Session, automaton: Automaton, wanted: Mapping[str, Term], strong: bool) -> dict[str, Term]:
    likely = candidates(automaton, wanted)
    offered = {q: (*build.conjuncts(formula), *likely) for q, formula in wanted.items()}
    return inductive(session, automaton, offered, {} if strong else wanted)


def _faults(
    session: Session, automaton: Automaton, places: Mapping[str, Term], wanted: Mapping[str, Term], strong: bool
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
        yield from _unless(session, (place.inv, here_now), wanted[place.name], place, None)
        assert place.env is not None
        kept = () if strong else (substitute(wanted[place.name], later),)
        known = (place.inv, here_now, place.env, substitute(place.inv, later), *kept)
        yield from _unless(session, known, substitute(here_now, later), place, None)


def _unless(
    session: Session, known: tuple[Term, ...], goal: Term, place: Location | None, edge: Edge | None
) -> Iterator[NotShown]:
    if goal is build.TRUE or goal in known:
        return
    answer = session.check((*(k for k in known if k is not build.TRUE), build.lnot(goal)))
    if not isinstance(answer, Unsat):
        yield NotShown(place, edge, answer)


def _solved(session: Session, automaton: Automaton, wanted: Mapping[str, Term], strong: bool) -> dict[str, Term] | None:
    """Formulas by location from Spacer; None where there are none to be had, or where functions are in the way."""
    if _beyond_horn(automaton, wanted.values()):
        return None
    variables = tuple(v.var for v in automaton.variables)
    clauses = list(_steps(automaton, {} if strong else wanted))
    for place in automaton.locations:
        never = build.land(place.inv, build.lnot(wanted[place.name]))
        clauses.append(Clause((_at(place.name, variables),), never, None))
    answer = solve({_name(q.name): variables for q in automaton.locations}, clauses, session.bounds, RLIMIT)
    if not isinstance(answer, Solution):
        return None
    return {q.name: answer.predicates[_name(q.name)] for q in automaton.locations}


def _steps(automaton: Automaton, counts: Mapping[str, Term]) -> Iterator[Clause]:
    """Where an automaton begins, and what its steps and those of its environment lead to, in a predicate a location."""
    variables = tuple(v.var for v in automaton.variables)
    inv = {q.name: q.inv for q in automaton.locations}
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    first = automaton.initial
    yield Clause((), build.land(automaton.init, inv[first]), _at(first, variables))
    for edge in automaton.edges:
        after = dict(edge.updates)
        known = (inv[edge.source], *taking(edge), substitute(inv[edge.target], after))
        there = _at(edge.target, tuple(after.get(v, v) for v in variables))
        yield Clause((_at(edge.source, variables),), build.land(*known), there)
    for place in automaton.locations:
        assert place.env is not None
        matters = substitute(counts.get(place.name, build.TRUE), later)
        moved = build.land(place.inv, place.env, substitute(place.inv, later), matters)
        yield Clause((_at(place.name, variables),), moved, _at(place.name, tuple(later.get(v, v) for v in variables)))


def _name(location: str) -> str:
    return f"at {location}"


def _at(location: str, arguments: tuple[Term, ...]) -> Atom:
    return Atom(_name(location), arguments)


def _beyond_horn(automaton: Automaton, wanted: Iterable[Term]) -> bool:
    terms = [*wanted, automaton.init]
    terms += [t for q in automaton.locations for t in (q.inv, q.env) if t is not None]
    terms += [t for e in automaton.edges for t in (e.guard, *(u for _, u in e.updates))]
    return any(has_functions(t) for t in terms)
