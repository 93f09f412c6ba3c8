"""What is noticed of two programs that are compared, beside the answer."""

from __future__ import annotations

from sa.automata.program import Program
from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.limits import LimitReached, Limits
from sa.conditions.possible_divergence import termination
from sa.conditions.vacuity import vacuous
from sa.engines.options import Options


def never(abstract: Program, concrete: Program, bounds: Limits) -> tuple[Diagnostic, ...]:
    """Warnings about what can never happen in either program, as far as time allows. Raises InputError."""
    try:
        return vacuous((abstract, concrete), bounds)
    except LimitReached:
        # The engines reach the same limit, and say so with each goal.
        return ()


def with_termination(said: Said, abstract: Program, concrete: Program, bounds: Limits) -> Said:
    """What is to be said beside an answer that does not speak of termination."""
    return Said(said.assumptions, (*said.not_checked, *termination((concrete, abstract), bounds)))


def promises_broken(abstract: Program, concrete: Program, options: Options) -> tuple[str, ...]:
    """What of the guarantees of either program does not hold."""
    programs = (concrete, abstract)
    if not any(p.guarantees for p in programs):
        return ()
    # What decides them is loaded only where somebody guarantees something.
    from sa.app.promises import broken_promises

    return tuple(broken_promises(programs, options))
