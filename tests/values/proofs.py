"""Proofs by pairs of states, as the engine makes them."""

from __future__ import annotations

from sa.base.limits import Limits, limits
from sa.certificates.goal import Goal
from sa.certificates.pairs import StatePairs
from sa.game.board import lay_out
from sa.game.opening import Covered, cover
from sa.question.goals import goals
from sa.smt.session import Session
from sa.values.search import search
from sa.values.search_bounds import Closed, Sought
from tests.endtoend.asking import read

PATIENT = Sought(200_000, few=10_000, states=100_000, all_or_nothing=True)


def asked(abstract: str, concrete: str) -> Goal:
    """The goal about two whole programs."""
    return goals(*read(abstract, concrete), whole=True)[0]


def proof_of(goal: Goal) -> StatePairs | None:
    """The proof that the search finds."""
    found = search(goal, limits(60.0, None), PATIENT)
    covered = cover(Session(Limits()), lay_out(goal))
    if not isinstance(found, Closed) or not isinstance(covered, Covered):
        return None
    return StatePairs(
        found.concrete, found.abstract, found.pairs, tuple(tuple(opening.items()) for opening in covered.openings)
    )
