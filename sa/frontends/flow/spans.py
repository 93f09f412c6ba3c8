"""Intervals of terms from the ranges of their variables."""

from __future__ import annotations

from collections.abc import Callable

from sa.frontends.flow.graph import Range
from sa.terms.build import linear_parts
from sa.terms.term import Div, Int, Ite, Mod, Product, Sum, Term, Var

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
        case Ite(_, positive, negative):
            one, two = span_of(positive, bounds), span_of(negative, bounds)
            low = None if one[0] is None or two[0] is None else min(one[0], two[0])
            return low, None if one[1] is None or two[1] is None else max(one[1], two[1])
        case Sum():
            return _span_of_sum(term, bounds)
        case Product(factors):
            return _span_of_product(factors, bounds)
        case _:
            return None, None


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
