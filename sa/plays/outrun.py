"""A concrete run that no abstract run matches, as a play: regions of all states that match so far, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.automata.trace import Configuration, Move
from sa.base.limits import check_time
from sa.certificates.goal import Goal
from sa.certificates.play import Exhausted, Passed, Position, Region, Step
from sa.game.board import Board, lay_out
from sa.game.rounds import challenge
from sa.plays.front import Front
from sa.plays.matching import Passing, TooMany, at, ends, matching, passing
from sa.plays.replies import replies, some_answers
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term


class Stage(Struct, frozen=True, eq=False):
    """A step of the run with the concrete state before it, all abstract states that match by then, and what answers

    pass.
    """

    here: Configuration
    move: Move
    begin: dict[str, list[Front]]
    passed: Passing


def outrun(
    goal: Goal, session: Session, first: Configuration, second: Configuration, run: Sequence[Move]
) -> Position | None:
    """The play along a concrete run of a closed goal from a pair of related initial states.

    None if an abstract run may match all of it. Raises LimitReached.
    """
    m, here = matching(goal, session), first
    begin, stages = {second.location: [at(m, second)]}, list[Stage]()
    try:
        for move in run:
            check_time(session.bounds)
            passed = passing(m, begin, here, move)
            stages.append(Stage(here, move, begin, passed))
            begin, here = ends(m, passed, move.after), move.after
            if not begin:
                return _told(_Telling(lay_out(goal), session, stages), 0, second)
    except TooMany:
        pass
    return None


class _Telling(Struct):
    """What a play is made of; regions are made from the last stage on."""

    board: Board
    session: Session
    stages: list[Stage]
    regions: list[tuple[Region, ...]] = []


def _told(telling: _Telling, number: int, abstract: Configuration) -> Position:
    """The position at a stage against one of the abstract states that match."""
    if not telling.regions:
        telling.regions = _regions(telling)
    stage, board = telling.stages[number], telling.board
    edges = board.goal.concrete.edges
    edge = next(n for n, e in enumerate(edges) if e is stage.move.edge)
    both = {**stage.here.values, **abstract.values}
    state = {**{v: both[v] for v in board.variables}, **stage.move.choices}
    step = challenge(board, edge, stage.move.edge)
    shown = some_answers(telling.session, board, abstract.location, step, state)
    told = list[Position]()

    def follow(end: Configuration) -> Position | None:
        """One answer that ι relates is followed; the others end in regions as it does."""
        if told or number + 1 == len(telling.stages):
            return None
        told.append(_told(telling, number + 1, end))
        return told[0]

    listed = replies(board, shown, stage.move.after, follow)
    others, through = telling.regions[number + 1], _passed(stage.passed)
    made = Step(stage.move, listed, (), Exhausted.SOLVER, build.FALSE, others, (), through)
    return Position(stage.here, abstract, made)


def _regions(telling: _Telling) -> list[tuple[Region, ...]]:
    """The regions at each stage; none behind the last one."""
    found: list[tuple[Region, ...]] = [()]
    edges = telling.board.goal.concrete.edges
    for stage in reversed(telling.stages):
        edge = next(n for n, e in enumerate(edges) if e is stage.move.edge)
        choices = tuple((v, build.constant(x, v.sort)) for v, x in stage.move.choices.items())
        concrete = [build.eq(v, build.constant(x, v.sort)) for v, x in stage.here.values.items()]
        through, then = _passed(stage.passed), found[-1]
        found.append(
            tuple(
                Region(
                    stage.here.location, location, build.land(*concrete, _any(fronts)), edge, choices, then, (), through
                )
                for location, fronts in stage.begin.items()
            )
        )
    return list(reversed(found))


def _passed(passed: Passing) -> tuple[Passed, ...]:
    return tuple(Passed(location, shown, _any(fronts)) for (location, shown), fronts in passed.items())


def _any(fronts: Sequence[Front]) -> Term:
    return build.lor(*(f.formula for f in fronts))
