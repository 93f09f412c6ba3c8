"""Spoiler's winning play out of a lost game: in each pair the move that made the pair leave θ."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sa.automata.program import Formula
from sa.automata.trace import Move
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Play,
    Position,
    Reply,
    Step,
    Uncovered,
    Unmatched,
)
from sa.terms.build import TRUE
from sa.terms.evaluate import holds
from tests.oracle.explicit import State, component_steps, configuration, environment_steps, move_of
from tests.oracle.game import Board, Decision, Ending, Pair, board, is_related

ALL = Exhausted.ENUMERATED


def play_of(goal: Goal, decision: Decision) -> Play:
    """The play that shows why a goal is not simulated, built from the rounds in which the pairs left."""
    b, s1 = board(goal), decision.culprit
    assert s1 is not None
    if decision.ending is Ending.UNCOVERED:
        return Uncovered(configuration(b.concrete, s1), ALL)
    partners = [s2 for start, s2 in decision.opening if start == s1]
    if goal.choose_init:
        openings = tuple(_then(b, decision, (s1, s2)) for s2 in partners)
        return Chosen(configuration(b.concrete, s1), openings, ALL)
    lost = next(s2 for s2 in partners if (s1, s2) not in decision.theta)
    then = _then(b, decision, (s1, lost))
    return BrokenAtStart(then) if isinstance(then, Broken) else then


def _then(b: Board, decision: Decision, pair: Pair) -> Position | Broken:
    here = configuration(b.concrete, pair[0]), configuration(b.abstract, pair[1])
    if not is_related(b, pair):
        return Broken(_false_conjunct(b, pair), *here)
    return Position(*here, _move(b, decision, pair))


def _false_conjunct(b: Board, pair: Pair) -> Formula:
    values = {**configuration(b.concrete, pair[0]).values, **configuration(b.abstract, pair[1]).values}
    return next(f for f in b.goal.iota if not holds(f.term, values))


def _move(b: Board, decision: Decision, pair: Pair) -> Step | EnvironmentMove | Unmatched:
    s1, s2 = pair
    round_left = decision.rank[pair]
    gone = {p for p, r in decision.rank.items() if r < round_left}

    def bad(other: Pair) -> bool:
        return other in gone or not is_related(b, other)

    environment_paths = _paths(s2, lambda s: ((None, t) for t in environment_steps(b.abstract, s)))
    for t1 in environment_steps(b.concrete, s1):
        for t2, path in environment_paths.items():
            if (t1, t2) in gone:
                states = tuple(configuration(b.abstract, t) for _, t in path)
                return EnvironmentMove(configuration(b.concrete, t1), states, False, _position(b, decision, (t1, t2)))
        if not b.goal.closed and not any(is_related(b, (t1, t2)) for t2 in environment_paths):
            return Unmatched(configuration(b.concrete, t1), TRUE, ALL)
    for step in component_steps(b.concrete, s1):
        answers = _answers(b, s2, step.action)
        if all(bad((step.after, t2)) for t2 in answers):
            replies = tuple(Reply(path, _then(b, decision, (step.after, t2))) for t2, path in answers.items())
            return Step(move_of(b.concrete, step), replies, (), ALL)
    raise AssertionError("a pair left θ without a reason")


def _position(b: Board, decision: Decision, pair: Pair) -> Position:
    then = _then(b, decision, pair)
    assert isinstance(then, Position)
    return then


def _answers(b: Board, s2: State, action: object) -> dict[State, tuple[Move, ...]]:
    def silently(s: State) -> Iterable[tuple[Move, State]]:
        return ((move_of(b.abstract, x), x.after) for x in component_steps(b.abstract, s) if x.action is None)

    before = {s: tuple(m for m, _ in path) for s, path in _paths(s2, silently).items()}
    if action is None:
        return before
    found: dict[State, tuple[Move, ...]] = {}
    for s, path in before.items():
        for step in component_steps(b.abstract, s):
            if step.action == action:
                for end, rest in _paths(step.after, silently).items():
                    found.setdefault(end, (*path, move_of(b.abstract, step), *(m for m, _ in rest)))
    return found


def _paths(start: State, successors: Callable[[State], Iterable[tuple[object, State]]]) -> dict[State, tuple]:  # type: ignore[type-arg]
    """A path to each state that is reached, as (step, state) one after the other."""
    found: dict[State, tuple] = {start: ()}  # type: ignore[type-arg]
    pending = [start]
    while pending:
        here = pending.pop(0)
        for move, after in successors(here):
            if after not in found:
                found[after] = (*found[here], (move, after))
                pending.append(after)
    return found
