"""Comparisons of conditional values with constants as conditions: `(if c then 1 else 0) != 0` is `c`."""

from __future__ import annotations

from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import And, Bool, IsZero, Ite, Le, Not, Or, Term


def simplified(formula: Term) -> Term:
    """An equal formula."""
    match formula:
        case And(args):
            return build.land(*map(simplified, args))
        case Or(args):
            return build.lor(*map(simplified, args))
        case Not(body):
            return build.lnot(simplified(body))
        case Le(total) | IsZero(total):
            return _compared(formula, total)
        case _:
            return formula


def _compared(formula: Term, total: Term) -> Term:
    const, parts = linear_parts(total)
    for part, factor in parts.items():
        if isinstance(part, Ite):
            rest = build.linear(const, {p: c for p, c in parts.items() if p is not part})
            cases = [_again(formula, build.add(rest, build.scale(factor, v))) for v in (part.positive, part.negative)]
            if any(isinstance(c, Bool) for c in cases):
                condition = simplified(part.condition)
                positive, negative = map(simplified, cases)
                return build.lor(build.land(condition, positive), build.land(build.lnot(condition), negative))
    return formula


def _again(formula: Term, total: Term) -> Term:
    return build.at_most_zero(total) if isinstance(formula, Le) else build.is_zero(total)
