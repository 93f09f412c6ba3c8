"""What a play's concrete run shows (THEORY section 2): the bug that users look for is a behaviour that escapes.

A refutation says that no simulation exists for κ and ι. There may still be an abstract run with the same visible
actions for each concrete one, that breaks ι or has to guess ahead. Here the abstract states that match a concrete run
so far are followed all at once, for closed goals: without ι first, then with it. If none is left, no run matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.trace import Configuration, Move
from sa.certificates.goal import Goal
from sa.certificates.play import BrokenAtStart, Chosen, EnvironmentMove, Loss, PlainPlay, Position, Step, Uncovered
from sa.plays.matching import Matching, TooMany, ends, matching, passing, starting
from sa.plays.symbolic_state_sets import Front
from sa.smt.session import Session

#: How many runs of a play are followed.
RUN_BOUND = 20

#: How many questions the solver is asked for that. The refutation stands already: what it shows must be said quickly.
QUESTIONS = 300


def loss(goal: Goal, play: PlainPlay, session: Session) -> Loss | None:
    """What a play of a closed goal shows of the concrete runs in it; None where that is not determined."""
    if not goal.closed:
        return None
    match play:
        case Uncovered(concrete):
            # Which actions follow from there is not looked at.
            visible = matching(replace(goal, kappa=(), iota=()), session)
            return Loss.BEHAVIOUR if starting(visible, concrete) is None else None
        case Position() | Chosen():
            seen = _matched(replace(goal, kappa=(), iota=()), play, session)
            if seen is not True:
                return None if seen is None else Loss.BEHAVIOUR
            if _goes_on_in_regions(play):
                return None
            kept = _matched(goal, play, session)
            if kept is None and _is_straight(goal, play, session):
                kept = False
            return None if kept is None else Loss.FORESIGHT if kept else Loss.RELATION
        case BrokenAtStart():
            return Loss.RELATION
        case _:
            assert_never(play)


def _goes_on_in_regions(play: Position | Chosen) -> bool:
    """Whether the play goes on where its concrete runs are not told: of these nothing is said that must hold of all."""
    pending: list[object] = [play] if isinstance(play, Position) else list(play.openings)
    met = set[int]()
    while pending:
        here = pending.pop()
        if not isinstance(here, Position) or id(here) in met:
            continue
        met.add(id(here))
        match here.move:
            case Step() as step:
                if step.others:
                    return True
                pending += (reply.then for reply in step.replies)
            case EnvironmentMove() as move:
                pending.append(move.then)
            case _:
                pass
    return False


def _is_straight(goal: Goal, play: Position | Chosen, session: Session) -> bool:
    """Whether a play shows one concrete run only, and from the only related start: then no answers to it are right."""
    m = matching(goal, session)
    start, matters = starting(m, play.concrete), m.matters[goal.abstract.initial]
    if start is None or any(t.free for v, t in zip(m.order, start.values, strict=True) if v in matters):
        return False
    return len(list(islice(runs_of(play), 2))) == 1


def _matched(goal: Goal, play: Position | Chosen, session: Session) -> bool | None:
    """Whether each concrete run of the play has an abstract one; None where that is not determined."""
    m = matching(goal, session, QUESTIONS)
    start = starting(m, play.concrete)
    if start is None:
        return False
    chase, runs = _Chase(m, {goal.abstract.initial: [start]}), runs_of(play)
    found = list[bool | None]()
    for run in islice(runs, RUN_BOUND):
        found.append(_follow(chase, play.concrete, run))
        if found[-1] is False:
            return False
    return True if all(found) and next(runs, None) is None else None


class _Chase(Struct, eq=False):
    """The runs followed so far: by their moves, the abstract states that match."""

    matching: Matching
    start: dict[str, list[Front]]
    known: dict[tuple[object, ...], dict[str, list[Front]] | None] = field(default_factory=dict)


def runs_of(play: Position | Chosen) -> Iterator[tuple[Move, ...]]:
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


def _follow(chase: _Chase, concrete: Configuration, moves: tuple[Move, ...]) -> bool | None:
    """Whether abstract states match the whole run; None where that is not determined."""
    current: dict[str, list[Front]] | None = chase.start
    here, key = concrete, tuple[object, ...]()
    for move in moves:
        key = (*key, id(move.edge), tuple(move.choices.items()), tuple(move.after.values.items()))
        if key not in chase.known:
            chase.known[key] = _after(chase.matching, current, here, move)
        current, here = chase.known[key], move.after
    if current is None:
        return None
    fronts = [one for found in current.values() for one in found]
    return True if any(one.exact for one in fronts) else None if fronts else False


def _after(
    m: Matching, current: dict[str, list[Front]] | None, here: Configuration, move: Move
) -> dict[str, list[Front]] | None:
    """The states that match one more move; None if they are too many."""
    try:
        return None if current is None else ends(m, passing(m, current, here, move), move.after)
    except TooMany:
        return None
