"""Environment moves step by step: from one pair of states to another by exact steps of both environments."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from msgspec import Struct

from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.evaluate import State, evaluate
from sa.terms.name import staged
from sa.terms.sort import Value, default_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: How many moves are tried; environments may stay, so that more of them include fewer. A counter takes many.
MOVES = (1, 2, 3, 4, 8, 16)

#: How many abstract steps in one move are tried.
STEP_BOUND = 4


class Stop(Struct, frozen=True):
    """One move: reduced states before and after, the abstract states passed (full), and whether a side stays."""

    before: State
    after: State
    abstract: tuple[Mapping[Var, Value], ...]
    stays: bool


def wander(session: Session, board: Board, pair: Pair, before: State, after: State) -> tuple[Stop, ...] | None:
    """Moves that lead from one state of the pair to the other, None if none are found within the bounds."""
    direct = _direct(board, pair, before, after)
    if direct is not None:
        return (direct,)
    for count in MOVES:
        states = _waypoints(session, board, pair, before, after, count)
        if states is None:
            continue
        stops = [_stop(session, board, pair, s, t) for s, t in pairwise(states) if s != t]
        if all(s is not None for s in stops):
            return tuple(s for s in stops if s is not None)
    return None


def _direct(board: Board, pair: Pair, before: State, after: State) -> Stop | None:
    """One move with at most one abstract step, if that leads there: found without the solver."""
    start, end = boards.full_state(board, before), boards.full_state(board, after)
    first = {v: build.constant(x, v.sort) for v, x in start.items()}
    last = {v: build.constant(x, v.sort) for v, x in end.items()}
    if _concrete(board, pair, first, last) is not build.TRUE:
        return None
    stays = all(start[v] == end[v] for v in board.concrete.globals)
    if _same(board, first, last) is build.TRUE:
        return Stop(before, after, (), stays)
    if _abstract(board, pair, first, last) is not build.TRUE:
        return None
    return Stop(before, after, ({v.var: end[v.var] for v in board.goal.abstract.variables},), stays)


def _waypoints(
    session: Session, board: Board, pair: Pair, before: State, after: State, count: int
) -> list[State] | None:
    """States `count` moves apart; abstract sequences may be up to STEP_BOUND steps long in each."""
    names = [_copy(board, before, after, i, count) for i in range(count + 1)]
    question = list[Term]()
    for i in range(count):
        question.append(_concrete(board, pair, names[i], names[i + 1]))
        question.append(_abstract_within(board, pair, names[i], names[i + 1], i))
        if i + 1 < count:
            question.append(_related(board, names[i + 1]))
    reply = session.check(q for q in question if q is not build.TRUE)
    if not isinstance(reply, Sat):
        return None
    full = [{v: _value(t, reply.values) for v, t in name.items()} for name in names]
    return [{v: state[v] for v in board.variables} for state in full]


def _value(term: Term, values: State) -> Value:
    return evaluate(term, {**{v: default_value(v.sort) for v in term.free}, **values})


def _copy(board: Board, before: State, after: State, index: int, count: int) -> dict[Var, Term]:
    """Every variable's value at a waypoint: known at both ends, and throughout where no environment changes it."""
    ends = boards.full_state(board, before if index < count else after)
    known = {v: build.constant(x, v.sort) for v, x in ends.items()}
    if index in (0, count):
        return dict(known)
    moving = frozenset((*board.concrete.globals, *board.abstract.globals))
    return {v: build.variable(staged(v.name, index), v.sort) if v in moving else t for v, t in known.items()}


def _step(env: Term, variables: tuple[Var, ...], first: Mapping[Var, Term], second: Mapping[Var, Term]) -> Term:
    return substitute(env, {**first, **{primed(v): second[v] for v in variables}})


def _concrete(board: Board, pair: Pair, first: Mapping[Var, Term], second: Mapping[Var, Term]) -> Term:
    place = board.concrete.locations[pair[0]]
    assert place.env is not None
    return build.land(_step(place.env, board.concrete.globals, first, second), substitute(place.inv, second))


def _abstract(board: Board, pair: Pair, first: Mapping[Var, Term], second: Mapping[Var, Term]) -> Term:
    place = board.abstract.locations[pair[1]]
    assert place.env is not None
    return build.land(_step(place.env, board.abstract.globals, first, second), substitute(place.inv, second))


def _same(board: Board, first: Mapping[Var, Term], second: Mapping[Var, Term]) -> Term:
    return build.land(*(build.eq(first[v], second[v]) for v in board.abstract.globals))


def _between(board: Board, first: Mapping[Var, Term], tag: str) -> dict[Var, Term]:
    fresh = {v: build.variable(staged(v.name, tag), v.sort) for v in board.abstract.globals}
    return {**first, **fresh}


def _abstract_within(
    board: Board, pair: Pair, first: Mapping[Var, Term], second: Mapping[Var, Term], move: int
) -> Term:
    """Up to STEP_BOUND abstract environment steps: each one is a step or stays."""
    current, parts = first, list[Term]()
    for i in range(STEP_BOUND - 1):
        following = _between(board, first, f"{move}.{i}")
        parts.append(build.lor(_abstract(board, pair, current, following), _same(board, current, following)))
        current = following
    parts.append(build.lor(_abstract(board, pair, current, second), _same(board, current, second)))
    return build.land(*parts)


def _related(board: Board, state: Mapping[Var, Term]) -> Term:
    iota = (substitute(f.term, state) for f in board.goal.iota)
    return build.land(*iota)


def _stop(session: Session, board: Board, pair: Pair, before: State, after: State) -> Stop | None:
    """The shortest abstract sequence for one move."""
    start, end = boards.full_state(board, before), boards.full_state(board, after)
    first = {v: build.constant(x, v.sort) for v, x in start.items()}
    last = {v: build.constant(x, v.sort) for v, x in end.items()}
    own = tuple(v.var for v in board.goal.abstract.variables)
    stays = all(start[v] == end[v] for v in board.concrete.globals)
    if _same(board, first, last) is build.TRUE:
        return Stop(before, after, (), stays)
    for count in range(1, STEP_BOUND + 1):
        names = [first, *(_between(board, first, f"s{i}") for i in range(1, count)), last]
        steps = [_abstract(board, pair, s, t) for s, t in pairwise(names)]
        reply = session.check(s for s in steps if s is not build.TRUE)
        if isinstance(reply, Sat):
            passed = [{v: _value(name[v], reply.values) for v in own} for name in names[1:]]
            return Stop(before, after, tuple(passed), stays)
    return None
