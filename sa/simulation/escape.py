"""Whether a play's concrete run escapes every abstract run (THEORY section 2): the bug that users look for.

A refutation says that no simulation exists; an abstract thread may still have some run for each concrete one,
if only it could guess ahead. Here the abstract states that match a concrete run so far are followed all at
once, for closed goals. An empty set means that the behaviour escapes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, Chosen, Drift, Play, Position, Step, Uncovered
from sa.simulation.board import Board, initial_condition, lay_out
from sa.simulation.replies import answers, end_of
from sa.simulation.rounds import challenge
from sa.simulation.scene import broken
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.sort import Value, default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many runs of a play are followed, and how many abstract states at once.
RUN_BOUND = 20
STATE_BOUND = 200


def escapes(goal: Goal, play: Play, session: Session) -> bool | None:
    """Whether some concrete run of the play has no abstract run at all; None where that is not determined."""
    if isinstance(play, Uncovered):
        return True
    if not goal.closed or not isinstance(play, Position | Chosen):
        return None
    board = lay_out(goal)
    partners = _partners(session, board, play.concrete)
    if partners is None:
        return None
    certain = True
    for number, run in enumerate(_runs(play)):
        if number >= RUN_BOUND:
            return None
        left = _follow(session, board, play.concrete, partners, run)
        if left == 0:
            return True
        certain = certain and left is not None
    return False if certain else None


def _runs(play: Position | Chosen) -> Iterator[tuple[Move, ...]]:
    """The concrete runs from the root to each leaf."""
    openings = (play,) if isinstance(play, Position) else play.openings
    pending: list[tuple[Position | Broken, tuple[Move, ...]]] = [(o, ()) for o in reversed(openings)]
    while pending:
        here, run = pending.pop()
        match here:
            case Position(_, _, Step(move, replies, _, _)):
                longer = (*run, move)
                if not replies:
                    yield longer
                pending.extend((r.then, longer) for r in reversed(replies))
            case Position(_, _, Drift(_, _, _, then)):
                pending.append((then, run))
            case _:
                yield run


def _partners(session: Session, board: Board, concrete: Configuration) -> list[Configuration] | None:
    """The abstract initial states that κ and ι relate to a concrete one."""
    point = {v: build.constant(x, v.sort) for v, x in concrete.values.items()}
    own = [v.var for v in board.goal.abstract.variables if v.var not in point]
    wanted = [substitute(t, point) for t in (*initial_condition(board), *(f.term for f in board.goal.iota))]
    found = list[Configuration]()
    blocked = list[Term]()
    while not isinstance(reply := session.check((*wanted, *blocked)), Unsat):
        if not isinstance(reply, Sat) or len(found) >= STATE_BOUND:
            return None
        values = {v: reply.values.get(v, default_value(v.sort)) for v in own}
        found.append(Configuration(board.goal.abstract.initial, _both(board, concrete.values, values)))
        blocked.append(build.lnot(build.land(*(build.eq(v, build.constant(x, v.sort)) for v, x in values.items()))))
    return found


def _both(board: Board, concrete: State, own: State) -> dict[Var, Value]:
    return {v.var: (own if v.var in own else concrete)[v.var] for v in board.goal.abstract.variables}


def _follow(
    session: Session, board: Board, concrete: Configuration, partners: list[Configuration], moves: tuple[Move, ...]
) -> int | None:
    """How many abstract states match the whole run; None where that is not determined."""
    current, here = partners, concrete
    numbers = {id(e): n for n, e in enumerate(board.goal.concrete.edges)}
    for move in moves:
        step = challenge(board, numbers[id(move.edge)], move.edge)
        following = dict[tuple[str, tuple[Value, ...]], Configuration]()
        for partner in current:
            both = {**here.values, **partner.values}
            state = {**{v: both[v] for v in board.variables}, **move.choices}
            found = answers(session, board, partner.location, step, state)
            if found is None:
                return None
            for run in found.runs:
                end = end_of(board, found, run)
                if broken(board, move.after, end) is None:
                    following[end.location, tuple(end.values.values())] = end
        if len(following) > STATE_BOUND:
            return None
        current, here = list(following.values()), move.after
        if not current:
            return 0
    return len(current)
