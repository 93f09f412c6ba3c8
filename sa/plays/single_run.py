"""A simpler play: Spoiler runs along one concrete run, whatever Duplicator does.

Most bugs are of this kind: some run of the concrete thread that no answers keep up with. The run is read off
the lemmas along the chosen answers; all other abstract states that may have followed so far are tracked with
it, so nothing needs to be known of them. Where one of them survives to the end there is no such play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.trace import Configuration, Move
from sa.base.limits import spend
from sa.certificates.play import Position, Step
from sa.game.board import Board, Pair
from sa.game.rounds import Challenge
from sa.plays.positions import Survives, broken, drifting, move_of, sides
from sa.plays.replies import Answers, answers, end_of, replies
from sa.plays.strategy import Refuter, excluded, root_of
from sa.simulation.state import Lemma, LostMatch
from sa.smt.small_models import near
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: How many positions are tracked.
POSITION_BOUND = 20_000


class Stage(Struct, frozen=True):
    """A step of the run: the concrete globals when it is made, and the step with its choices."""

    globals: State
    challenge: Challenge
    picked: State


def course(refuter: Refuter, pair: Pair, state: State, lemma: Lemma | None) -> tuple[Stage, ...]:
    """The run that the lemmas lead along, from a lost state through the chosen answers. Raises Survives."""
    board, search = refuter.board, refuter.search
    stages = list[Stage]()
    while lemma is not None:
        cause, number = root_of(lemma)
        if isinstance(cause, LostMatch):
            raise Survives("the run ends in an environment step")
        after, picked = refuter.reach(pair, state, cause)
        step = cause.challenge
        stages.append(Stage({v: after[v] for v in board.concrete.globals}, step, picked))
        here, before, lemma = {**after, **picked}, pair, None
        for answer in search.pairs[before].rounds.get(step.number, []):
            if lemma is None and all(holds(c, here) for c in answer.required):
                state = {v: evaluate(answer.updates.get(v, v), here) for v in board.variables}
                pair, lemma = answer.target, excluded(search, answer.target, state, number)
    return tuple(stages)


class Place(Struct, frozen=True):
    """One abstract state at a stage: the state before the environments' moves, after them, and all its answers."""

    pair: Pair
    before: State
    after: State
    move: Move
    answers: Answers


Layer: TypeAlias = dict[object, Place]


def pursue(refuter: Refuter, stages: Sequence[Stage], pair: Pair, state: State) -> Position:
    """The play that follows the run against every abstract state. Raises Survives and LimitReached."""
    layers = list[Layer]()
    current = {_key(refuter.board, pair, state): (pair, state)}
    for stage in stages:
        spend(refuter.session.bounds, 350)
        layer = {key: _place(refuter, stage, *here) for key, here in current.items()}
        layers.append(layer)
        current = dict(_followers(refuter.board, layer.values()))
        if sum(map(len, layers)) > POSITION_BOUND:
            raise Survives("too many abstract runs match this run")
    if current:
        raise Survives("an abstract run matches this run to its end")
    positions = dict[object, Position]()
    for layer in reversed(layers):
        following = positions
        positions = {key: _position(refuter, place, following) for key, place in layer.items()}
    return positions[_key(refuter.board, pair, state)]


def _key(board: Board, pair: Pair, state: State) -> object:
    return pair, tuple(state[v] for v in board.variables)


def _place(refuter: Refuter, stage: Stage, pair: Pair, state: State) -> Place:
    after = _moved(refuter, stage, pair, state)
    concrete, _ = sides(refuter.board, pair, after)
    here = {**after, **stage.picked}
    found = answers(refuter.session, refuter.board, pair[1], stage.challenge, here)
    if found is None:
        raise Survives("not all abstract answers could be enumerated")
    return Place(pair, state, after, move_of(concrete, stage.challenge, stage.picked), found)


def _followers(board: Board, places: Iterable[Place]) -> Iterator[tuple[object, tuple[Pair, State]]]:
    """The states after the step that ι still relates."""
    for place in places:
        for run in place.answers.runs:
            end = end_of(board, place.answers, run)
            if broken(board, place.move.after, end) is None:
                pair, state = _joined(board, place.move.after, end)
                yield _key(board, pair, state), (pair, state)


def _joined(board: Board, concrete: Configuration, abstract: Configuration) -> tuple[Pair, State]:
    both = {**concrete.values, **abstract.values}
    return (concrete.location, abstract.location), {v: both[v] for v in board.variables}


def _position(refuter: Refuter, place: Place, following: Mapping[object, Position]) -> Position:
    board = refuter.board

    def follow(end: Configuration) -> Position:
        return following[_key(board, *_joined(board, place.move.after, end))]

    concrete, abstract = sides(board, place.pair, place.after)
    listed = replies(board, place.answers, place.move.after, follow)
    acted = Position(concrete, abstract, Step(place.move, listed, place.answers.refusals, place.answers.exhausted))
    return drifting(refuter.session, board, place.pair, place.before, place.after, lambda: acted)


def _moved(refuter: Refuter, stage: Stage, pair: Pair, state: State) -> State:
    """The state after the environments' moves to the stage's globals."""
    if all(state[v] == x for v, x in stage.globals.items()):
        return state
    moves = refuter.search.moves_at(pair)
    if any(state[v] != x for v, x in stage.globals.items() if v not in moves.moving):
        raise Survives("the environments cannot make the run's moves here")
    names = {v: build.variable(v.name, v.sort, 2) for v in moves.moving}
    point: dict[Var, Term] = {v: build.constant(state[v], v.sort) for v in refuter.board.variables}
    for var, name in names.items():
        known = var in stage.globals
        point[primed(var)] = build.constant(stage.globals[var], var.sort) if known else name
    relation = substitute(moves.relation, point)
    free = {v: n for v, n in names.items() if v not in stage.globals}
    if not free and relation is build.TRUE:
        return {**state, **stage.globals}
    found = near(refuter.session, [relation], tuple(free.values()), {n: state[v] for v, n in free.items()})
    if found is None:
        raise Survives("the environments cannot make the run's moves here")
    moved: dict[Var, Value] = {**state, **stage.globals}
    moved.update((v, found[n]) for v, n in free.items())
    return moved
