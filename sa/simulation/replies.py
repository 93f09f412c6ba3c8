"""All abstract answers to a concrete step from one pair of states, with the solver's help where they are infinite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sa.automata.automaton import Edge
from sa.automata.trace import Configuration, Move
from sa.certificates.play import Exhausted, Obstacle, Refusal
from sa.simulation import board as boards
from sa.simulation.board import Board
from sa.simulation.moves import Challenge, play_round
from sa.simulation.runs import Bounds, Run, explore, extend, may_follow, start, start_at
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Bounds on answers with choices among infinitely many values: edges in a run, values found for one run.
LENGTH_BOUND = 12
VALUE_BOUND = 12

#: How many abstract states are visited.
STATE_BOUND = 1000
RUN_BOUND = 200


@dataclass(frozen=True, slots=True)
class Taken:
    """An abstract answer, made concrete: its moves, and where it stays if there are none."""

    moves: tuple[Move, ...]
    start: Configuration

    @property
    def end(self) -> Configuration:
        return self.moves[-1].after if self.moves else self.start


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers that matter (those that cannot keep ι may be left out where the solver enumerated them)."""

    moves: tuple[Taken, ...]
    refusals: tuple[Refusal, ...]
    exhausted: Exhausted


def answers(session: Session, board: Board, location: str, step: Challenge, state: State) -> Answers | None:
    """The answers to a step from a state (with the step's choices), None if they could not be exhausted."""
    found = explore(board, start_at(board, location, state), step.label, (), state, Bounds(STATE_BOUND, None))
    if found.exhausted:
        taken = tuple(_taken(board, location, run, state) for run in found.runs)
        return Answers(taken, _refusals(board, location, step, taken, state), Exhausted.ENUMERATED)
    symbolic = _solved(session, board, location, step, state)
    if symbolic is None:
        return None
    taken = tuple(_taken(board, location, run, state) for run in symbolic)
    return Answers(taken, _refusals(board, location, step, taken, state), Exhausted.SOLVER)


def _taken(board: Board, location: str, run: Run, state: State) -> Taken:
    """The run's moves with values instead of terms."""
    full = boards.full_state(board, state)
    values = {v.var: full[v.var] for v in board.goal.abstract.variables}
    begin = Configuration(location, dict(values))
    moves = list[Move]()
    for number, choice in zip(run.edges, run.choices, strict=True):
        edge = board.abstract.automaton.edges[number]
        picked = {v: evaluate(t, state) for v, t in choice}
        here = {**values, **picked}
        values = {**values, **{v: evaluate(t, here) for v, t in edge.updates}}
        moves.append(Move(edge, picked, Configuration(edge.target, values)))
    return Taken(tuple(moves), begin)


def _refusals(
    board: Board, location: str, step: Challenge, taken: tuple[Taken, ...], state: State
) -> tuple[Refusal, ...]:
    """Why edges at the states that answers pass are not taken, for the explanation only."""
    full = boards.full_state(board, state)
    places = {location: Configuration(location, {v.var: full[v.var] for v in board.goal.abstract.variables})}
    for answer in taken:
        for move in answer.moves:
            places.setdefault(move.after.location, move.after)
    found = list[Refusal]()
    for place in places.values():
        for _, edge in board.abstract.edges[place.location]:
            obstacle = None if edge.choices else _obstacle(board, edge, place, step, state)
            if obstacle is not None:
                found.append(Refusal(edge, place, obstacle))
    return tuple(found)


def _obstacle(board: Board, edge: Edge, place: Configuration, step: Challenge, state: State) -> Obstacle | None:
    if not holds(edge.guard, place.values):
        return Obstacle.GUARD
    if edge.label is not None:
        asked = step.label
        if asked is None or asked.action != edge.label.action or len(asked.values) != len(edge.label.values):
            return Obstacle.LABEL
        shown = [evaluate(t, place.values) for t in edge.label.values]
        if shown != [evaluate(t, state) for t in asked.values]:
            return Obstacle.VALUE
    after = {**place.values, **{v: evaluate(t, place.values) for v, t in edge.updates}}
    return None if holds(board.abstract.locations[edge.target].inv, after) else Obstacle.INVARIANT


def _solved(session: Session, board: Board, location: str, step: Challenge, state: State) -> list[Run] | None:
    """Runs in which infinite choices are solved for: all that end with ι and the invariants intact."""
    point = {v: build.constant(value, v.sort) for v, value in state.items()}
    pending, ends = [start(board, location)], list[Run]()
    explored = 0
    while pending:
        run = pending.pop()
        explored += 1
        if explored > RUN_BOUND or len(run.edges) > LENGTH_BOUND:
            return None
        if run.labelled == (step.label is not None):
            solutions = _solutions(session, board, step, run, point)
            if solutions is None:
                return None
            ends.extend(solutions)
        for number, edge in board.abstract.edges[run.location]:
            if not may_follow(edge, step.label, run):
                continue
            depth = len(run.edges)
            names = tuple((c.var, build.variable(f"{c.var.name}@{depth}", c.var.sort)) for c in edge.choices)
            _, longer = extend(board, run, number, edge, names, step.label)
            reply = session.check(substitute(c, point) for c in longer.condition)
            if isinstance(reply, Sat):
                pending.append(longer)
            elif not isinstance(reply, Unsat):
                return None
    return ends


def _solutions(
    session: Session, board: Board, step: Challenge, run: Run, point: Mapping[Var, Term]
) -> list[Run] | None:
    """The run with each possible value for its choices, None if there are too many."""
    names = [t for choice in run.choices for _, t in choice if isinstance(t, Var)]
    required = tuple(substitute(c, point) for c in play_round(board, step, run).required)
    found, blocked = list[Run](), list[Term]()
    while True:
        reply = session.check((*required, *blocked))
        if isinstance(reply, Unsat):
            return found
        if not isinstance(reply, Sat) or len(found) >= VALUE_BOUND:
            return None
        values = {n: build.constant(reply.values.get(n, 0), n.sort) for n in names}
        found.append(_instance(run, values))
        blocked.append(build.lnot(build.land(*(build.eq(n, t) for n, t in values.items()))))


def _instance(run: Run, values: Mapping[Var, Term]) -> Run:
    return Run(
        run.edges,
        tuple(tuple((v, substitute(t, values)) for v, t in choice) for choice in run.choices),
        run.location,
        {v: substitute(t, values) for v, t in run.values.items()},
        tuple(substitute(c, values) for c in run.condition),
        (),
        run.labelled,
    )
