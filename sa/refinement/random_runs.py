"""`random-walks` of `refine`: random concrete runs, each followed by all abstract states that may match it.

Small values and short plays come first in other engines, which need much time where the shortest play is long. Of many
such plays a random run often finds one. It proves nothing that none was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from sa.automata.trace import Configuration, Move
from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, check_memory, spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Position
from sa.explicit.live_variables import everything, kept
from sa.question.asked import GoalAsked, Lost
from sa.refinement.play_against_all import play_against_all
from sa.refinement.sides import Sides, numbered, opened, sides
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable

#: Steps of a run: short ones at first, since what they find is easier to read.
LENGTHS = (8, 16, 32, 64)

#: How many abstract states follow a run, and how many are looked at for one answer.
FOLLOWERS, LOOKED_AT = 24, 200

#: Of numbers with many values so many are tried, and so often a play of a run that nobody seems to follow.
POOL, PLAYS = 12, 8

#: So many more runs look for a shorter play, or one with smaller values.
SHORTER = 200

#: States are forgotten when they are this many.
STATES = 40_000


class _Run(NamedTuple):
    """A concrete run from related initial states, that no abstract state seems to follow to its end."""

    concrete: Configuration
    abstract: Configuration
    moves: tuple[tuple[int, Move], ...]


def by_trials(runs: int, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play along one of so many random runs. Raises LimitReached."""
    goal = asked.goal
    if not goal.closed or goal.choose_init or goal.axioms:
        return
    report(Event("runs at random", {"runs": runs}))
    session = Session(budget.bounds, (), budget.seed)
    try:
        play = _play(goal, session, runs, Random(budget.seed))
    except Unevaluable:
        return
    if play is not None:
        yield Lost(play)


def _play(goal: Goal, session: Session, runs: int, dice: Random) -> Position | None:
    """A play along a random run, and the one that reads best of those of some more runs. Raises LimitReached."""
    board, best, left, doubtful, length, least = _sides(goal, session), None, runs, PLAYS, LENGTHS[0], None
    while left > 0 and doubtful > 0:
        left -= 1
        try:
            spend(session.bounds, 300)
            check_memory(session.bounds)
            found = _run(board, length, dice)
            if found is not None and least is not None and _size(found) >= least:
                continue
            play = None if found is None else play_against_all(goal, session, *found)
        except LimitReached:
            if best is None:
                raise
            return best
        if play is not None and found is not None:
            best, left = play, min(left, SHORTER) if best is None else left
            least, length = _size(found), len(found.moves)
        elif found is not None:
            doubtful -= 1
        elif best is None:
            length = LENGTHS[(runs - left) * len(LENGTHS) // (runs + 1)]
        if len(board.concrete.rows) > STATES:
            board = _sides(goal, session)
    return best


def _sides(goal: Goal, session: Session) -> Sides:
    """Both sides of a goal, of the abstract one what matters for its answers."""
    known = everything(goal.concrete), kept(goal.abstract, iota_of(goal).free)
    return sides(goal, session, known, POOL, LOOKED_AT)


def _run(board: Sides, length: int, dice: Random) -> _Run | None:
    """A run of at most so many steps, if nobody seems to follow it to its end. Raises Unevaluable."""
    begun = opened(board, dice)
    if begun is None:
        return None
    start, second = begun
    here, front = numbered(board.concrete, start), {numbered(board.abstract, second)}
    moves = list[tuple[int, Move]]()
    for _ in range(length):
        stride = board.concrete.any(here, dice)
        if stride is None:
            return None
        picked = dict(zip((c.var for c in stride.edge.choices), stride.picked, strict=True))
        here = stride.after
        moves.append((board.numbers[id(stride.edge)], Move(stride.edge, picked, board.concrete.configuration(here))))
        front = {end for state in front for end in board.following.first(state, stride.action, here).every()}
        if not front:
            return _Run(start, second, tuple(moves))
        if len(front) > FOLLOWERS:
            return None
    return None


def _size(run: _Run) -> tuple[int, int]:
    """What makes a run hard to read: its steps, then its numbers: those near zero are easy, of two the positive one."""
    chosen = (value for _, move in run.moves for value in move.choices.values())
    values = (*run.concrete.values.values(), *run.abstract.values.values(), *chosen)
    return len(run.moves), sum(2 * abs(value) + (value < 0) for value in values if isinstance(value, int))
