"""Questions that are empty (THEORY section 7): their answers would hold for want of states or steps.

What nobody can mean is an input error: axioms of the two sides that contradict each other, a precondition that
no pair of initial states satisfies. Initial values that differ on the two sides are no mistake of this kind: they
refute the claim. What can never happen in one of the programs is in `conditions.vacuity`.
"""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import location_of
from sa.automata.program import Formula
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.conditions.vacuity import RLIMIT
from sa.smt.session import Session, Unsat
from sa.terms.term import Term


def check_not_empty(asked: Sequence[Goal], pre: tuple[Formula, ...], bounds: Limits) -> None:
    """Raises InputError where no pair of initial states is asked about, and LimitReached."""
    if errors := tuple(d for goal in asked for d in _of_goal(goal, pre, bounds)):
        raise InputError(tuple(dict.fromkeys(errors)))


def _of_goal(goal: Goal, pre: tuple[Formula, ...], bounds: Limits) -> tuple[Diagnostic, ...]:
    if not goal.axioms and not pre:
        return ()
    session = Session(bounds, tuple(a.formula for a in goal.axioms), rlimit=RLIMIT)
    if goal.axioms and _impossible(session, ()):
        hint = "both axioms are assumed, and anything follows from a contradiction"
        place = goal.axioms[0].origin.span
        return (error("SA501", "the axioms of the two sides contradict each other", place, hint),)
    # The goal may name variables otherwise than the block does, so formulas are known by their places.
    places = {f.origin for f in pre}
    written = [f for f in goal.kappa if f.origin in places]
    starts = [
        *(part for side in (goal.concrete, goal.abstract) for part in (side.init, location_of(side, side.initial).inv)),
        *(f.term for f in goal.kappa if f.origin not in places),
    ]
    if not written or not _impossible(session, [*starts, *(f.term for f in written)]) or _impossible(session, starts):
        return ()
    first = next((f for f in written if _impossible(session, [*starts, f.term])), written[0])
    message = "no pair of initial states satisfies the precondition"
    hint = "weaken `pre`: without initial states every claim holds trivially"
    return (error("SA407", message, first.origin.span, hint),)


def _impossible(session: Session, formulas: Sequence[Term]) -> bool:
    return isinstance(session.check(formulas), Unsat)
