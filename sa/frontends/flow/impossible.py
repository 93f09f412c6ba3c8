"""Ways that the constants of a thread's registers exclude."""

from __future__ import annotations

from collections.abc import Sequence

from sa.frontends.flow.graph import Step, Test
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Found
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def without_impossible(threads: Sequence[Thread], found: Found) -> bool:
    """Leave out tests that fail whenever they are reached, in place; whether there were any."""
    changed = False
    for thread in threads:
        kept = [s for s in thread.graph.steps if not _fails(s, thread.number, found)]
        changed = changed or len(kept) < len(thread.graph.steps)
        thread.graph.steps = kept
    return changed


def _fails(step: Step, thread: int, found: Found) -> bool:
    if not isinstance(step.op, Test):
        return False
    known = dict[Var, Term]()
    for var in step.op.formula.free:
        values = found.registers.get((thread, var), frozenset())
        if len(values) == 1 and (value := next(iter(values))) is not OTHER:
            known[var] = build.integer(value)
    return substitute(step.op.formula, known) is build.FALSE
