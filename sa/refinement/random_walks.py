"""`random-walks` of `refine`: long random runs on few values that no abstract run matches, made short.

Where a difference needs several threads to be somewhere at once, the shortest play has fifty steps, and looking at all
shorter ones takes too long. With two values for each choice a random walk of some hundred steps often comes across one,
for there are few states, and few sets of abstract states that match. Then steps are left out as long as nobody
matches what is left. Few values are a guess: what is found is followed against all abstract states at last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random

from msgspec import Struct

from sa.automata.trace import Configuration, Move
from sa.base.budget import Budget, Event, Report
from sa.base.limits import check_memory, spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Position
from sa.explicit.live_variables import kept
from sa.explicit.machine import Stride
from sa.game.board import lay_out
from sa.plays.abstract_run_tracking import play_along
from sa.question.asked import GoalAsked, Lost
from sa.refinement.shorter_runs import Made, own_steps, shortened, track
from sa.refinement.sides import Sides, numbered, opened, sides
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable, evaluate
from sa.values.followers import Followers

#: How many values are tried for numbers, and the part of the steps that is made with them: two are enough for most
#: differences, and two of four are positive.
POOLS = ((2, 1.0), (4, 0.5))

#: Steps of walks, in turn.
LENGTHS = (16, 64, 256)

#: How many abstract states match a walk, and how many are looked at for one answer.
MATCHING, LOOKED_AT = 300, 500

#: An abstract state that is looked at is cheaper than a step. States are forgotten when they are so many.
LOOKS_PER_STEP, STATES = 10, 200_000

#: Units of work for a step.
A_STEP = 30

#: How often it is tried to make a play of a walk that nobody seems to match.
PLAYS = 4


class _Field(Struct, frozen=True, eq=False):
    """Where walks are made: both sides on numbered states, and the sets of abstract states that follow."""

    sides: Sides
    followers: Followers


def by_walks(steps: int, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play along a walk, of walks on two values that have about so many steps together, and of some on more values.

    Raises LimitReached.
    """
    goal = asked.goal
    if not goal.closed or goal.choose_init or goal.axioms:
        return
    session, dice, walked = Session(budget.bounds, (), budget.seed), Random(budget.seed), ("walked", goal, steps)
    if walked in asked.shared.made:
        # The same walks would find nothing again.
        return
    for pool, part in POOLS:
        report(Event("walks", {"values": pool}))
        try:
            play = _play(goal, session, pool, int(steps * part), dice)
        except Unevaluable:
            return
        if play is not None:
            yield Lost(play)
            return
    asked.shared.once(walked, lambda: True)


def _play(goal: Goal, session: Session, pool: int, steps: int, dice: Random) -> Position | None:
    """A play along one of the walks on so many values. Raises LimitReached and Unevaluable."""
    field, work, doubtful, lengths = _field(goal, session, pool), 0, PLAYS, cycle(LENGTHS)
    while work < steps and doubtful > 0:
        check_memory(session.bounds)
        begun, looks = opened(field.sides, dice), field.followers.following.looks
        if begun is None:
            return None
        walk = _walk(field, begun, next(lengths), dice)
        done = 1 + len(walk.strides) + (field.followers.following.looks - looks) // LOOKS_PER_STEP
        spend(session.bounds, A_STEP * done)
        work += done
        if walk.escapes:
            own = own_steps(goal.concrete)
            strides = shortened(field.sides.concrete.steps, own, field.followers, walk, session.bounds)
            play = _told(field.sides, session, begun, strides)
            if play is not None:
                return play
            doubtful -= 1
        if len(field.sides.concrete.rows) > STATES:
            field = _field(goal, session, pool)
    return None


def _field(goal: Goal, session: Session, pool: int) -> _Field:
    read = iota_of(goal).free
    both = sides(goal, session, (kept(goal.concrete, read), kept(goal.abstract, read)), pool, LOOKED_AT)
    return _Field(both, Followers(both.following, MATCHING))


def _walk(field: _Field, begun: tuple[Configuration, Configuration], length: int, dice: Random) -> Made:
    """A walk of so many steps; it ends before where nobody matches it, too many do, or there is no step."""
    concrete = field.sides.concrete
    here, second = numbered(concrete, begun[0]), numbered(field.sides.abstract, begun[1])

    def strides() -> Iterator[Stride]:
        state = here
        for _ in range(length):
            there = concrete.steps(state).strides
            if not there:
                return
            stride = dice.choice(there)
            yield stride
            state = stride.after

    return track(field.followers, here, second, strides())


def _told(
    board: Sides, session: Session, begun: tuple[Configuration, Configuration], strides: Sequence[Stride]
) -> Position | None:
    """The play along a run, with the values of all variables, if it is one. Raises LimitReached and Unevaluable."""
    here, moves = begun[0], list[tuple[int, Move]]()
    for stride in strides:
        edge = stride.edge
        picked = dict(zip((c.var for c in edge.choices), stride.picked, strict=True))
        known = {**here.values, **picked}
        here = Configuration(edge.target, {**here.values, **{v: evaluate(t, known) for v, t in edge.updates}})
        moves.append((board.numbers[id(edge)], Move(edge, picked, here)))
    return play_along(lay_out(board.goal), session, *begun, moves)
