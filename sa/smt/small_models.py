"""Models that are good to read: they change little and have small numbers. Plays are made of them."""

from __future__ import annotations

from collections.abc import Sequence

from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.sort import INT, Value, default_value
from sa.terms.term import Term, Var


def pleasant(session: Session, formulas: Sequence[Term], wanted: Sequence[Var]) -> dict[Var, Value] | None:
    """Values that satisfy the formulas, small natural numbers if possible; None if there are none to be trusted."""
    numbers = [v for v in wanted if v.sort == INT]
    natural = [build.le(build.ZERO, v) for v in numbers]
    small = [build.le(v, build.integer(9)) for v in numbers]
    for preference in ((*natural, *small), natural, ()):
        reply = session.check((*(f for f in formulas if f is not build.TRUE), *preference))
        if isinstance(reply, Sat):
            return {v: reply.values.get(v, default_value(v.sort)) for v in wanted} if reply.trusted else None
    return None


def near(session: Session, formulas: Sequence[Term], wanted: Sequence[Var], now: State) -> dict[Var, Value] | None:
    """As `pleasant`, with as many of the variables of `now` at their values there as a greedy search can keep."""
    kept = list[Term]()
    for var, value in now.items():
        same = build.eq(var, build.constant(value, var.sort))
        if isinstance(session.check((*formulas, *kept, same)), Sat):
            kept.append(same)
    return pleasant(session, (*formulas, *kept), wanted)
