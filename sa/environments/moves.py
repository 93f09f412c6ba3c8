"""What the environments may do at a pair (condition 2.a), closed so that one application is enough.

`environment_move` is the closure of "one concrete environment step and any finite sequence of abstract ones, ι and the
invariants holding after it", over the variables of the board. Lemmas are projected through it once and are
stable from then on (THEORY section 4, point 3).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.environments.closure import Closure, close
from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.implicant import implicant
from sa.terms.project import project
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class EnvironmentMove(Struct, frozen=True):
    """The environments' moves at a pair: only `moving` change, and `relation` holds, over all variables and their
    primes. `exact` says that Spoiler can really make all these moves."""

    moving: tuple[Var, ...]
    relation: Term
    exact: bool


STILL = EnvironmentMove((), build.TRUE, True)


def abstract_closure(session: Session, board: Board, location: str) -> Closure:
    """The closure of the abstract environment at a location, over `abs.` variables as they stand."""
    place = board.abstract.locations[location]
    assert place.env is not None
    return close(session, place.env, board.abstract.globals, place.inv)


def environment_move(session: Session, board: Board, pair: Pair, closure: Closure) -> EnvironmentMove:
    """The environments' moves at a pair, given the closure of the abstract environment there."""
    concrete = board.concrete.locations[pair[0]].env
    assert concrete is not None
    base = boards.base(board, pair)
    changing = (*board.concrete.globals, *(v for v in board.abstract.globals if v not in board.links))
    both = build.land(boards.reduce_primed(board, concrete), boards.reduce_primed(board, closure.relation))
    step = build.land(both, _matching(board, changing), *(boards.after_drift(b, changing) for b in base))
    fixed = {v for v in changing if build.eq(primed(v), v) in build.conjuncts(step)}
    still = {primed(v): v for v in fixed}
    moving = tuple(v for v in changing if v not in fixed)
    if not moving:
        return STILL
    reduced = substitute(step, still)
    known = build.land(*base)
    settled = build.land(*(c for c in build.conjuncts(reduced) if not _holds_already(c, base)))
    closed = close(session, settled, moving, known)
    relation = build.land(*(c for c in build.conjuncts(closed.relation) if not _holds_already(c, base)))
    return EnvironmentMove(moving, relation, closure.exact and closed.exact)


def _holds_already(conjunct: Term, base: tuple[Term, ...]) -> bool:
    return conjunct in base


def _matching(board: Board, changing: tuple[Var, ...]) -> Term:
    """An abstract local does not change, so what ι makes it equal to must not either."""
    linked = (board.links[v] for v in board.abstract.locals if v in board.links)
    return build.land(*(build.eq(boards.after_drift(t, changing), t) for t in linked))


def lift(
    moves: EnvironmentMove, cube: tuple[Term, ...], before: State, after: Mapping[Var, Value] | None = None
) -> tuple[tuple[Term, ...], bool]:
    """States from which the environments can reach the cube, around a state: a cube, and whether they all are.

    `before` is a state from which they can; `after` gives the moved variables' values there, the same as before
    if it is not given.
    """
    if all(v not in c.free for c in cube for v in moves.moving):
        return cube, True
    there = {v: primed(v) for v in moves.moving}
    reached = {t: (before if after is None else after)[v] for v, t in there.items()}
    state = {**before, **reached}
    parts = (moves.relation, *(substitute(c, there) for c in cube))
    literals = implicant(parts, state)
    lifted, exact = project(literals, there.values(), state)
    # Where a disjunction or a conditional had to be decided, other states lead into the cube in other ways.
    return lifted, exact and set(literals) == set(build.conjoined(parts))
