"""Intervals of terms from the ranges of their variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sa.frontends.flow.graph import ANY, Range
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Div, Int, IsZero, Ite, Le, Mod, Product, Sum, Term, Var

#: So many times what conditions say of variables is drawn from one another.
_ROUNDS = 2

#: The least and greatest value of a variable, as far as they are known.
Bounds = Callable[[Var], Range]


def span_of(term: Term, bounds: Bounds) -> tuple[int | None, int | None]:
    """The least and greatest value of a term, as far as they are known."""
    match term:
        case Int(value):
            return value, value
        case Var():
            known = bounds(term)
            return known.low, known.high
        case Mod(dividend, divisor):
            low, high = span_of(dividend, bounds)
            if low is not None and high is not None and low >= 0 and high < divisor:
                return low, high
            return 0, divisor - 1
        case Div(dividend, divisor):
            low, high = span_of(dividend, bounds)
            return None if low is None else low // divisor, None if high is None else high // divisor
        case Ite(condition, positive, negative):
            first, second = _where(condition, bounds), _where(build.lnot(condition), bounds)
            if first is None or second is None:
                return span_of(positive if second is None else negative, bounds)
            one, two = span_of(positive, first), span_of(negative, second)
            low = None if one[0] is None or two[0] is None else min(one[0], two[0])
            return low, None if one[1] is None or two[1] is None else max(one[1], two[1])
        case Sum():
            return _span_of_sum(term, bounds)
        case Product(factors):
            return _span_of_product(factors, bounds)
        case _:
            return None, None


def _where(condition: Term, bounds: Bounds) -> Bounds | None:
    """The bounds of variables where the condition holds too; None where they are empty, so that it does not."""
    known = told_by(build.conjuncts(condition), {v: bounds(v) for v in condition.free})
    return None if is_empty(known) else lambda v: known.get(v) or bounds(v)


def told_by(parts: Iterable[Term], ranges: Mapping[Var, Range]) -> Mapping[Var, Range]:
    """The ranges as linear conditions narrow them. They may be empty where the conditions exclude each other."""
    known = dict(ranges)
    totals = [t for p in parts for t in _totals(p)]
    for _ in range(_ROUNDS):
        for total in totals:
            _narrow(total, known)
    return known


def is_empty(known: Mapping[Var, Range]) -> bool:
    """Whether some variable has no value within its range."""
    return any(r.low is not None and r.high is not None and r.low > r.high for r in known.values())


def _totals(part: Term) -> tuple[Term, ...]:
    """Terms that are at most 0 where the condition holds."""
    match part:
        case Le(total):
            return (total,)
        case IsZero(total):
            return total, build.scale(-1, total)
        case _:
            return ()


def _narrow(total: Term, known: dict[Var, Range]) -> None:
    """Narrow the ranges of variables by that the sum is at most 0."""
    const, parts = linear_parts(total)
    for var, factor in parts.items():
        if not isinstance(var, Var):
            continue
        rest = build.linear(const, {p: c for p, c in parts.items() if p is not var})
        least, _ = span_of(rest, lambda v: known.get(v, ANY))
        if least is None:
            continue
        old = known.get(var, ANY)
        if factor > 0:
            most = -least // factor
            known[var] = Range(old.low, most if old.high is None else min(old.high, most))
        else:
            bound = -(least // factor)
            known[var] = Range(bound if old.low is None else max(old.low, bound), old.high)


def _span_of_sum(term: Sum, bounds: Bounds) -> tuple[int | None, int | None]:
    const, parts = linear_parts(term)
    low: int | None = const
    high: int | None = const
    for part, factor in parts.items():
        one, two = span_of(part, bounds)
        if factor < 0:
            one, two = two, one
        low = None if low is None or one is None else low + factor * one
        high = None if high is None or two is None else high + factor * two
    return low, high


def _span_of_product(factors: tuple[Term, ...], bounds: Bounds) -> tuple[int | None, int | None]:
    low, high = 1, 1
    for factor in factors:
        one, two = span_of(factor, bounds)
        if one is None or two is None:
            return None, None
        corners = [low * one, low * two, high * one, high * two]
        low, high = min(corners), max(corners)
    return low, high
