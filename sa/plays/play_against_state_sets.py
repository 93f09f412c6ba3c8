"""Spoiler's steps against all abstract states that may match so far, as a play: regions of them, step by step.

Which step to make is somebody else's guess, state by state. What is shown is that no answers survive it, whatever
values they choose and however often they turn: the states that answers end in are followed, not the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.trace import Configuration, Move
from sa.base.limits import spend
from sa.certificates.goal import Goal
from sa.certificates.play import Exhausted, Passed, Position, Region, Step
from sa.game.board import Board, lay_out
from sa.game.rounds import challenge
from sa.plays.matching import Matching, Passing, TooMany, at, ends, matching, passing
from sa.plays.replies import replies, some_answers
from sa.plays.symbolic_state_sets import Front
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import holds
from sa.terms.term import Term

#: Steps from a concrete state that may win against the abstract states of a front at a location, best ones first.
Chooser: TypeAlias = Callable[[Configuration, str, Front], Iterable[Move]]

#: Abstract states by location.
Fronts: TypeAlias = Mapping[str, Sequence[Front]]

#: How many steps a play may have one after the other, how many are tried in all, and how many from one front.
DEPTH, TRIED, EACH = 120, 1000, 3


class Win(Struct, frozen=True, eq=False):
    """A step that wins against abstract states: what answers to it pass, and steps that win against their ends."""

    here: Configuration
    against: Fronts
    move: Move
    passed: Passing
    then: tuple[Win, ...]


class _Search(Struct, eq=False):
    matching: Matching
    choose: Chooser
    known: dict[object, Win | None] = field(default_factory=dict)
    tried: int = 0


def outrun(
    goal: Goal, session: Session, first: Configuration, second: Configuration, choose: Chooser
) -> Position | None:
    """The play of a closed goal from a pair of related initial states by steps that somebody chooses.

    None if they do not win for certain. Raises LimitReached.
    """
    search = _Search(matching(goal, session), choose)
    wins = _won(search, first, {second.location: [at(search.matching, second)]}, DEPTH)
    return None if wins is None else _told(_Telling(lay_out(goal), session), wins[0], second)


def along_fronts(
    goal: Goal, session: Session, first: Configuration, second: Configuration, moves: Sequence[Move]
) -> Position | None:
    """The play of a closed goal along one concrete run, against all abstract states that may match it.

    None where some are left, or too many. Raises LimitReached.
    """
    m, here, stages = matching(goal, session), first, list[tuple[Configuration, Fronts, Move, Passing]]()
    current: Fronts = {second.location: [at(m, second)]}
    for move in moves[:DEPTH]:
        spend(session.bounds, 300)
        try:
            passed = passing(m, current, here, move)
        except TooMany:
            return None
        stages.append((here, current, move, passed))
        here, current = move.after, ends(m, passed, move.after)
        if not current:
            break
    else:
        return None
    then: tuple[Win, ...] = ()
    for stage in reversed(stages):
        then = (Win(*stage, then),)
    return _told(_Telling(lay_out(goal), session), then[0], second)


def _won(search: _Search, here: Configuration, against: Fronts, depth: int) -> tuple[Win, ...] | None:
    """Steps that win against all abstract states of some fronts, as few as may be."""
    chosen = [(location, one, _chosen(search, here, location, one)) for location, f in against.items() for one in f]
    groups = dict[object, tuple[Move, dict[str, list[Front]], list[tuple[str, Front, list[Move]]]]]()
    # What silent steps lead to is no better than where they begin, and nobody may have thought of it.
    others = list({_key(move): move for *_, moves in chosen for move in moves}.values())[:EACH]
    for location, one, own in chosen:
        moves = list({_key(move): move for move in (*own, *others)}.values())
        if not moves:
            return None
        _, together, each = groups.setdefault(_key(moves[0]), (moves[0], {}, []))
        together.setdefault(location, []).append(one)
        each.append((location, one, moves))
    wins = list[Win]()
    for move, together, each in groups.values():
        win = _win(search, here, together, move, depth)
        if win is not None:
            wins.append(win)
            continue
        for location, one, moves in each:
            rest = moves[1:] if len(each) == 1 else moves
            tries = (_win(search, here, {location: [one]}, move, depth) for move in rest)
            win = next((w for w in tries if w is not None), None)
            if win is None:
                return None
            wins.append(win)
    return tuple(wins)


def _chosen(search: _Search, here: Configuration, location: str, one: Front) -> list[Move]:
    found = dict[object, Move]()
    for move in search.choose(here, location, one):
        found.setdefault(_key(move), move)
        if len(found) >= EACH:
            break
    return list(found.values())


def _key(move: Move) -> tuple[object, ...]:
    return id(move.edge), tuple(move.choices.items()), tuple(move.after.values.items())


def _win(search: _Search, here: Configuration, against: Fronts, move: Move, depth: int) -> Win | None:
    """The step against these abstract states, if it wins."""
    listed = frozenset((location, one) for location, fronts in against.items() for one in fronts)
    key = here.location, tuple(here.values.values()), listed, _key(move)
    if key not in search.known:
        spend(search.matching.session.bounds, 800)
        search.tried += 1
        # Not known until it is: a play in a circle does not win.
        search.known[key] = None
        if depth > 0 and search.tried <= TRIED:
            search.known[key] = _tried(search, here, against, move, depth)
    return search.known[key]


def _tried(search: _Search, here: Configuration, against: Fronts, move: Move, depth: int) -> Win | None:
    try:
        passed = passing(search.matching, against, here, move)
    except TooMany:
        return None
    left = ends(search.matching, passed, move.after)
    then = _won(search, move.after, left, depth - 1) if left else ()
    return None if then is None else Win(here, against, move, passed, then)


class _Telling(Struct, eq=False):
    """What a play is made of; positions and regions are shared where they repeat."""

    board: Board
    session: Session
    regions: dict[int, tuple[Region, ...]] = field(default_factory=dict)
    through: dict[int, tuple[Passed, ...]] = field(default_factory=dict)


def _told(telling: _Telling, win: Win, abstract: Configuration) -> Position:
    """The position against one of the abstract states that a step wins against."""
    board, move = telling.board, win.move
    both = {**win.here.values, **abstract.values}
    state = {**{v: both[v] for v in board.variables}, **move.choices}
    step = challenge(board, _number(board, move), move.edge)
    shown = some_answers(telling.session, board, abstract.location, step, state)
    told = list[Position]()

    def follow(end: Configuration) -> Position | None:
        """One answer that ι relates is followed; the others end in regions as it does."""
        then = next((w for w in win.then if _is_among(end, w.against)), None)
        if told or then is None:
            return None
        told.append(_told(telling, then, end))
        return told[0]

    listed = replies(board, shown, move.after, follow)
    others = tuple(r for then in win.then for r in _regions(telling, then))
    made = Step(move, listed, (), Exhausted.SOLVER, (), others, (), _passed(telling, win))
    return Position(win.here, abstract, made)


def _is_among(state: Configuration, fronts: Fronts) -> bool:
    return any(holds(one.formula, state.values) for one in fronts.get(state.location, ()))


def _number(board: Board, move: Move) -> int:
    return next(n for n, edge in enumerate(board.goal.concrete.edges) if edge is move.edge)


def _regions(telling: _Telling, win: Win) -> tuple[Region, ...]:
    """The states that a step wins against, by abstract location."""
    if id(win) not in telling.regions:
        then = tuple(r for w in win.then for r in _regions(telling, w))
        number, through = _number(telling.board, win.move), _passed(telling, win)
        choices = tuple((v, build.constant(x, v.sort)) for v, x in win.move.choices.items())
        concrete = [build.eq(v, build.constant(x, v.sort)) for v, x in win.here.values.items()]
        telling.regions[id(win)] = tuple(
            Region(win.here.location, location, build.land(*concrete, _any(fronts)), number, choices, then, (), through)
            for location, fronts in win.against.items()
        )
    return telling.regions[id(win)]


def _passed(telling: _Telling, win: Win) -> tuple[Passed, ...]:
    if id(win) not in telling.through:
        found = (Passed(location, shown, _any(fronts)) for (location, shown), fronts in win.passed.items())
        telling.through[id(win)] = tuple(found)
    return telling.through[id(win)]


def _any(fronts: Sequence[Front]) -> Term:
    return build.lor(*(f.formula for f in fronts))
