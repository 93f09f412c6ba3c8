"""A game won on concrete states as a play: every answer listed, with the way it takes, and what it leads to.

The game has only what matters of a state; here all variables have values again. So a state is one of `machines`, and
counts in the game as what it looks like there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf, prod

from msgspec import Struct, field

from sa.automata.automaton import Edge
from sa.automata.ranges import count_of
from sa.automata.trace import Configuration, Move
from sa.base.limits import Limits, spend
from sa.certificates.play import Exhausted, Position, Refusal, Reply, Step
from sa.explicit.live_variables import everything
from sa.explicit.machine import Machine, Stride, machine
from sa.game.board import Board, lay_out
from sa.plays.positions import Survives, broken
from sa.plays.replies import BROKEN_SHOWN, RUNS_EXPLAINED, refused
from sa.values.monotone_bounds import beyond
from sa.values.opening import real_start
from sa.values.pairs import Game, Pair

#: How many positions a play may have, and how many moves one after the other.
POSITION_BOUND = 20_000
DEPTH_BOUND = 100

#: How many abstract states may be passed in all answers to one step; choices with more values are the solver's.
STATE_BOUND = 5000
#: How many abstract states are passed in all answers of a play: beyond that, sets of them say it in fewer words.
PASSED_BOUND = 30_000
WIDTH_BOUND = 1000


class _Teller(Struct, eq=False):
    """What is told so far. `sizes` says how many values the choices of the abstract edges at a place have."""

    game: Game
    concrete: Machine
    abstract: Machine
    board: Board
    bounds: Limits
    sizes: tuple[float, ...]
    positions: dict[tuple[int, int], Position] = field(default_factory=dict)
    passed: int = 0


#: An abstract state on the way to an answer, and whether the action was shown already.
_Stop = tuple[int, bool]


def told(game: Game, lost: Pair, bounds: Limits) -> Position | None:
    """The play from a lost pair; None if it is too large. Raises LimitReached and Unevaluable."""
    if lost.rank > DEPTH_BOUND:
        return None
    automaton = game.goal.abstract
    sizes = {location.name: 0.0 for location in automaton.locations}
    for edge in automaton.edges:
        sizes[edge.source] = max(sizes[edge.source], _size(edge))
    concrete, abstract = (
        machine(m.automaton, m.pool, everything(m.automaton), m.few) for m in (game.concrete, game.abstract)
    )
    start = real_start(game.goal, (game.concrete, game.abstract), (lost.concrete, lost.abstract))
    if start is None:
        return None
    first = concrete.number(game.concrete.places[lost.concrete], start[0])
    second = abstract.number(game.abstract.places[lost.abstract], start[1])
    teller = _Teller(game, concrete, abstract, lay_out(game.goal), bounds, tuple(sizes.values()))
    try:
        return _position(teller, lost, first, second)
    except Survives:
        return None


def _looks(m: Machine, real: Machine, state: int) -> int:
    """What a state with all values counts as in the game."""
    return m.looks(real.places[state], real.rows[state])


def _size(edge: Edge) -> float:
    """How many values an edge's choices have."""
    return prod(inf if (count := count_of(c)) is None else count for c in edge.choices)


def _position(teller: _Teller, pair: Pair, concrete: int, abstract: int) -> Position:
    """The position of a lost pair, or of its concrete state with an abstract state that silent steps lead to.

    The same step wins there. Raises Survives if the play gets too large.
    """
    key = concrete, abstract
    found = teller.positions.get(key)
    if found is None:
        spend(teller.bounds, 250)
        if len(teller.positions) >= POSITION_BOUND:
            raise Survives("the play has too many positions")
        found = teller.positions[key] = _made(teller, pair, concrete, abstract)
    return found


def _made(teller: _Teller, pair: Pair, concrete: int, abstract: int) -> Position:
    game, stride = teller.game, pair.stride
    assert stride is not None
    before, real = teller.concrete.configuration(concrete), _real(teller, stride, concrete)
    move = _move(teller.concrete, real)
    ways = _ways(teller, abstract, stride)
    teller.passed += len(ways)
    if teller.passed > PASSED_BOUND:
        raise Survives("the play passes too many states")
    replies, shown = list[Reply](), 0
    for end, moves in _ends(teller, ways):
        there = moves[-1].after if moves else teller.abstract.configuration(abstract)
        loss = broken(teller.board, move.after, there)
        if loss is None:
            then = _lost(teller, pair, stride, _looks(game.abstract, teller.abstract, end))
            if then is not None:
                replies.append(Reply(moves, _position(teller, then, real.after, end)))
        elif shown < BROKEN_SHOWN:
            shown += 1
            replies.append(Reply(moves, loss))
    open_ended = any(teller.sizes[teller.abstract.places[state]] > WIDTH_BOUND for state, _ in ways)
    exhausted = Exhausted.SOLVER if open_ended else Exhausted.ENUMERATED
    here = teller.abstract.configuration(abstract)
    refusals = _refusals(teller, before, here, move, replies, ways)
    skipped = any(_is_past(teller, state, stride) for state, _ in ways)
    past = beyond(game.following.ways, game.goal.abstract, move.after.values) if skipped else ()
    return Position(before, here, Step(move, tuple(replies), refusals, exhausted, past))


def _real(teller: _Teller, stride: Stride, concrete: int) -> Stride:
    """A step of the game from a state with all values. Raises Survives, and Unevaluable."""
    for real in teller.concrete.steps(concrete).strides:
        if real.edge is stride.edge and real.picked == stride.picked:
            return real
    raise Survives("a step of the game is not one of the states")


def _is_past(teller: _Teller, state: int, stride: Stride) -> bool:
    following = teller.game.following
    return bool(following.ways) and following.is_past(
        _looks(teller.game.abstract, teller.abstract, state), stride.after
    )


def _move(machine: Machine, stride: Stride) -> Move:
    picked = dict(zip((c.var for c in stride.edge.choices), stride.picked, strict=True))
    return Move(stride.edge, picked, machine.configuration(stride.after))


def _ways(teller: _Teller, abstract: int, stride: Stride) -> dict[_Stop, tuple[_Stop, Stride] | None]:
    """Every stop on the way to an answer and how it is reached first, nearest stops first; past the goal none, and of a
    game that guesses only those that it may look at.
    """
    start = abstract, stride.action is None
    ways: dict[_Stop, tuple[_Stop, Stride] | None] = {start: None}
    pending = [start]
    # The list grows while it is walked.
    for stop in pending:
        if len(ways) > STATE_BOUND:
            raise Survives("there are too many answers")
        if teller.game.guessing and len(ways) > teller.game.following.most:
            # Those that were not looked at count as none.
            break
        if _is_past(teller, stop[0], stride):
            continue
        shown = () if stop[1] else teller.abstract.showing(stop[0], stride.action).strides
        for step in (*shown, *teller.abstract.silent(stop[0]).strides):
            after = step.after, stop[1] or step.action is not None
            if after not in ways:
                ways[after] = stop, step
                pending.append(after)
    return ways


def _ends(teller: _Teller, ways: dict[_Stop, tuple[_Stop, Stride] | None]) -> Iterator[tuple[int, tuple[Move, ...]]]:
    """The ends of all answers, with the moves that lead to them."""
    for stop in ways:
        if stop[1]:
            end, moves = stop[0], list[Move]()
            while (reached := ways[stop]) is not None:
                stop, step = reached
                moves.append(_move(teller.abstract, step))
            yield end, tuple(reversed(moves))


def _lost(teller: _Teller, pair: Pair, stride: Stride, end: int) -> Pair | None:
    """The lost pair that tells how to go on against an answer's end: the nearest to its loss. None in a game that
    guesses, where nobody looked at it. Raises Survives.
    """
    game = teller.game
    firsts = game.following.first(pair.abstract, stride.action, stride.after).every()
    reached = ((first, game.following.silent(first, stride.after)) for first in firsts)
    known = [game.pairs[stride.after, first] for first, ends in reached if end in ends]
    itself = game.pairs.get((stride.after, end))
    if itself is not None and itself.stride is not None and itself.rank < pair.rank:
        known.append(itself)
    if not known:
        if game.guessing:
            return None
        raise Survives("an answer's silent steps have no end")
    return min(known, key=lambda d: d.rank)


def _refusals(
    teller: _Teller,
    before: Configuration,
    here: Configuration,
    move: Move,
    replies: list[Reply],
    ways: Iterable[_Stop],
) -> tuple[Refusal, ...]:
    """As for other plays: why edges on the way are not taken, for the explanation only."""
    places = {here.location: here}
    for reply in replies[:RUNS_EXPLAINED]:
        for passed in reply.moves:
            places.setdefault(passed.after.location, passed.after)
    if not replies:
        # There is no answer: what comes after silent steps tells why.
        for state, _ in islice(ways, RUNS_EXPLAINED):
            passing = teller.abstract.configuration(state)
            places.setdefault(passing.location, passing)
    return refused(teller.board, places.values(), move.edge.label, {**before.values, **move.choices})
