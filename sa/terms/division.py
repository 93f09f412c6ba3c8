"""Euclidean division by what is no constant: the divisor may be 0, then the quotient is 0 and the rest the dividend."""

from __future__ import annotations

from sa.terms import build
from sa.terms.term import Division, Int, Term, intern


def division(operator: str, dividend: Term, divisor: Term) -> Term:
    """Euclidean quotient `/` or remainder `%` by any term; 0, or the dividend, where the divisor is 0."""
    if isinstance(divisor, Int) and divisor.value:
        return build.div(dividend, divisor.value) if operator == "/" else build.mod(dividend, divisor.value)
    if divisor is build.ZERO:
        return build.ZERO if operator == "/" else dividend
    return build.ZERO if dividend is build.ZERO else intern(Division, operator, dividend, divisor)


def euclidean(operator: str, dividend: int, divisor: int) -> int:
    """The quotient, or the remainder in `0..|divisor|-1`; 0, or the dividend, where the divisor is 0."""
    if divisor == 0:
        return 0 if operator == "/" else dividend
    size, rest = divmod(dividend, abs(divisor))
    return rest if operator == "%" else size if divisor > 0 else -size
