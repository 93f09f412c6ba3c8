"""Environments of whole automata: doing nothing, and what was declared made reflexive."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.terms import build
from sa.terms.substitute import primed
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
