"""Whether a play's concrete run escapes every abstract run (THEORY section 2): the bug that users look for.

A refutation says that no simulation exists; an abstract thread may still have some run for each concrete one,
if only it could guess ahead. Here the abstract states that match a concrete run so far are followed all at
once, for closed goals. An empty set means that the behaviour escapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from sa.automata.live import live
from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, Chosen, Drift, Play, Position, Step, Uncovered
from sa.game.board import Board, initial_condition, lay_out
from sa.game.rounds import challenge
from sa.plays.positions import broken
from sa.plays.replies import answers, end_of
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
    outside = frozenset[Var]().union(*(f.term.free for f in goal.iota))
    chase = _Chase(session, board, live(goal.abstract, outside))
    partners = _partners(chase, play.concrete)
    if partners is None:
        return None
    certain = True
    for number, run in enumerate(_runs(play)):
        if number >= RUN_BOUND:
            return None
        left = _follow(chase, play.concrete, partners, run)
        if left == 0:
            return True
        certain = certain and left is not None
    return False if certain else None


class _Chase(Struct):
    """The runs followed so far: by their moves, the abstract states that match, None where these are too many.

    Abstract states are the same if they differ only in variables that do not matter any more.
    """

    session: Session
    board: Board
    live: Mapping[str, frozenset[Var]]
    known: dict[tuple[object, ...], list[Configuration] | None] = field(default_factory=dict)


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


def _partners(chase: _Chase, concrete: Configuration) -> list[Configuration] | None:
    """The abstract initial states that κ and ι relate to a concrete one."""
    session, board = chase.session, chase.board
    point = {v: build.constant(x, v.sort) for v, x in concrete.values.items()}
    own = [v.var for v in board.goal.abstract.variables if v.var not in point]
    wanted = [substitute(t, point) for t in (*initial_condition(board), *(f.term for f in board.goal.iota))]
    found = list[Configuration]()
    blocked = list[Term]()
    while not isinstance(reply := session.check((*wanted, *blocked)), Unsat):
        if not isinstance(reply, Sat) or len(found) >= STATE_BOUND:
            return None
        values = {v: reply.values.get(v, default_value(v.sort)) for v in own}
        state = Configuration(board.goal.abstract.initial, _both(board, concrete.values, values))
        found.append(state)
        alike = (build.eq(v, build.constant(values[v], v.sort)) for v in own if v in chase.live[state.location])
        blocked.append(build.lnot(build.land(*alike)))
    return found


def _both(board: Board, concrete: State, own: State) -> dict[Var, Value]:
    return {v.var: (own if v.var in own else concrete)[v.var] for v in board.goal.abstract.variables}


def _follow(
    chase: _Chase, concrete: Configuration, partners: list[Configuration], moves: tuple[Move, ...]
) -> int | None:
    """How many abstract states match the whole run; None where that is not determined."""
    current, here, key = partners, concrete, tuple[object, ...]()
    for move in moves:
        key = (*key, id(move.edge), tuple(move.choices.items()), tuple(move.after.values.items()))
        if key not in chase.known:
            chase.known[key] = _after(chase, here, current, move)
        following = chase.known[key]
        if not following:
            return None if following is None else 0
        current, here = following, move.after
    return len(current)


def _after(chase: _Chase, here: Configuration, current: list[Configuration], move: Move) -> list[Configuration] | None:
    """The abstract states that match one more move."""
    board = chase.board
    number = next(n for n, edge in enumerate(board.goal.concrete.edges) if edge is move.edge)
    step = challenge(board, number, move.edge)
    following = dict[tuple[str, tuple[Value, ...]], Configuration]()
    for partner in current:
        both = {**here.values, **partner.values}
        state = {**{v: both[v] for v in board.variables}, **move.choices}
        found = answers(chase.session, board, partner.location, step, state)
        if found is None:
            return None
        for run in found.runs:
            end = end_of(board, found, run)
            if broken(board, move.after, end) is None:
                matters = chase.live[end.location]
                following[end.location, tuple(x for v, x in end.values.items() if v in matters)] = end
    return list(following.values()) if len(following) <= STATE_BOUND else None
