"""The play along one concrete run of a closed goal against all abstract states: on values, or by formulas for them."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.play import Position
from sa.game.board import lay_out
from sa.plays.abstract_run_tracking import POSITIONS, play_along
from sa.smt.session import Session
from sa.values.play_of_run import play_of_run


def play_against_all(
    goal: Goal,
    session: Session,
    concrete: Configuration,
    abstract: Configuration,
    moves: Sequence[tuple[int, Move]],
    listed: int = POSITIONS,
) -> Position | None:
    """The play along a run with the numbers of its edges, from related initial states.

    Where abstract choices have infinitely many values, answers are listed as long as they are at most so many. None
    where some abstract state is left, or it is not known. Raises LimitReached and Unevaluable.
    """
    found = play_of_run(goal, concrete, abstract, moves, session.bounds)
    return found or play_along(lay_out(goal), session, concrete, abstract, moves, listed)
