"""Bounds of integer terms from the declared ranges of variables: enough to see that most steps cannot go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from sa.terms import build
from sa.terms.term import Div, Int, Ite, Mod, Product, Sum, Term, Var

#: Lowest and highest value; None where there is no bound.
Interval: TypeAlias = tuple[int | None, int | None]

_ALL: Interval = (None, None)


def interval(term: Term, ranges: Mapping[Var, Interval]) -> Interval:
    """An interval that holds the value of an integer term in every state within the ranges."""
    match term:
        case Int(value):
            return value, value
        case Var(name, sort, primes):
            # The next state is within the ranges, too.
            return ranges.get(build.variable(name, sort) if primes else term, _ALL)
        case Sum(constant, parts):
            low: int | None = constant
            high: int | None = constant
            for part, coefficient in parts:
                bottom, top = _scaled(coefficient, interval(part, ranges))
                low = None if low is None or bottom is None else low + bottom
                high = None if high is None or top is None else high + top
            return low, high
        case Ite(_, positive, negative):
            return _hull(interval(positive, ranges), interval(negative, ranges))
        case Mod(_, divisor):
            return 0, divisor - 1
        case Div(dividend, divisor):
            bottom, top = interval(dividend, ranges)
            return None if bottom is None else bottom // divisor, None if top is None else top // divisor
        case Product(factors):
            result: Interval = (1, 1)
            for factor in factors:
                result = _product(result, interval(factor, ranges))
            return result
        case _:
            return _ALL


def outside(term: Term, low: int, high: int, ranges: Mapping[Var, Interval]) -> Term:
    """The condition under which the value is not within `low..high`; sides that the ranges exclude are left out."""
    bottom, top = interval(term, ranges)
    below = build.FALSE if bottom is not None and low <= bottom else build.lt(term, build.integer(low))
    above = build.FALSE if top is not None and top <= high else build.lt(build.integer(high), term)
    return build.lor(below, above)


def _scaled(factor: int, bounds: Interval) -> Interval:
    low, high = (None if b is None else factor * b for b in bounds)
    return (low, high) if factor >= 0 else (high, low)


def _hull(first: Interval, second: Interval) -> Interval:
    lows, highs = (first[0], second[0]), (first[1], second[1])
    low = None if lows[0] is None or lows[1] is None else min(lows[0], lows[1])
    high = None if highs[0] is None or highs[1] is None else max(highs[0], highs[1])
    return low, high


def _product(first: Interval, second: Interval) -> Interval:
    if first[0] is None or first[1] is None or second[0] is None or second[1] is None:
        return _ALL
    corners = [a * b for a in (first[0], first[1]) for b in (second[0], second[1])]
    return min(corners), max(corners)
