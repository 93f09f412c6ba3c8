"""Matching of environments, part of the claim for open threads (THEORY section 7).

Whatever the concrete environment does in one step, some sequence of abstract environment steps must keep ι
and the invariants. Together with condition 2.a that puts the resulting pair into θ, so ι is all to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sa.conditions.environment import identity
from sa.environments.closure import Closure
from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.implicant import implicant
from sa.terms.name import off_side
from sa.terms.sort import default_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class Mismatch(Struct, frozen=True):
    """A concrete environment step that nothing matches: literals over the state and primed concrete globals."""

    cube: tuple[Term, ...]
    values: State


#: How many ways to match are tried.
WITNESS_BOUND = 16


def mismatch(
    session: Session, board: Board, pair: Pair, known: tuple[Term, ...], closure: Closure
) -> Mismatch | str | None:
    """A mismatch among the known states of a pair, None if there is none, or why that could not be settled."""
    step = _concrete_step(board, pair)
    reachable = closure.relation if closure.exact else _one_step(board, pair)
    match_ = _abstract_match(board, pair, reachable)
    free = [primed(v) for v in board.abstract.globals if v not in board.links and primed(v) in match_.free]
    witnesses = list(_witnesses(board, match_))
    while len(witnesses) <= WITNESS_BOUND:
        reply = session.check((*known, *step, *(build.lnot(w) for w in witnesses)))
        if isinstance(reply, Unsat):
            return None
        if not isinstance(reply, Sat):
            return "environment steps could not be matched"
        point = {v: build.constant(value, v.sort) for v, value in reply.values.items() if v not in free}
        partner = session.check((substitute(match_, point),))
        if not isinstance(partner, Sat):
            # To be a loss, even the closure, which is not smaller than what is reachable, must have no match.
            return _loss(session, _abstract_match(board, pair, closure.relation), step, reply, point, bool(free))
        values = {v: build.constant(partner.values.get(v, default_value(v.sort)), v.sort) for v in free}
        witnesses.append(substitute(match_, values))
    return "the abstract environment's answer depends on variables that ι does not relate"


def _loss(
    session: Session, most: Term, step: tuple[Term, ...], reply: Sat, point: Mapping[Var, Term], pointwise: bool
) -> Mismatch | str:
    """The mismatch of a state in which nothing that the abstract environment may do matches."""
    if not isinstance(session.check((substitute(most, point),)), Unsat):
        return "the abstract environment needs more steps than could be explored"
    if not pointwise:
        return Mismatch(implicant((*step, build.lnot(most)), reply.values), reply.values)
    # With abstract globals that ι leaves open, the loss is that of this one state.
    mentioned = [v for v in point if v in most.free or any(v in s.free for s in step)]
    return Mismatch(tuple(build.eq(v, point[v]) for v in mentioned), reply.values)


def matched_step(board: Board, pair: Pair) -> Term:
    """That whatever one concrete environment step does, one abstract step or none keeps up, in the first way tried."""
    step = build.land(*_concrete_step(board, pair))
    witness = next(_witnesses(board, _abstract_match(board, pair, _one_step(board, pair))))
    return build.implies(step, witness)


def _concrete_step(board: Board, pair: Pair) -> tuple[Term, ...]:
    place = board.concrete.locations[pair[0]]
    assert place.env is not None
    return build.conjoined((place.env, boards.after_drift(place.inv, board.concrete.globals)))


def _one_step(board: Board, pair: Pair) -> Term:
    place = board.abstract.locations[pair[1]]
    assert place.env is not None
    kept = boards.after_drift(place.inv, board.abstract.globals)
    return build.lor(build.land(place.env, kept), identity(board.abstract.globals))


def _abstract_match(board: Board, pair: Pair, reachable: Term) -> Term:
    """The abstract environment's moves and what must hold after them, with ι's equations substituted."""
    changing = (*board.concrete.globals, *board.abstract.globals)
    linked = (board.links[v] for v in board.abstract.locals if v in board.links)
    still = (build.eq(boards.after_drift(t, changing), t) for t in linked)
    after = (boards.after_drift(b, changing) for b in boards.base(board, pair))
    return build.land(boards.reduce_primed(board, reachable), *still, *after)


def _witnesses(board: Board, match_: Term) -> Iterator[Term]:
    """The match with abstract globals that ι leaves open staying, or following their concrete namesakes."""
    free = [v for v in board.abstract.globals if v not in board.links]
    yield substitute(match_, {primed(v): v for v in free})
    names = {off_side(v.name): v for v in board.concrete.globals}
    follow = {primed(v): primed(names[k]) for v in free if (k := off_side(v.name)) in names}
    if follow:
        yield substitute(match_, {**{primed(v): v for v in free}, **follow})
