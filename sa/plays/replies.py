"""All abstract answers to a concrete step from one pair of states, with the solver's help where they are infinite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Edge, Label
from sa.automata.ranges import count_of
from sa.automata.trace import Configuration, Move
from sa.certificates.play import Exhausted, Obstacle, Position, Refusal, Reply
from sa.game import board as boards
from sa.game.board import Board
from sa.game.choices import NotSettled, narrowed, refusal, settled
from sa.game.exploring import explore
from sa.game.rounds import Challenge, play_round
from sa.game.runs import Bounds, Run, extend, may_follow, start, start_at
from sa.plays.positions import broken
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.name import staged
from sa.terms.sort import default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Bounds on answers with choices among infinitely many values: edges in a run, values found for one run.
LENGTH_BOUND = 12
VALUE_BOUND = 12

#: How many abstract states are visited.
STATE_BOUND = 1000
RUN_BOUND = 200


#: How many answers that break ι at once a play lists at a position: they explain, and need no continuation.
BROKEN_SHOWN = 6

#: How many of infinitely many answers are shown.
SHOWN = 3

#: Explanations of refused edges look at the states along so many answers.
RUNS_EXPLAINED = 4

#: A choice with so many values is not tried value by value.
MANY = 1_000


class Answers(Struct, frozen=True):
    """All answers that matter, shortest first, as runs whose terms are constants.

    Those that cannot keep ι are left out where the solver enumerated them.
    """

    location: str
    state: State
    runs: tuple[Run, ...]
    refusals: tuple[Refusal, ...]
    exhausted: Exhausted


def answers(session: Session, board: Board, location: str, step: Challenge, state: State) -> Answers | None:
    """The answers to a step from a state (with the step's choices), None if they could not be exhausted."""
    found = explore(board, start_at(board, location, state), step.label, state, Bounds(STATE_BOUND, None, None))
    runs: Sequence[Run] | None = found.runs
    exhausted = Exhausted.ENUMERATED
    if not found.exhausted:
        runs, exhausted = _solved(session, board, location, step, state), Exhausted.SOLVER
    elif any((count_of(c) or MANY) >= MANY for e in board.goal.abstract.edges for c in e.choices):
        # The label may say what is chosen; to enumerate is to try all values.
        exhausted = Exhausted.SOLVER
    if runs is None:
        return None
    return Answers(location, state, tuple(runs), _refusals(board, location, step, runs, state), exhausted)


def some_answers(session: Session, board: Board, location: str, step: Challenge, state: State) -> Answers:
    """A few of infinitely many answers, the shortest, with some value for each choice. Raises LimitReached."""
    begin, few = start_at(board, location, state), Bounds(SHOWN * SHOWN, 1, None)
    shown = list[Run]()
    try:
        found = explore(board, begin, step.label, state, few, session)
        for run in (r for r in found.runs if not r.turns):
            if len(shown) < SHOWN:
                shown += [run] if not run.open else _with_values(session, board, step, run, state)
    except NotSettled:
        pass
    return Answers(location, state, tuple(shown), (), Exhausted.SOLVER)


def _with_values(session: Session, board: Board, step: Challenge, run: Run, state: State) -> tuple[Run, ...]:
    """The run with values for its open choices after which ι holds, if there are such. Raises NotSettled."""
    wanted = play_round(board, step, run).required
    run, wanted = narrowed(run, wanted)
    if run.open and refusal(session, wanted, run, state) is None:
        run = settled(session, wanted, run, state, ())[0]
    return () if run.open else (run,)


def end_of(board: Board, found: Answers, run: Run) -> Configuration:
    """Where an answer ends."""
    full = boards.full_state(board, found.state)
    values = (run.values.get(v.var, v.var) for v in board.goal.abstract.variables)
    known = {**full, **found.state}
    pairs = zip(board.goal.abstract.variables, values, strict=True)
    return Configuration(run.location, {v.var: evaluate(t, known) for v, t in pairs})


def replies(
    board: Board, found: Answers, concrete: Configuration, follow: Callable[[Configuration], Position | None]
) -> tuple[Reply, ...]:
    """The answers as replies: those that keep ι with what `follow` says of their end, and some that break it.

    Those of which it says nothing are not listed.
    """
    listed, shown = list[Reply](), 0
    for run in found.runs:
        end = end_of(board, found, run)
        loss = broken(board, concrete, end)
        if loss is None:
            then = follow(end)
            if then is not None:
                listed.append(Reply(_moves(board, run, found.state), then))
        elif shown < BROKEN_SHOWN:
            shown += 1
            listed.append(Reply(_moves(board, run, found.state), loss))
    return tuple(listed)


def _moves(board: Board, run: Run, state: State) -> tuple[Move, ...]:
    """The run's moves with values instead of terms."""
    full = boards.full_state(board, state)
    values = {v.var: full[v.var] for v in board.goal.abstract.variables}
    moves = list[Move]()
    for number, choice in zip(run.edges, run.choices, strict=True):
        edge = board.abstract.automaton.edges[number]
        picked = {v: evaluate(t, state) for v, t in choice}
        here = {**values, **picked}
        values = {**values, **{v: evaluate(t, here) for v, t in edge.updates}}
        moves.append(Move(edge, picked, Configuration(edge.target, values)))
    return tuple(moves)


def _refusals(board: Board, location: str, step: Challenge, runs: Sequence[Run], state: State) -> tuple[Refusal, ...]:
    """Why edges at the states that answers pass are not taken, for the explanation only."""
    full = boards.full_state(board, state)
    places = {location: Configuration(location, {v.var: full[v.var] for v in board.goal.abstract.variables})}
    for run in runs[:RUNS_EXPLAINED]:
        for move in _moves(board, run, state):
            places.setdefault(move.after.location, move.after)
    return refused(board, places.values(), step.label, state)


def refused(board: Board, places: Iterable[Configuration], asked: Label | None, state: State) -> tuple[Refusal, ...]:
    """Why edges from abstract states are not taken to answer a label in a state, where an evaluation tells."""
    found = list[Refusal]()
    for place in places:
        for _, edge in board.abstract.edges[place.location]:
            obstacle = None if edge.choices else _obstacle(board, edge, place, asked, state)
            if obstacle is not None:
                found.append(Refusal(edge, place, obstacle))
    return tuple(found)


def _obstacle(board: Board, edge: Edge, place: Configuration, asked: Label | None, state: State) -> Obstacle | None:
    if not holds(edge.guard, place.values):
        return Obstacle.GUARD
    if edge.label is not None:
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
            names = tuple((c.var, build.variable(staged(c.var.name, depth), c.var.sort)) for c in edge.choices)
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
        values = {n: build.constant(reply.values.get(n, default_value(n.sort)), n.sort) for n in names}
        found.append(instance(run, values))
        blocked.append(build.lnot(build.land(*(build.eq(n, t) for n, t in values.items()))))


def instance(run: Run, values: Mapping[Var, Term]) -> Run:
    """The run with values for its choices."""
    return Run(
        run.edges,
        tuple(tuple((v, substitute(t, values)) for v, t in choice) for choice in run.choices),
        run.location,
        {v: substitute(t, values) for v, t in run.values.items()},
        tuple(substitute(c, values) for c in run.condition),
        (),
        run.labelled,
    )
