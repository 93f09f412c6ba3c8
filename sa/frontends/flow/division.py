"""Division towards zero by numbers: what is known of a divisor decides how many cases there are."""

from __future__ import annotations

from collections.abc import Iterable

from sa.frontends.flow.bits import remainder
from sa.frontends.flow.spans import Registers, span_of
from sa.terms import build
from sa.terms.term import Term

#: A divisor may have that many values.
MOST_DIVISORS = 20


def quotient(op: str, a: Term, divisor: int, registers: Registers) -> Term:
    """Division towards zero, or its remainder (C11 6.5.5)."""
    low, _ = span_of(a, registers)
    euclid = build.div(a, divisor)
    found = euclid
    if low is None or low < 0:
        negative = build.scale(-1, build.div(build.scale(-1, a), divisor))
        found = build.ite(build.le(build.integer(0), a), euclid, negative)
    if op == "/":
        return found
    if found is euclid:
        return remainder(a, divisor)
    back = build.scale(-1, build.mod(build.scale(-1, a), divisor))
    return build.ite(build.le(build.integer(0), a), build.mod(a, divisor), back)


def unknown_quotient(op: str, a: Term, b: Term, chosen: Term) -> tuple[Term, Term]:
    """The result of a division by any number where the quotient is `chosen`, and the condition that it is.

    The quotient is the number for which the rest has the sign of the dividend and is less than the divisor
    (C11 6.5.5); there is none for the divisor 0.
    """
    rest, minus = build.sub(a, build.mul(chosen, b)), build.integer(0)
    back, opposite = build.sub(minus, rest), build.sub(minus, b)
    positive = build.lor(build.lt(a, minus), build.le(minus, rest))
    negative = build.lor(build.lt(minus, a), build.le(rest, minus))
    small = (build.lor(build.lt(r, b), build.lt(r, opposite)) for r in (rest, back))
    return (chosen if op == "/" else rest), build.land(positive, negative, *small)


def by_cases(op: str, a: Term, b: Term, divisors: Iterable[int], registers: Registers) -> Term:
    """The same for a divisor that is one of some numbers; anything where it is 0."""
    term: Term = build.integer(0)
    for value in divisors:
        if value:
            term = build.ite(build.eq(b, build.integer(value)), quotient(op, a, value, registers), term)
    return term
