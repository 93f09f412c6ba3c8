"""What a play's concrete run shows (THEORY section 2): the bug that users look for is a behaviour that escapes.

A refutation says that no simulation exists for κ and ι. There may still be an abstract run with the same visible
actions for each concrete one, that breaks ι or has to guess ahead. Here the abstract states that match a concrete run
so far are followed all at once, for closed goals: without ι first, then with it. An empty set means that no run
matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.live import live
from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.play import Chosen, EnvironmentMove, Loss, Play, Position, Step, Uncovered
from sa.game.board import Board, initial_condition, lay_out
from sa.game.rounds import challenge
from sa.plays.positions import broken
from sa.plays.replies import answers, end_of, some_answers
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.sort import Value, default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many runs of a play are followed, how many abstract states at once, and how many of infinitely many answers.
RUN_BOUND = 20
STATE_BOUND = 200
ANSWER_BOUND = 9


def loss(goal: Goal, play: Play, session: Session) -> Loss | None:
    """What a play of a closed goal shows of the concrete runs in it; None where that is not determined."""
    if not goal.closed:
        return None
    match play:
        case Uncovered(concrete):
            partners = _partners(_chase(replace(goal, kappa=(), iota=()), session), concrete, 1)
            # Which actions follow from there is not looked at.
            return Loss.BEHAVIOUR if partners == [] else None
        case Position() | Chosen():
            visible = replace(goal, kappa=(), iota=())
            # The nearest answers show soon that there is a run, if there is one; only all of them that there is none.
            seen = _matched(visible, play, session, ANSWER_BOUND) or _matched(visible, play, session)
            if seen is not True:
                return None if seen is None else Loss.BEHAVIOUR
            kept = _matched(goal, play, session)
            if kept is None and _is_straight(goal, play, session):
                kept = False
            return None if kept is None else Loss.FORESIGHT if kept else Loss.RELATION
        case _:
            return Loss.RELATION


def _is_straight(goal: Goal, play: Position | Chosen, session: Session) -> bool:
    """Whether a play shows one concrete run only, and from the only related start: then no answers to it are right."""
    one_start = len(_partners(_chase(goal, session), play.concrete, 2) or ()) == 1
    return one_start and len(list(islice(_runs(play), 2))) == 1


def _matched(goal: Goal, play: Position | Chosen, session: Session, few: int | None = None) -> bool | None:
    """Whether each concrete run of the play has an abstract one; None where that is not determined.

    With `few` only so many answers to each step are looked at.
    """
    chase = _chase(goal, session, few)
    partners = _partners(chase, play.concrete, STATE_BOUND)
    if partners is None:
        return None
    certain = True
    for number, run in enumerate(_runs(play)):
        if number >= RUN_BOUND:
            return None
        left = _follow(chase, play.concrete, partners, run)
        if left is False:
            return False
        certain = certain and left is not None
    return True if certain else None


class _Matching(Struct, frozen=True):
    """Abstract states that match a run; `all` says that there are no others."""

    states: tuple[Configuration, ...]
    all: bool


class _Chase(Struct):
    """The runs followed so far: by their moves, abstract states that match, or a `few` of them.

    Abstract states are the same if they differ only in variables that do not matter any more.
    """

    session: Session
    board: Board
    live: Mapping[str, frozenset[Var]]
    few: int | None = None
    known: dict[tuple[object, ...], _Matching] = field(default_factory=dict)


def _chase(goal: Goal, session: Session, few: int | None = None) -> _Chase:
    outside = frozenset[Var]().union(*(f.term.free for f in goal.iota))
    return _Chase(session, lay_out(goal), live(goal.abstract, outside), few)


def _runs(play: Position | Chosen) -> Iterator[tuple[Move, ...]]:
    """The longest concrete runs that a play shows, each once however many answers there are to it."""
    openings = (play,) if isinstance(play, Position) else play.openings
    pending: list[tuple[list[Position], tuple[Move, ...]]] = [([o for o in openings if isinstance(o, Position)], ())]
    while pending:
        here, run = pending.pop()
        following = dict[object, tuple[Move, dict[int, Position]]]()
        for position in here:
            while isinstance(position.move, EnvironmentMove):
                position = position.move.then
            if isinstance(position.move, Step):
                move = position.move.move
                key = (id(move.edge), tuple(move.choices.items()), tuple(move.after.values.items()))
                _, positions = following.setdefault(key, (move, {}))
                after = (r.then for r in position.move.replies if isinstance(r.then, Position))
                positions.update((id(p), p) for p in after)
        if not following:
            yield run
        for move, positions in reversed(following.values()):
            pending.append((list(positions.values()), (*run, move)))


def _partners(chase: _Chase, concrete: Configuration, bound: int) -> list[Configuration] | None:
    """The abstract initial states that κ and ι relate to a concrete one; None if there are more than `bound`."""
    session, board = chase.session, chase.board
    point = {v: build.constant(x, v.sort) for v, x in concrete.values.items()}
    own = [v.var for v in board.goal.abstract.variables if v.var not in point]
    wanted = [substitute(t, point) for t in (*initial_condition(board), *(f.term for f in board.goal.iota))]
    found = list[Configuration]()
    blocked = list[Term]()
    while not isinstance(reply := session.check((*wanted, *blocked)), Unsat):
        if not isinstance(reply, Sat) or len(found) >= bound:
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
) -> bool | None:
    """Whether abstract states match the whole run; None where that is not determined."""
    current, here, key = _Matching(tuple(partners), True), concrete, tuple[object, ...]()
    for move in moves:
        key = (*key, id(move.edge), tuple(move.choices.items()), tuple(move.after.values.items()))
        if key not in chase.known:
            chase.known[key] = _after(chase, here, current, move)
        current, here = chase.known[key], move.after
    return True if current.states else False if current.all else None


def _after(chase: _Chase, here: Configuration, current: _Matching, move: Move) -> _Matching:
    """Abstract states that match one more move: the nearest ones, if there are too many."""
    board, complete = chase.board, current.all
    number = next(n for n, edge in enumerate(board.goal.concrete.edges) if edge is move.edge)
    step = challenge(board, number, move.edge)
    following = dict[tuple[str, tuple[Value, ...]], Configuration]()
    for partner in current.states:
        both = {**here.values, **partner.values}
        state = {**{v: both[v] for v in board.variables}, **move.choices}
        found = None if chase.few is not None else answers(chase.session, board, partner.location, step, state)
        if found is None:
            complete = False
            found = some_answers(chase.session, board, partner.location, step, state, ANSWER_BOUND)
        for run in found.runs:
            end = end_of(board, found, run)
            if broken(board, move.after, end) is None:
                matters = chase.live[end.location]
                following.setdefault((end.location, tuple(x for v, x in end.values.items() if v in matters)), end)
    few = tuple(following.values())[:STATE_BOUND]
    return _Matching(few, complete and len(few) == len(following))
