"""Digits of sums whose parts have digits at different places, as numbers that are put together bit by bit."""

from __future__ import annotations

from sa.frontends.flow.bits import divisor_of, is_constant_by_cases
from sa.terms import build
from sa.terms.bounds import Ranges, interval_of
from sa.terms.interval import Interval
from sa.terms.term import Div, Int, IsZero, Ite, Mod, Sum, Term


def by_digits(term: Term, ranges: Ranges, seen: dict[Term, Interval]) -> Term:
    """The same number or truth value, of which less has to be known, where variables are within ranges.

    The quotient of a sum is that of the parts which the divisor divides, if the rest is less than the divisor; its
    remainder is that of the rest; and where no part is negative, the sum is zero if each part is.
    """
    match term:
        case Div(Sum() as dividend, divisor):
            whole, rest = _split(dividend, divisor)
            low, high = interval_of(rest, ranges, seen)
            if low is None or low < 0 or high is None or high >= divisor:
                return term
            return build.add(*(_quotient(part, factor, divisor) for part, factor in whole))
        case Mod(Sum() as dividend, divisor):
            rest = _split(dividend, divisor)[1]
            low, high = interval_of(rest, ranges, seen)
            return rest if low is not None and low >= 0 and high is not None and high < divisor else term
        case IsZero(Sum(0, parts)) if len(parts) > 1 and all(isinstance(part, Ite) for part, _ in parts):
            scaled = [build.scale(factor, part) for part, factor in parts]
            lows = [interval_of(part, ranges, seen)[0] for part in scaled]
            if any(low is None or low < 0 for low in lows):
                return term
            return build.land(*(by_digits(build.eq(part, build.ZERO), ranges, seen) for part, _ in parts))
        case IsZero(total) if (told := _is_zero_by_cases(total)) is not None:
            return told
        case _:
            return term


def _is_zero_by_cases(total: Term, factor: int = 1, constant: int = 0) -> Term | None:
    """When `factor` times a number that is one of some constants, plus a constant, is zero; None for another number."""
    match total:
        case Sum(more, ((part, times),)):
            return _is_zero_by_cases(part, factor * times, constant + factor * more)
        case Ite(condition, positive, negative) if is_constant_by_cases(total):
            one, other = (_is_zero_by_cases(part, factor, constant) for part in (positive, negative))
            return None if one is None or other is None else build.ite(condition, one, other)
        case Int(value):
            return build.boolean(factor * value + constant == 0)
        case _:
            return None


def _split(total: Sum, divisor: int) -> tuple[list[tuple[Term, int]], Term]:
    """The parts of a sum that the divisor divides, with their factors, and the sum of the others."""
    whole = [(part, factor) for part, factor in total.parts if _is_exact(part, factor, divisor)]
    others = (build.scale(factor, part) for part, factor in total.parts if (part, factor) not in whole)
    constant = total.constant - total.constant % divisor
    rest = build.add(build.integer(total.constant - constant), *others)
    return [*whole, (build.ONE, constant)], rest


def _is_exact(part: Term, factor: int, divisor: int) -> bool:
    """Whether the quotient of such a part can be written down."""
    return factor % divisor == 0 or (is_constant_by_cases(part) and factor * divisor_of(part) % divisor == 0)


def _quotient(part: Term, factor: int, divisor: int) -> Term:
    match part:
        case _ if factor % divisor == 0:
            return build.scale(factor // divisor, part)
        case Ite(condition, positive, negative):
            return build.ite(condition, _quotient(positive, factor, divisor), _quotient(negative, factor, divisor))
        case Int(value):
            return build.integer(factor * value // divisor)
        case _:
            raise AssertionError(part)
