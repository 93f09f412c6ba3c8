"""The engine `walks` of `refine`: long random runs on few values that no abstract run matches, made short.

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
from sa.base.limits import check_memory, check_time
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Position
from sa.explicit.kept import kept
from sa.explicit.machine import Machine, Stride, machine
from sa.explicit.picks import Picks, at_random, interesting, picks
from sa.game.board import lay_out
from sa.plays.along import play_along
from sa.question.asked import GoalAsked, Lost
from sa.refinement.shortened import Made, shortened, track
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable, evaluate
from sa.terms.term import Var
from sa.values.answers import following
from sa.values.followers import Followers
from sa.values.one_way import one_way
from sa.values.opening import opening
from sa.values.search import terms_of

#: How many values are tried for numbers, and the part of the steps that is made with them: two are enough for most
#: differences, and two of four are positive.
POOLS = ((2, 1.0), (4, 0.5))

#: Steps of walks, in turn.
LENGTHS = (16, 64, 256)

#: How many abstract states match a walk, and how many are looked at for one answer.
MATCHING, LOOKED_AT = 300, 500

#: A range with at most so many values is tried as a whole.
FEW = 8

#: An abstract state that is looked at is cheaper than a step. States are forgotten when they are so many.
LOOKS_PER_STEP, STATES = 10, 200_000

#: How often it is tried to make a start, and a play of a walk that nobody seems to match.
STARTS, PLAYS = 20, 4


class _Field(Struct, frozen=True, eq=False):
    """Where walks are made: both sides on numbered states, and how they start."""

    goal: Goal
    given: tuple[Var, ...]
    starts: Picks
    concrete: Machine
    abstract: Machine
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
        check_time(session.bounds)
        check_memory(session.bounds)
        opened, looks = _opened(field, dice), field.followers.following.looks
        if opened is None:
            return None
        walk = _walk(field, opened, next(lengths), dice)
        work += 1 + len(walk.strides) + (field.followers.following.looks - looks) // LOOKS_PER_STEP
        if walk.escapes:
            play = _told(field, session, opened, shortened(field.concrete, field.followers, walk, session.bounds))
            if play is not None:
                return play
            doubtful -= 1
        if len(field.concrete.rows) > STATES:
            field = _field(goal, session, pool)
    return None


def _field(goal: Goal, session: Session, pool: int) -> _Field:
    values, read = interesting(terms_of(goal))[:pool], iota_of(goal).free
    concrete, abstract = (machine(a, values, kept(a, read), FEW) for a in (goal.concrete, goal.abstract))
    answers = following(goal, concrete, abstract, one_way(goal, session), LOOKED_AT)
    wanted = opening(goal)
    starts = picks(wanted.formula, (), wanted.variables, values, FEW)
    given = tuple(v.var for v in wanted.variables)
    return _Field(goal, given, starts, concrete, abstract, Followers(answers, MATCHING))


def _opened(field: _Field, dice: Random) -> tuple[Configuration, Configuration] | None:
    """Initial states of both sides that are related. Raises Unevaluable."""
    for _ in range(STARTS):
        row = at_random(field.starts, (), dice)
        if row is None:
            continue
        values = dict(zip(field.given, row, strict=True))
        first, second = (
            Configuration(side.initial, {v.var: values[v.var] for v in side.variables})
            for side in (field.goal.concrete, field.goal.abstract)
        )
        if field.followers.following.keeps(_number(field.concrete, first), _number(field.abstract, second)):
            return first, second
    return None


def _number(side: Machine, state: Configuration) -> int:
    return side.looks(side.number_of[state.location], tuple(state.values[v] for v in side.order))


def _walk(field: _Field, opened: tuple[Configuration, Configuration], length: int, dice: Random) -> Made:
    """A walk of so many steps; it ends before where nobody matches it, too many do, or there is no step."""
    here, second = _number(field.concrete, opened[0]), _number(field.abstract, opened[1])

    def strides() -> Iterator[Stride]:
        state = here
        for _ in range(length):
            there = field.concrete.steps(state).strides
            if not there:
                return
            stride = dice.choice(there)
            yield stride
            state = stride.after

    return track(field.followers, here, second, strides())


def _told(
    field: _Field, session: Session, opened: tuple[Configuration, Configuration], strides: Sequence[Stride]
) -> Position | None:
    """The play along a run, with the values of all variables, if it is one. Raises LimitReached and Unevaluable."""
    goal, here, moves = field.goal, opened[0], list[tuple[int, Move]]()
    numbers = {id(e): n for n, e in enumerate(goal.concrete.edges)}
    for stride in strides:
        edge = stride.edge
        picked = dict(zip((c.var for c in edge.choices), stride.picked, strict=True))
        known = {**here.values, **picked}
        here = Configuration(edge.target, {**here.values, **{v: evaluate(t, known) for v, t in edge.updates}})
        moves.append((numbers[id(edge)], Move(edge, picked, here)))
    return play_along(lay_out(goal), session, *opened, moves)
