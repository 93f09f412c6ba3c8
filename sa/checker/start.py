"""Obligations about initial states: coverage (THEORY section 7) and Definition 6, condition 1."""

from __future__ import annotations

from collections.abc import Iterator

from sa.certificates.goal import kappa_of
from sa.checker.claim import Claim, related
from sa.checker.obligation import Case, Obligation
from sa.checker.side import invariant, renamed, state_variables
from sa.terms.build import conjuncts
from sa.terms.term import Term


def coverage(made: Claim) -> Obligation:
    """Every concrete initial state has an abstract one that κ relates to it.

    Where the abstract side chooses, it has one that κ relates to it and Ψ contains.
    """
    return Obligation("initial coverage", "", _concrete_start(made), tuple(_openings(made)))


def start(made: Claim) -> Obligation:
    """Ψ contains every pair of initial states that κ relates."""
    hypotheses = (*_concrete_start(made), *_abstract_start(made))
    psi = related(made, made.goal.concrete.initial, made.goal.abstract.initial)
    return Obligation("start", "", hypotheses, (Case((), psi),))


def _concrete_start(made: Claim) -> tuple[Term, ...]:
    initial = made.goal.concrete.initial
    return (*conjuncts(made.goal.concrete.init), *invariant(made.concrete, initial))


def _abstract_start(made: Claim) -> tuple[Term, ...]:
    initial = made.goal.abstract.initial
    own = (*conjuncts(made.goal.abstract.init), *invariant(made.abstract, initial))
    return (*own, *conjuncts(kappa_of(made.goal)))


def _openings(made: Claim) -> Iterator[Case]:
    wanted = _abstract_start(made)
    if made.goal.choose_init:
        wanted = (*wanted, *related(made, made.goal.concrete.initial, made.goal.abstract.initial))
    for opening in made.openings:
        given = dict(opening)
        left = tuple(v for v in state_variables(made.abstract) if v not in given)
        yield Case(left, renamed(wanted, given))
