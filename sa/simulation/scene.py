"""Positions of a play from states of the board, and the models that plays are made of.

A user reads these values, so among models those are preferred that change little and have small numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sa.automata.trace import Configuration, Move
from sa.certificates.play import Broken, Drift, Position
from sa.simulation import board as boards
from sa.simulation.board import Board, Pair
from sa.simulation.rounds import Challenge
from sa.simulation.wander import wander
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.sort import INT, Value, default_value
from sa.terms.term import Term, Var


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
        position = Position(concrete, abstract, Drift(last, through, identity, position))
    return position


def pleasant(session: Session, formulas: Sequence[Term], wanted: Sequence[Var]) -> dict[Var, Value] | None:
    """Values that satisfy the formulas, small natural numbers if possible; None if there are none to be trusted."""
    numbers = [v for v in wanted if v.sort == INT]
    natural = [build.le(build.ZERO, v) for v in numbers]
    small = [build.le(v, build.integer(9)) for v in numbers]
    for preference in ((*natural, *small), natural, ()):
        reply = session.check((*(f for f in formulas if f is not build.TRUE), *preference))
        if isinstance(reply, Sat):
            return {v: reply.values.get(v, default_value(v.sort)) for v in wanted} if reply.trusted else None
    return None


def near(session: Session, formulas: Sequence[Term], wanted: Sequence[Var], now: State) -> dict[Var, Value] | None:
    """As `pleasant`, with as many of the variables of `now` at their values there as a greedy search can keep."""
    kept = list[Term]()
    for var, value in now.items():
        same = build.eq(var, build.constant(value, var.sort))
        if isinstance(session.check((*formulas, *kept, same)), Sat):
            kept.append(same)
    return pleasant(session, (*formulas, *kept), wanted)
