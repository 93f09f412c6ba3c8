"""The play along one concrete run of a closed goal, against all abstract states that may match it, on values.

All values of ranges are tried, so the abstract states are all there are. Of the answers to a step only those are told
that no others lead to by silent steps: Duplicator may as well wait (THEORY section 3). Where a choice has infinitely
many values, or a run is matched by too many states, there is no play of this kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from sa.automata.trace import Configuration, Move
from sa.base.limits import Limits, spend
from sa.certificates.goal import Goal
from sa.certificates.play import Exhausted, Position, Reply, Step
from sa.explicit.live_variables import everything
from sa.explicit.machine import Action, Machine, Stride, machine
from sa.game.board import Board, lay_out
from sa.plays.positions import broken
from sa.plays.replies import BROKEN_SHOWN, RUNS_EXPLAINED, refused
from sa.terms.evaluate import evaluate
from sa.terms.term import sort_of

#: Ranges of so many values are tried as a whole.
WHOLE = 10_000

#: How many abstract states may match a run at one place, and how many are passed in all.
MATCHING, PASSED = 2_000, 300_000

#: Units of an abstract state that is passed.
A_STATE = 8

#: An abstract state on the way to an answer, and whether the action was shown already.
_Stop = tuple[int, bool]


class _TooMany(Exception):
    """There are too many abstract states, or a choice has infinitely many values."""


class _Answer(Struct, frozen=True):
    """Where an answer ends, with its steps. `lost`: ι does not hold there."""

    end: int
    strides: tuple[Stride, ...]
    lost: bool


class _Pursuit(Struct, eq=False):
    board: Board
    abstract: Machine
    bounds: Limits
    silent: dict[int, frozenset[int]] = field(default_factory=dict)
    passed: int = 0

    def steps(self, state: int, action: Action) -> Iterator[Stride]:
        """Silent steps from a state and those that show an action. Raises _TooMany, LimitReached and Unevaluable."""
        self.passed += 1
        if self.passed > PASSED:
            raise _TooMany
        spend(self.bounds, A_STATE)
        found = [self.abstract.silent(state)]
        if action is not None:
            found.insert(0, self.abstract.showing(state, action))
        for steps in found:
            if steps.open:
                raise _TooMany
            yield from steps.strides

    def silently(self, state: int) -> frozenset[int]:
        """What silent steps lead to. Raises as `steps`."""
        found = self.silent.get(state)
        if found is None:
            reached = dict.fromkeys((state,))
            pending = [state]
            # The list grows while it is walked.
            for here in pending:
                new = [s.after for s in self.steps(here, None) if s.after not in reached]
                reached.update(dict.fromkeys(new))
                pending.extend(dict.fromkeys(new))
            found = self.silent[state] = frozenset(reached)
        return found


def play_of_run(
    goal: Goal, concrete: Configuration, abstract: Configuration, moves: Sequence[tuple[int, Move]], bounds: Limits
) -> Position | None:
    """The play along a run, given by its moves, from related initial states.

    None where somebody matches it to its end, or it is not known. Raises LimitReached and Unevaluable.
    """
    if not goal.closed:
        return None
    side = machine(goal.abstract, (0,), everything(goal.abstract), WHOLE)
    pursuit = _Pursuit(lay_out(goal), side, bounds)
    start = side.number(side.number_of[abstract.location], tuple(abstract.values[v] for v in side.order))
    layers, current = list[dict[int, tuple[_Answer, ...]]](), [start]
    before = concrete
    try:
        for _, move in moves:
            layer = {state: _answers(pursuit, state, _action(move, before), move.after) for state in current}
            layers.append(layer)
            before = move.after
            current = list(dict.fromkeys(a.end for found in layer.values() for a in found if not a.lost))
            if not current:
                return _told(pursuit, concrete, layers, [m for _, m in moves])
            if len(current) > MATCHING:
                return None
    except _TooMany:
        pass
    return None


def _action(move: Move, before: Configuration) -> Action:
    label = move.edge.label
    if label is None:
        return None
    known = {**before.values, **move.choices}
    return label.action, tuple(sort_of(t).name for t in label.values), tuple(evaluate(t, known) for t in label.values)


def _answers(pursuit: _Pursuit, start: int, action: Action, after: Configuration) -> tuple[_Answer, ...]:
    """First answers, nearest first, that no others lead to silently, and some that break ι."""
    begin = start, action is None
    ways: dict[_Stop, tuple[_Stop, Stride] | None] = {begin: None}
    pending, covered, lost, found = [begin], set[int](), 0, list[_Answer]()
    # The list grows while it is walked.
    for stop in pending:
        state, shown = stop
        if shown:
            is_lost = broken(pursuit.board, after, pursuit.abstract.configuration(state)) is not None
            if not is_lost:
                if state not in covered:
                    covered |= pursuit.silently(state)
                    found.append(_Answer(state, _strides(ways, stop), False))
                continue
            lost += 1
            if lost <= BROKEN_SHOWN:
                found.append(_Answer(state, _strides(ways, stop), True))
        for stride in pursuit.steps(state, None if shown else action):
            there = stride.after, shown or stride.action is not None
            if there not in ways:
                ways[there] = stop, stride
                pending.append(there)
    return tuple(found)


def _strides(ways: dict[_Stop, tuple[_Stop, Stride] | None], stop: _Stop) -> tuple[Stride, ...]:
    strides = list[Stride]()
    while (reached := ways[stop]) is not None:
        stop, stride = reached
        strides.append(stride)
    return tuple(reversed(strides))


def _told(
    pursuit: _Pursuit,
    concrete: Configuration,
    layers: Sequence[dict[int, tuple[_Answer, ...]]],
    moves: Sequence[Move],
) -> Position:
    """The play in which no answer is left after the last of the layers."""
    befores, following = [concrete, *(move.after for move in moves)], dict[int, Position]()
    for depth in reversed(range(len(layers))):
        before, move, then = befores[depth], moves[depth], following
        following = {s: _position(pursuit, before, move, s, found, then) for s, found in layers[depth].items()}
    return next(iter(following.values()))


def _position(
    pursuit: _Pursuit,
    before: Configuration,
    move: Move,
    state: int,
    found: Sequence[_Answer],
    then: dict[int, Position],
) -> Position:
    side, here, replies = pursuit.abstract, pursuit.abstract.configuration(state), list[Reply]()
    for answer in found:
        end = then[answer.end] if not answer.lost else broken(pursuit.board, move.after, side.configuration(answer.end))
        assert end is not None
        replies.append(Reply(tuple(_move(side, stride) for stride in answer.strides), end))
    places = {here.location: here}
    for reply in replies[:RUNS_EXPLAINED]:
        for passed in reply.moves:
            places.setdefault(passed.after.location, passed.after)
    refusals = refused(pursuit.board, places.values(), move.edge.label, {**before.values, **move.choices})
    return Position(before, here, Step(move, tuple(replies), refusals, Exhausted.UP_TO_WAITING))


def _move(side: Machine, stride: Stride) -> Move:
    picked = dict(zip((c.var for c in stride.edge.choices), stride.picked, strict=True))
    return Move(stride.edge, picked, side.configuration(stride.after))
