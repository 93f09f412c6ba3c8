"""Matching of environments, part of the claim for open threads (THEORY section 7).

Whatever the concrete environment does in one step, some sequence of abstract environment steps must keep ι
and the invariants. Together with condition 2.a that puts the resulting pair into θ, so ι is all to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sa.simulation import board as boards
from sa.simulation.board import Board, Pair
from sa.simulation.closure import Closure, identity
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.implicant import implicant
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A concrete environment step that nothing matches: literals over the state and primed concrete globals."""

    cube: tuple[Term, ...]
    values: State


def mismatch(
    session: Session, board: Board, pair: Pair, known: tuple[Term, ...], closure: Closure
) -> Mismatch | str | None:
    """A mismatch among the known states of a pair, None if there is none, or why that could not be settled."""
    step = _concrete_step(board, pair)
    reachable = closure.relation if closure.exact else _one_step(board, pair)
    match_ = _abstract_match(board, pair, reachable)
    witnesses = list[Term]()
    for witness in _witnesses(board, match_):
        witnesses.append(witness)
        if isinstance(session.check((*known, *step, *(build.lnot(w) for w in witnesses))), Unsat):
            return None
    reply = session.check((*known, *step, *(build.lnot(w) for w in witnesses)))
    if not isinstance(reply, Sat):
        return "environment steps could not be matched"
    free = [primed(v) for v in board.abstract.globals if v not in board.links and primed(v) in match_.free]
    # To be a loss, even the closure, which is not smaller than what is reachable, must have no match.
    most = _abstract_match(board, pair, closure.relation)
    if not free:
        negated = build.lnot(most)
        if isinstance(session.check((*known, *step, negated)), Unsat):
            return "the abstract environment needs more steps than could be followed"
        reply = session.check((*known, *step, negated))
        if not isinstance(reply, Sat):
            return "environment steps could not be matched"
        return Mismatch(implicant((*step, negated), reply.values), reply.values)
    return _pointwise(session, board, most, step, reply, free)


def matched_step(board: Board, pair: Pair) -> Term:
    """That whatever one concrete environment step does, one abstract step or none keeps up, in the first way tried."""
    step = build.land(*_concrete_step(board, pair))
    witness = next(_witnesses(board, _abstract_match(board, pair, _one_step(board, pair))))
    return build.implies(step, witness)


def _pointwise(
    session: Session, board: Board, most: Term, step: tuple[Term, ...], reply: Sat, free: list[Var]
) -> Mismatch | str:
    """With abstract globals that ι leaves open, a loss is shown for the one state that the solver found."""
    point = {v: build.constant(value, v.sort) for v, value in reply.values.items() if v not in free}
    if not isinstance(session.check((substitute(most, point),)), Unsat):
        return "the abstract environment's answer depends on variables that ι does not relate"
    mentioned = [v for v in point if v in most.free or any(v in s.free for s in step)]
    return Mismatch(tuple(build.eq(v, point[v]) for v in mentioned), reply.values)


def _concrete_step(board: Board, pair: Pair) -> tuple[Term, ...]:
    place = board.concrete.locations[pair[0]]
    assert place.env is not None
    return build.conjuncts(build.land(place.env, boards.after_drift(place.inv, board.concrete.globals)))


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
    names = {v.name.partition(".")[2]: v for v in board.concrete.globals}
    follow = {primed(v): primed(names[k]) for v in free if (k := v.name.partition(".")[2]) in names}
    if follow:
        yield substitute(match_, {**{primed(v): v for v in free}, **follow})
