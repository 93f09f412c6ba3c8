"""Environments of whole automata: doing nothing, and what was declared made reflexive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.base.limits import Limits
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed, substitution
from sa.terms.term import Term, Var


def identity(variables: Sequence[Var]) -> Term:
    """The relation that changes none of the variables."""
    return build.land(*(build.eq(primed(v), v) for v in variables))


def closed(automaton: Automaton) -> Automaton:
    """The automaton in an environment that changes nothing."""
    still = identity(variables_of(automaton, Kind.GLOBAL))
    return replace(automaton, locations=tuple(replace(q, env=still) for q in automaton.locations))


def declared(automaton: Automaton) -> bool:
    """Whether some location has a declared environment."""
    return any(q.env is not None for q in automaton.locations)


def reflexive(automaton: Automaton) -> tuple[Automaton, bool]:
    """The automaton with environments that may do nothing, and whether that had to be added anywhere.

    Where nothing is said of the environment it may do anything (THEORY section 1).
    """
    variables = variables_of(automaton, Kind.GLOBAL)
    still = substitution({primed(v): v for v in variables})
    places = tuple(replace(q, env=build.TRUE) if q.env is None else q for q in automaton.locations)
    restless = {said for said in dict.fromkeys(map(_said, places)) if not _contains_identity(*said, still)}
    idle = identity(variables)
    made = (replace(q, env=build.lor(q.env or build.TRUE, idle)) if _said(q) in restless else q for q in places)
    return replace(automaton, locations=tuple(made)), bool(restless)


def _said(place: Location) -> tuple[Term, Term]:
    return place.env or build.TRUE, place.inv


def _contains_identity(env: Term, inv: Term, still: Callable[[Term], Term]) -> bool:
    stays = still(env)
    return stays is build.TRUE or Session(Limits()).implied(stays, (inv,))
