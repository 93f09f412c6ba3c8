"""Checks the evidence for REFUTED: replays Spoiler's strategy move by move (THEORY sections 2 to 4).

Every move must be possible, every leaf a loss, and the answers listed all there are. Evaluation decides,
except where the play says that a set is infinite: there the solver must exclude what is not listed.
What a play says in explanation (`refusals`) proves nothing and is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sa.base.limits import Limits, spend
from sa.certificates.goal import Goal
from sa.certificates.interpreted import interpreted_goal
from sa.certificates.play import (
    BrokenAtStart,
    Chosen,
    Interpreted,
    PlainPlay,
    Play,
    Position,
    Uncovered,
    following,
)
from sa.checker.answers import NotEnumerable
from sa.checker.meaning import meaning_fault
from sa.checker.moves import move_faults
from sa.checker.openings import broken_at_start, chosen, start_faults, uncovered
from sa.checker.replay import Replay, replay
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.scope import goal_fault
from sa.checker.solvers import Z3, Solvers
from sa.terms.evaluate import Unevaluable


def check_play(goal: Goal, play: Play, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the play refutes the goal. Raises LimitReached, and SolverDisagrees on an internal error."""
    fault = goal_fault(goal)
    if fault is not None:
        return Rejected("well-formed goal", fault)
    if isinstance(play, Interpreted):
        failure = meaning_fault(goal, play.meaning, bounds, seed, solvers)
        if failure is not None:
            return failure
        goal, play = interpreted_goal(goal, play.meaning), play.play
    try:
        return next(_faults(replay(goal, bounds, seed, solvers), play), Accepted())
    except Unevaluable as problem:
        return Rejected("evaluation", f"{problem} has no value")
    except NotEnumerable as problem:
        return Rejected("enumeration", str(problem))


def _faults(r: Replay, play: PlainPlay) -> Iterator[Failure]:
    match play:
        case Position():
            yield from start_faults(r, play.concrete, play.abstract)
            yield from _strategy(r, play)
        case BrokenAtStart():
            yield from broken_at_start(r, play)
        case Uncovered():
            yield from uncovered(r, play)
        case Chosen():
            yield from chosen(r, play)
            for opening in play.openings:
                if isinstance(opening, Position):
                    yield from _strategy(r, opening)
        case _:
            assert_never(play)


def _strategy(r: Replay, start: Position) -> Iterator[Failure]:
    """Each position once, depth first, so that a play in a circle, which proves nothing, is seen.

    Positions are told apart by identity: comparing whole subtrees would take for ever.
    """
    stack = [(start, _positions(start))]
    entered, left = {id(start)}, set[int]()
    yield from move_faults(r, start)
    while stack:
        here, rest = stack[-1]
        then = next(rest, None)
        if then is None:
            stack.pop()
            left.add(id(here))
        elif id(then) not in entered:
            spend(r.bounds, 250)
            yield from move_faults(r, then)
            entered.add(id(then))
            stack.append((then, _positions(then)))
        elif id(then) not in left:
            yield Rejected("end", "the play contains a cycle")


def _positions(here: Position) -> Iterator[Position]:
    return (then for then in following(here) if isinstance(then, Position))
