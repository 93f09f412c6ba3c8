"""One concrete run of a closed goal against all abstract states that may follow it: a play, or an abstract run.

Answers are listed one by one where they are finitely many. Where they are not, formulas stand for the abstract states
(`front`), and who is left is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.trace import Configuration, Move
from sa.base.limits import spend
from sa.certificates.goal import iota_of
from sa.certificates.play import Exhausted, Position, Step
from sa.game.board import Board
from sa.game.rounds import Challenge, challenge
from sa.plays.first_answers import first_answers
from sa.plays.play_against_state_sets import along_fronts
from sa.plays.positions import broken
from sa.plays.replies import Answers, answers, end_of, replies
from sa.smt.session import Session
from sa.terms.evaluate import State

#: How many abstract states are followed in all.
POSITIONS = 20_000


class Survivor(Struct, frozen=True):
    """An abstract run that matches to the end: for each concrete step where it was and the edges that it took."""

    answers: tuple[tuple[str, tuple[int, ...]], ...]


class _Place(Struct, frozen=True, eq=False):
    """An abstract state before a step and its answers; `before` and `by` say how it was reached."""

    abstract: Configuration
    answers: Answers | None
    before: object
    by: tuple[int, ...]


_Layer: TypeAlias = dict[object, _Place]

#: Abstract states after a step, each with the one that it comes from and the edges that lead to it.
_Current: TypeAlias = dict[object, tuple[Configuration, object, tuple[int, ...]]]


def survivor(
    board: Board, session: Session, concrete: Configuration, abstract: Configuration, moves: Sequence[tuple[int, Move]]
) -> Survivor | None:
    """An abstract run that matches a concrete one, given by the numbers of its edges, from related initial states.

    None where none was found. Abstract states stay where a silent step changes nothing that ι speaks of: whatever they
    do can be done with the next step. Raises LimitReached and Unevaluable.
    """
    layers, before, iota = list[_Layer](), concrete, iota_of(board.goal).free
    current: _Current = {_key(abstract): (abstract, None, ())}
    for number, move in moves:
        spend(session.bounds, 300)
        edge = move.edge
        if edge.label is None and iota.isdisjoint(v for v, _ in edge.updates):
            stay = {key: _Place(here, None, came_from, by) for key, (here, came_from, by) in current.items()}
            layers.append(stay)
            current = {key: (place.abstract, key, ()) for key, place in stay.items()}
        else:
            layers.append(_answered(board, session, before, _challenge(board, number), move, current, some=True))
            current = dict(_followers(board, layers[-1], move))
        before = move.after
        if not current or sum(map(len, layers)) > POSITIONS:
            return None
    return _survivor(layers, current)


def play_along(
    board: Board,
    session: Session,
    concrete: Configuration,
    abstract: Configuration,
    moves: Sequence[tuple[int, Move]],
    listed: int = POSITIONS,
) -> Position | None:
    """The play along a concrete run, from related initial states, against all abstract states that may follow it.

    Where these are more than are `listed`, formulas stand for them. None where some are left, or it is not known.
    Raises LimitReached and Unevaluable.
    """
    layers, before = list[_Layer](), concrete
    current: _Current = {_key(abstract): (abstract, None, ())}
    for number, move in moves:
        spend(session.bounds, 300)
        layer = _answered(board, session, before, _challenge(board, number), move, current, some=False)
        if any(place.answers is None for place in layer.values()):
            return along_fronts(board.goal, session, concrete, abstract, [m for _, m in moves])
        layers.append(layer)
        current = dict(_followers(board, layer, move))
        before = move.after
        if not current:
            return _play(board, concrete, layers, moves)
        if sum(map(len, layers)) + len(current) > listed:
            return along_fronts(board.goal, session, concrete, abstract, [m for _, m in moves])
    return None


def _challenge(board: Board, number: int) -> Challenge:
    return challenge(board, number, board.goal.concrete.edges[number])


def _key(state: Configuration) -> object:
    return state.location, tuple(state.values.values())


def _answered(
    board: Board,
    session: Session,
    before: Configuration,
    step: Challenge,
    move: Move,
    current: _Current,
    some: bool,
) -> _Layer:
    """All answers of all abstract states to a step, None where they are infinitely many; or `some` of them."""
    layer: _Layer = {}
    for key, (abstract, came_from, by) in current.items():
        both = {**before.values, **abstract.values}
        state: State = {**{v: both[v] for v in board.variables}, **move.choices}
        if some:
            runs = tuple(first_answers(session, board, abstract.location, step, state))
            found: Answers | None = Answers(abstract.location, state, runs, (), Exhausted.SOLVER)
        else:
            found = answers(session, board, abstract.location, step, state)
        layer[key] = _Place(abstract, found, came_from, by)
    return layer


def _followers(
    board: Board, layer: _Layer, move: Move
) -> Iterator[tuple[object, tuple[Configuration, object, tuple[int, ...]]]]:
    """The abstract states after the step that ι relates."""
    seen = set[object]()
    for key, place in layer.items():
        assert place.answers is not None
        for run in place.answers.runs:
            end = end_of(board, place.answers, run)
            there = _key(end)
            if there not in seen and broken(board, move.after, end) is None:
                seen.add(there)
                yield there, (end, key, run.edges)


def _survivor(layers: Sequence[_Layer], current: _Current) -> Survivor:
    """The run to the first of the states that are left."""
    _, key, by = next(iter(current.values()))
    found = list[tuple[str, tuple[int, ...]]]()
    for layer in reversed(layers):
        place = layer[key]
        found.append((place.abstract.location, by))
        key, by = place.before, place.by
    return Survivor(tuple(reversed(found)))


def _play(
    board: Board, concrete: Configuration, layers: Sequence[_Layer], moves: Sequence[tuple[int, Move]]
) -> Position:
    """The play in which no answer is left after the last of the layers."""
    befores = [concrete, *(move.after for _, move in moves)]
    following = dict[object, Position]()
    for depth in reversed(range(len(layers))):
        move = moves[depth][1]
        after = following

        def follow(end: Configuration, after: Mapping[object, Position] = after) -> Position:
            return after[_key(end)]

        following = {key: _position(board, befores[depth], move, place, follow) for key, place in layers[depth].items()}
    return next(iter(following.values()))


def _position(
    board: Board, concrete: Configuration, move: Move, place: _Place, follow: Callable[[Configuration], Position]
) -> Position:
    found = place.answers
    assert found is not None
    step = Step(move, replies(board, found, move.after, follow), found.refusals, found.exhausted)
    return Position(concrete, place.abstract, step)
