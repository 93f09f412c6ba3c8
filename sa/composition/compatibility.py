"""Compatibility (Definition 2): every step of a thread is one that the others' environments allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.composition.product import apart
from sa.smt.session import Answer, Session, Unsat
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term


@dataclass(frozen=True, slots=True)
class Incompatible:
    """A step of `actor` at which `observer`, at `location`, is in an environment that does not allow it.

    `answer` is the solver's: a state in which it happens, or that it could not tell.
    """

    actor: Automaton
    edge: Edge
    observer: Automaton
    location: Location
    answer: Answer


def incompatibilities(session: Session, threads: tuple[Automaton, ...]) -> Iterator[Incompatible]:
    """All failures of compatibility between threads whose environments are given, pair by pair."""
    for actor in threads:
        for observer in threads:
            if actor is not observer:
                yield from _between(session, apart(actor), apart(observer))


def _between(session: Session, actor: Automaton, observer: Automaton) -> Iterator[Incompatible]:
    shared = variables_of(actor, Kind.GLOBAL)
    invariants = {q.name: q.inv for q in actor.locations}
    settled: dict[tuple[Term, ...], Answer] = {}
    for edge in actor.edges:
        after = dict(edge.updates)
        taken = build.land(invariants[edge.source], edge.guard, substitute(invariants[edge.target], after))
        following = {primed(v): after.get(v, v) for v in shared}
        for location in observer.locations:
            if location.env is None:
                continue
            allowed = substitute(location.env, following)
            kept = substitute(location.inv, {v: after.get(v, v) for v in shared})
            question = (taken, location.inv, build.lnot(build.land(allowed, kept)))
            if question not in settled:
                settled[question] = session.check(q for q in question if q is not build.TRUE)
            answer = settled[question]
            if not isinstance(answer, Unsat):
                yield Incompatible(actor, edge, observer, location, answer)
