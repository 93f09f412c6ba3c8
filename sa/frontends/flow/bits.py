"""Numbers of so many bits: what wraps around, and operations on bits."""

from __future__ import annotations

from math import gcd

from sa.frontends.flow.spans import Registers, span_of
from sa.terms import build
from sa.terms.interval import Interval
from sa.terms.term import Int as Number
from sa.terms.term import IsZero, Ite, Mod, Sum, Term


def within(term: Term, ends: tuple[int, int], known: Interval = (None, None)) -> Term:
    """The number between two ends that is the term modulo the size of this range.

    It is a case distinction where the term is `known` to be at most one turn away.
    """
    least, most = ends
    size = most - least + 1
    low, high = known
    if low is None or high is None or low < least - size or high > most + size:
        return build.sub(build.mod(build.sub(term, build.integer(least)), size), build.integer(-least))
    result = term
    if high > most:
        result = build.ite(build.le(term, build.integer(most)), result, build.sub(term, build.integer(size)))
    if low < least:
        result = build.ite(build.le(build.integer(least), term), result, build.add(term, build.integer(size)))
    return result


def remainder(term: Term, divisor: int) -> Term:
    """The Euclidean remainder. Cases that differ by a multiple of the divisor are one: those of an unsigned number."""
    if isinstance(term, Ite):
        one, other = (remainder(part, divisor) for part in (term.positive, term.negative))
        if one is other:
            return one
    return build.mod(term, divisor)


def comparison(op: str, a: Term, b: Term) -> Term:
    """A comparison of integers."""
    match op:
        case "==":
            return build.eq(a, b)
        case "!=":
            return build.ne(a, b)
        case "<":
            return build.lt(a, b)
        case "<=":
            return build.le(a, b)
        case ">":
            return build.lt(b, a)
        case _:
            return build.le(b, a)


def bitwise(op: str, a: Term, b: Term, kind: tuple[int, bool], registers: Registers) -> Term:
    """`&`, `|` or `^` of two numbers of a type: its bits, and whether it is signed."""
    width, signed = kind
    if isinstance(a, Number) and isinstance(b, Number):
        value = {"&": a.value & b.value, "|": a.value | b.value, "^": a.value ^ b.value}[op]
        return build.integer(value)
    if isinstance(a, Number):
        a, b = b, a
    if isinstance(b, Number):
        mask = b.value % 2**width
        both = _masked(a, mask, width)
        match op:
            case "&":
                return both
            case "|":
                return build.sub(build.add(a, b), both)
            case _:
                return build.sub(build.add(a, b), build.scale(2, both))
    spans = span_of(a, registers), span_of(b, registers)
    most = max((s[1] if s[1] is not None else 2**64) for s in spans)
    least = min((s[0] if s[0] is not None else -1) for s in spans)
    if any(_apart(one, two, registers) for one, two in ((a, b), (b, a))):
        return build.integer(0) if op == "&" else build.add(a, b)
    if least < 0 or most >= 2**width:
        return _by_bits(op, a, b, width, signed, registers)
    return _by_bits(op, a, b, most.bit_length(), False, registers)


def _apart(high: Term, low: Term, registers: Registers) -> bool:
    """Whether no bit is in both: the one is a multiple of a power of two that is more than the other, not negative."""
    factor = divisor_of(high)
    least, most = span_of(low, registers)
    return least is not None and most is not None and least >= 0 and most < factor & -factor


def divisor_of(term: Term) -> int:
    """A number that divides the term whatever its variables are; a shift that wraps around leaves the low bits zero."""
    match term:
        case Mod(dividend, size):
            return gcd(divisor_of(dividend), size)
        case Ite(_, positive, negative):
            return gcd(divisor_of(positive), divisor_of(negative))
        case Number(value):
            return abs(value)
        case Sum(constant, parts):
            plain = gcd(constant, *(c * divisor_of(p) for p, c in parts))
            return max((plain, *(_rounded(term, p, c) for p, c in parts if isinstance(p, Mod))))
        case _:
            return 1


def _rounded(total: Term, rest: Mod, factor: int) -> int:
    """A divisor of a sum, of which `d - d % m` with a factor is a part: `(x >> 32) << 32` is such a difference."""
    others = build.sub(total, build.scale(-factor, build.sub(rest.dividend, rest)))
    return gcd(factor * rest.divisor, divisor_of(others))


def _masked(a: Term, mask: int, bits: int) -> Term:
    """`a & mask` for a constant, a run of ones at a time; one up to the highest bit keeps the sign."""
    result: Term = build.integer(0)
    low = 0
    while mask >> low:
        if not mask >> low & 1:
            low += 1
            continue
        high = low
        while mask >> high & 1:
            high += 1
        run = build.div(a, 2**low) if high == bits else remainder(build.div(a, 2**low), 2 ** (high - low))
        result = build.add(result, build.scale(2**low, run))
        low = high
    return result


def _by_bits(op: str, a: Term, b: Term, bits: int, signed: bool, registers: Registers) -> Term:
    result: Term = build.integer(0)
    for number in range(bits):
        one, two = _bit(a, number, registers), _bit(b, number, registers)
        joined = {"&": build.land(one, two), "|": build.lor(one, two), "^": build.ne(one, two)}[op]
        weight = -(2**number) if signed and number == bits - 1 else 2**number
        result = build.add(result, build.ite(joined, build.integer(weight), build.integer(0)))
    return result


def _bit(term: Term, number: int, registers: Registers) -> Term:
    """Whether a bit of a number is set, as a condition on what the number was made of.

    Cases of constants, as `1 << i` has them, are told apart by their conditions.
    """
    match term:
        case Number(value):
            return build.boolean(value >> number & 1 == 1)
        case Ite(condition, positive, negative) if is_constant_by_cases(term):
            one, other = _bit(positive, number, registers), _bit(negative, number, registers)
            apart = one is build.FALSE and all(_is_apart(condition, part) for part in build.disjuncts(other))
            return other if apart else build.ite(condition, one, other)
        case Sum(ones, ((negated, -1),)) if _are_ones_of(ones, negated, registers):
            return build.land(build.boolean(ones >> number & 1 == 1), build.lnot(_bit(negated, number, registers)))
        case _:
            return build.eq(build.mod(build.div(term, 2**number), 2), build.integer(1))


def _are_ones_of(ones: int, negated: Term, registers: Registers) -> bool:
    """Whether a number has ones only, and at least as many bits as another one, which is not negative."""
    low, high = span_of(negated, registers)
    return ones & (ones + 1) == 0 and low is not None and low >= 0 and high is not None and high <= ones


def is_constant_by_cases(term: Term) -> bool:
    """Whether a number is one of some constants, by conditions."""
    match term:
        case Ite(_, positive, negative):
            return is_constant_by_cases(positive) and is_constant_by_cases(negative)
        case _:
            return isinstance(term, Number)


def _is_apart(one: Term, other: Term) -> bool:
    """Whether two comparisons of the same sum with different numbers exclude each other."""
    match one, other:
        case IsZero(first), IsZero(second):
            distance = build.sub(first, second)
            return isinstance(distance, Number) and distance.value != 0
        case _:
            return other is build.FALSE
