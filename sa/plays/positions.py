"""Positions of a play from states of the board."""

from __future__ import annotations

from collections.abc import Callable

from sa.automata.trace import Configuration, Move
from sa.certificates.play import Broken, EnvironmentMove, Position
from sa.environments.stepwise import wander
from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.game.rounds import Challenge
from sa.smt.session import Session
from sa.terms.evaluate import State, evaluate, holds


class Survives(Exception):
    """Duplicator has an answer that nothing excludes, or the answers could not be exhausted."""


def sides(board: Board, pair: Pair, state: State) -> tuple[Configuration, Configuration]:
    """A state of a pair as a concrete and an abstract configuration."""
    full = boards.full_state(board, state)
    first = {v.var: full[v.var] for v in board.goal.concrete.variables}
    second = {v.var: full[v.var] for v in board.goal.abstract.variables}
    return Configuration(pair[0], first), Configuration(pair[1], second)


def broken(board: Board, concrete: Configuration, abstract: Configuration) -> Broken | None:
    """The first conjunct of ι that two configurations break."""
    both = {**concrete.values, **abstract.values}
    for formula in board.goal.iota:
        if not holds(formula.term, both):
            return Broken(formula, concrete, abstract)
    return None


def move_of(concrete: Configuration, step: Challenge, picked: State) -> Move:
    """The concrete step with these choices."""
    here = {**concrete.values, **picked}
    after = {**concrete.values, **{v: evaluate(t, here) for v, t in step.edge.updates}}
    return Move(step.edge, dict(picked), Configuration(step.edge.target, after))


def drifting(
    session: Session, board: Board, pair: Pair, before: State, after: State, then: Callable[[], Position]
) -> Position:
    """The environments' moves between two states of a pair, and what follows. Raises Survives."""
    if all(before[v] == after[v] for v in board.variables):
        return then()
    stops = wander(session, board, pair, before, after)
    if stops is None:
        raise Survives("the environments' moves could not be made step by step")
    position = then()
    for stop in reversed(stops):
        concrete, abstract = sides(board, pair, stop.before)
        last, _ = sides(board, pair, stop.after)
        through = tuple(Configuration(pair[1], values) for values in stop.abstract)
        identity = board.goal.added_identity and stop.stays
        position = Position(concrete, abstract, EnvironmentMove(last, through, identity, position))
    return position
