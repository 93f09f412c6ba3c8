"""Divisions on paths."""

from __future__ import annotations

from msgspec.structs import replace

from sa.frontends.flow.cuts import Work
from sa.frontends.flow.division import MOST_DIVISORS, by_cases, unknown_quotient
from sa.frontends.flow.graph import ANY, Divide, Step
from sa.frontends.flow.paths import Path, Quotient, choice_of, now, with_value
from sa.frontends.flow.values import OTHER, evaluate
from sa.terms.term import Int


def divided(step: Step, path: Path, on: Path, work: Work) -> Path:
    """A division, by the values that the divisor may have; by any number its quotient is chosen."""
    assert isinstance(step.op, Divide)
    sign, var = step.op.sign, work.names.registers[step.op.var]
    a, b = now(step.op.dividend, path, work), now(step.op.divisor, path, work)
    known = evaluate(step.op.divisor, work.known.found, work.thread.number)
    values = [b.value] if isinstance(b, Int) else sorted(v for v in known if v is not OTHER)
    if isinstance(b, Int) or (OTHER not in known and len(values) <= MOST_DIVISORS):
        term = by_cases(sign, a, b, values, {})
    else:
        made = next((q for q in path.quotients if (q.dividend, q.divisor) == (a, b)), None)
        choice = choice_of(var, ANY, step.origin, work) if made is None else made.chosen
        term, condition = unknown_quotient(sign, a, b, choice.var)
        if made is None:
            quotients = (*path.quotients, Quotient(a, b, choice, condition))
            on = replace(on, quotients=quotients, choices=(*path.choices, choice))
    return replace(on, store=with_value(path.store, var, term))
