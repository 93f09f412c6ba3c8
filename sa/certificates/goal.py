"""What a single refinement claims: the data that the engine gets and the checker rebuilds."""

from __future__ import annotations

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Formula
from sa.terms.build import land
from sa.terms.term import Term


class Goal(Struct, frozen=True, cache_hash=True):
    """`concrete ⪯ abstract` w.r.t. `kappa` and `iota` (paper, Definition 6; THEORY sections 3 and 7).

    All variables of the two automata but the parameters are named `conc.x` and `abs.x`; the automata
    here are already renamed so, their `env` is never None and is reflexive. `closed` says that both
    environments are the identity. `matched` says that the matching of environments is part of the claim:
    it is where they are declared, not where they stand for the other threads of a program. `choose_init`
    lets the abstract side choose the initial values that `kappa` leaves open. The conjuncts of `iota` and
    `kappa` keep their places for messages. Where `loops_end`, an abstract run that goes on for ever silently is
    undefined, so that it matches whatever the concrete side does. Concrete threads that are `serving` others need not
    come to an end: that they wait is no standstill.
    """

    name: str
    concrete: Automaton
    abstract: Automaton
    kappa: tuple[Formula, ...]
    iota: tuple[Formula, ...]
    axioms: tuple[Axiom, ...]
    closed: bool
    choose_init: bool
    added_identity: bool
    matched: bool = True
    loops_end: bool = False
    serving: tuple[str, ...] = ()


def kappa_of(goal: Goal) -> Term:
    """κ as one formula."""
    return land(*(f.term for f in goal.kappa))


def matches_environments(goal: Goal) -> bool:
    """Whether every concrete environment step must have an abstract match (THEORY section 7)."""
    return goal.matched and not goal.closed


def iota_of(goal: Goal) -> Term:
    """ι as one formula."""
    return land(*(f.term for f in goal.iota))
