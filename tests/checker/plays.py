"""Plays for goals over finite ranges out of the oracle's decision, positions shared; and plays changed node by node."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field
from msgspec.structs import replace

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
    SpoilerMove,
    Step,
    Uncovered,
    Unmatched,
)
from sa.terms.evaluate import holds
from tests.checker.relations import closure_of
from tests.oracle.explicit import component_steps, configuration, environment_steps, move_of
from tests.oracle.game import Board, Decision, Ending, Pair, board, is_related
from tests.oracle.plays import _answers as answers
from tests.oracle.plays import _paths as paths

ALL = Exhausted.ENUMERATED
Node = Position | Broken


class Builder(Struct):
    """Spoiler's moves by pair, each made once."""

    board: Board
    decision: Decision
    made: dict[Pair, Node] = field(default_factory=dict)

    def node(self, pair: Pair) -> Node:
        if pair not in self.made:
            here = configuration(self.board.concrete, pair[0]), configuration(self.board.abstract, pair[1])
            if is_related(self.board, pair):
                self.made[pair] = Position(*here, self.move(pair))
            else:
                values = {**here[0].values, **here[1].values}
                false = next(f for f in self.board.goal.iota if not holds(f.term, values))
                self.made[pair] = Broken(false, *here)
        return self.made[pair]

    def move(self, pair: Pair) -> SpoilerMove:
        b, (s1, s2) = self.board, pair
        gone = {p for p, r in self.decision.rank.items() if r < self.decision.rank[pair]}
        environment_paths = paths(s2, lambda s: ((None, t) for t in environment_steps(b.abstract, s)))
        for t1 in environment_steps(b.concrete, s1):
            for t2, path in environment_paths.items():
                then = self.node((t1, t2)) if (t1, t2) in gone else None
                if isinstance(then, Position):
                    states = tuple(configuration(b.abstract, t) for _, t in path)
                    return EnvironmentMove(configuration(b.concrete, t1), states, False, then)
            if not b.goal.closed and not any(is_related(b, (t1, t2)) for t2 in environment_paths):
                return Unmatched(configuration(b.concrete, t1), closure_of(b.goal, s2.location), ALL)
        for step in component_steps(b.concrete, s1):
            ends = answers(b, s2, step.action)
            if all((step.after, t2) in gone or not is_related(b, (step.after, t2)) for t2 in ends):
                replies = tuple(Reply(path, self.node((step.after, t2))) for t2, path in ends.items())
                return Step(move_of(b.concrete, step), replies, (), ALL)
        raise AssertionError("a pair left θ without a reason")


def play_of(goal: Goal, decision: Decision) -> Play:
    """The play that shows why a goal is not simulated, from the rounds in which the pairs left θ."""
    b, s1 = board(goal), decision.culprit
    assert s1 is not None
    if decision.ending is Ending.UNCOVERED:
        return Uncovered(configuration(b.concrete, s1), ALL)
    builder, partners = Builder(b, decision), [s2 for start, s2 in decision.opening if start == s1]
    if goal.choose_init:
        return Chosen(configuration(b.concrete, s1), tuple(builder.node((s1, s2)) for s2 in partners), ALL)
    then = builder.node((s1, next(s2 for s2 in partners if (s1, s2) not in decision.theta)))
    return BrokenAtStart(then) if isinstance(then, Broken) else then


def by_solver(play: Play) -> Play:
    """The play with nothing enumerated."""

    def ask(node: Node) -> Node:
        if isinstance(node, Position) and not isinstance(node.move, EnvironmentMove):
            return replace(node, move=replace(node.move, exhausted=Exhausted.SOLVER))
        return node

    asked = changed(play, ask)
    return asked if isinstance(asked, Position | BrokenAtStart) else replace(asked, exhausted=Exhausted.SOLVER)


def changed(play: Play, change: Callable[[Node], Node]) -> Play:
    """The play with every node changed once, the deepest first."""
    known: dict[int, Node] = {}

    def go(node: Node) -> Node:
        if id(node) not in known:
            known[id(node)] = change(inside(node))
        return known[id(node)]

    def inside(node: Node) -> Node:
        match node:
            case Position(move=Step() as step):
                return replace(
                    node, move=replace(step, replies=tuple(replace(r, then=go(r.then)) for r in step.replies))
                )
            case Position(move=EnvironmentMove() as environment_move):
                then = go(environment_move.then)
                assert isinstance(then, Position)
                return replace(node, move=replace(environment_move, then=then))
            case _:
                return node

    if isinstance(play, Chosen):
        return replace(play, openings=tuple(go(o) for o in play.openings))
    if isinstance(play, Position):
        node = go(play)
        assert isinstance(node, Position)
        return node
    return play
