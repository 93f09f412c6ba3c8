"""The engine `trials` of `refine`: concrete runs at random, each followed by all abstract states that may match it.

Small values and short plays come first in other engines, which need much time where the shortest play is long. Of many
such plays a random run often finds one. It proves nothing that none was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from msgspec import Struct

from sa.automata.trace import Configuration, Move
from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, check_memory, check_time
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Position
from sa.explicit.kept import Kept, everything, kept
from sa.explicit.machine import Machine, machine
from sa.explicit.picks import Picks, at_random, interesting, picks
from sa.game.board import lay_out
from sa.plays.along import play_along
from sa.question.asked import GoalAsked, Lost
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable
from sa.terms.term import Var
from sa.values.answers import Following, following
from sa.values.one_way import one_way
from sa.values.opening import opening
from sa.values.search import terms_of

#: Steps of a run: short ones at first, since what they find is easier to read.
LENGTHS = (8, 16, 32, 64)

#: How many abstract states follow a run, and how many are looked at for one answer.
FOLLOWERS, LOOKED_AT = 24, 200

#: A range with at most so many values is tried as a whole, of other numbers so many are.
FEW, POOL = 8, 12

#: How often it is tried to make a start, or a play of a run that nobody seems to follow.
STARTS, PLAYS = 20, 8

#: So many more runs look for a shorter play, or one with smaller values.
SHORTER = 200

#: States are forgotten when they are this many.
STATES = 40_000


class _Run(NamedTuple):
    """A concrete run from related initial states, that no abstract state seems to follow to its end."""

    concrete: Configuration
    abstract: Configuration
    moves: tuple[tuple[int, Move], ...]


class Runs(Struct, frozen=True, eq=False):
    """What runs are made of: both sides on numbered states, their start, and the numbers of the concrete edges."""

    goal: Goal
    given: tuple[Var, ...]
    starts: Picks
    concrete: Machine
    abstract: Machine
    following: Following
    numbers: dict[int, int]


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
    board, best, left, doubtful, length, least = runs_of(goal, session), None, runs, PLAYS, LENGTHS[0], None
    while left > 0 and doubtful > 0:
        left -= 1
        try:
            check_time(session.bounds)
            check_memory(session.bounds)
            found = _run(board, length, dice)
            if found is not None and least is not None and _size(found) >= least:
                continue
            play = None if found is None else play_along(lay_out(goal), session, *found)
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
            board = runs_of(goal, session)
    return best


def runs_of(goal: Goal, session: Session) -> Runs:
    """Both sides of a goal on numbered states, of the abstract one what matters for its answers."""
    return runs_on(goal, session, kept(goal.abstract, iota_of(goal).free), POOL, LOOKED_AT)


def runs_on(goal: Goal, session: Session, known: Kept, pooled: int, looked_at: int) -> Runs:
    """The same with what is `known` of abstract states, so many values, and so many looks for each answer."""
    pool = interesting(terms_of(goal))[:pooled]
    concrete = machine(goal.concrete, pool, everything(goal.concrete), FEW)
    abstract = machine(goal.abstract, pool, known, FEW)
    ends = following(goal, concrete, abstract, one_way(goal, session), looked_at)
    wanted, numbers = opening(goal), {id(e): n for n, e in enumerate(goal.concrete.edges)}
    given, starts = tuple(v.var for v in wanted.variables), picks(wanted.formula, (), wanted.variables, pool, FEW)
    return Runs(goal, given, starts, concrete, abstract, ends, numbers)


def _run(board: Runs, length: int, dice: Random) -> _Run | None:
    """A run of at most so many steps, if nobody seems to follow it to its end. Raises Unevaluable."""
    begun = opened(board, dice)
    if begun is None:
        return None
    here, second = begun
    start, front = board.concrete.configuration(here), {numbered(board.abstract, second)}
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


def opened(board: Runs, dice: Random) -> tuple[int, Configuration] | None:
    """Initial states of both sides that are related."""
    for _ in range(STARTS):
        row = at_random(board.starts, (), dice)
        if row is None:
            continue
        values = dict(zip(board.given, row, strict=True))
        first, second = (
            Configuration(side.initial, {v.var: values[v.var] for v in side.variables})
            for side in (board.goal.concrete, board.goal.abstract)
        )
        here = numbered(board.concrete, first)
        if board.following.keeps(here, numbered(board.abstract, second)):
            return here, second
    return None


def numbered(side: Machine, state: Configuration) -> int:
    """The number of a state in which all variables have values."""
    return side.looks(side.number_of[state.location], tuple(state.values[v] for v in side.order))
