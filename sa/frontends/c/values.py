"""Arithmetic of C on terms over ℤ: what an operator yields, and where it is undefined."""

from __future__ import annotations

from msgspec import Struct

from sa.frontends.c.types import INT, CType, Int, Pointer, range_of, usual
from sa.frontends.flow.graph import ANY
from sa.frontends.flow.spans import Bounds, span_of
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.term import Bool, Ite, Term, sort_of
from sa.terms.term import Int as Number


class Unsupported(Exception):
    """An expression that is not translated: a code and words."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class Value(Struct, frozen=True):
    """A value: a term of sort int, or of sort bool for 0 and 1, and its type."""

    term: Term
    type: CType


def number(value: Value) -> Term:
    """The value as an integer."""
    if sort_of(value.term) == BOOL:
        return build.ite(value.term, build.integer(1), build.integer(0))
    return value.term


def truth(value: Value) -> Term:
    """That the value is not 0."""
    term = value.term
    if sort_of(term) == BOOL:
        return term
    if isinstance(term, Ite) and isinstance(term.positive, Number) and isinstance(term.negative, Number):
        positive, negative = term.positive.value != 0, term.negative.value != 0
        return build.ite(term.condition, build.boolean(positive), build.boolean(negative))
    return build.ne(term, build.integer(0))


def convert(value: Value, kind: CType, bounds: Bounds) -> Value:
    """The value in another scalar type (C11 6.3.1.3; what the implementation defines is what gcc does)."""
    if isinstance(kind, Int) and kind.name == "_Bool":
        return Value(truth(value), kind)
    if isinstance(kind, Pointer) or isinstance(value.type, Pointer):
        return Value(number(value), kind)
    if not isinstance(kind, Int) or not isinstance(value.type, Int):
        return Value(number(value), kind)
    term = number(value)
    low, high = span_of(term, bounds)
    if (low is None or high is None) and range_of(kind) == ANY:
        low, high = _declared(value.type)
    least, most = _declared(kind)
    if low is None or high is None:
        return Value(wrapped(term, kind), kind)
    if least <= low and high <= most:
        return Value(value.term, kind)
    return Value(wrapped(term, kind, (low, high)), kind)


def _declared(kind: Int) -> tuple[int, int]:
    if not kind.signed:
        return 0, 2**kind.bits - 1
    return -(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1


def wrapped(term: Term, kind: Int, known: tuple[int | None, int | None] = (None, None)) -> Term:
    """The number modulo 2^bits as a value of the type; a case distinction where it is at most one turn away."""
    least, most = _declared(kind)
    size = 2**kind.bits
    low, high = known
    if low is None or high is None or low < least - size or high > most + size:
        return build.sub(build.mod(build.sub(term, build.integer(least)), size), build.integer(-least))
    result = term
    if high > most:
        result = build.ite(build.le(term, build.integer(most)), result, build.sub(term, build.integer(size)))
    if low < least:
        result = build.ite(build.le(build.integer(least), term), result, build.add(term, build.integer(size)))
    return result


class Result(Struct, frozen=True):
    """A value, and the condition under which it is undefined."""

    value: Value
    undefined: Term = build.FALSE
    overflows: Term = build.FALSE


def binary(op: str, left: Value, right: Value, bounds: Bounds, wraps: bool) -> Result:
    """An arithmetic or relational operator on integers. Raises Unsupported."""
    if op in ("<<", ">>"):
        return _shift(op, left, right, bounds, wraps)
    kind = usual(left.type, right.type)
    one, two = convert(left, kind, bounds), convert(right, kind, bounds)
    if op in _RELATIONS:
        return Result(Value(_compared(op, one, two), INT))
    a, b = number(one), number(two)
    match op:
        case "+":
            return arithmetic(build.add(a, b), kind, bounds, wraps)
        case "-":
            return arithmetic(build.sub(a, b), kind, bounds, wraps)
        case "*":
            return arithmetic(build.mul(a, b), kind, bounds, wraps)
        case "/" | "%":
            return _divided(op, a, b, kind, bounds)
        case "&" | "|" | "^":
            return Result(Value(_bitwise(op, a, b, kind, bounds), kind))
    raise Unsupported("SA719", f"the operator `{op}`")


_RELATIONS = {"==", "!=", "<", "<=", ">", ">="}


def _compared(op: str, one: Value, two: Value) -> Term:
    if sort_of(one.term) == BOOL and isinstance(two.term, Number | Bool) and op in ("==", "!="):
        value = two.term.value
        if value in (0, 1):
            return one.term if (op == "==") == bool(value) else build.lnot(one.term)
    return compared(op, number(one), number(two))


def compared(op: str, a: Term, b: Term) -> Term:
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


def arithmetic(term: Term, kind: Int, bounds: Bounds, wraps: bool) -> Result:
    """An exact result as a value of the type."""
    known = span_of(term, bounds)
    least, most = _declared(kind)
    if known[0] is not None and known[1] is not None and least <= known[0] and known[1] <= most:
        return Result(Value(term, kind))
    if not kind.signed or wraps:
        return Result(Value(wrapped(term, kind, known), kind))
    beyond = build.lor(build.lt(term, build.integer(least)), build.lt(build.integer(most), term))
    return Result(Value(term, kind), overflows=beyond)


def _divided(op: str, a: Term, b: Term, kind: Int, bounds: Bounds) -> Result:
    if isinstance(b, Number):
        if b.value == 0:
            return Result(Value(build.integer(0), kind), undefined=build.TRUE)
        return Result(Value(_quotient(op, a, b.value, bounds), kind))
    low, high = span_of(b, bounds)
    if low is None or high is None or high - low > 16:
        raise Unsupported("SA718", f"`{op}` by a divisor that is not constant", "divide by a constant")
    term: Term = build.integer(0)
    for value in range(low, high + 1):
        if value:
            term = build.ite(build.eq(b, build.integer(value)), _quotient(op, a, value, bounds), term)
    return Result(Value(term, kind), undefined=build.eq(b, build.integer(0)))


def _quotient(op: str, a: Term, divisor: int, bounds: Bounds) -> Term:
    """Division towards zero, or its remainder."""
    low, _ = span_of(a, bounds)
    euclid = build.div(a, divisor)
    quotient = euclid
    if low is None or low < 0:
        negative = build.scale(-1, build.div(build.scale(-1, a), divisor))
        quotient = build.ite(build.le(build.integer(0), a), euclid, negative)
    if op == "/":
        return quotient
    if quotient is euclid:
        return build.mod(a, divisor)
    back = build.scale(-1, build.mod(build.scale(-1, a), divisor))
    return build.ite(build.le(build.integer(0), a), build.mod(a, divisor), back)


def _shift(op: str, left: Value, right: Value, bounds: Bounds, wraps: bool) -> Result:
    kind = usual(left.type, INT) if isinstance(left.type, Int) and left.type.bits < 32 else left.type
    assert isinstance(kind, Int)
    a, count = number(convert(left, kind, bounds)), number(right)
    low, high = span_of(count, bounds)
    if low is None or high is None or high - low > 64:
        raise Unsupported("SA718", f"`{op}` by an amount that is not constant", "shift by a constant")
    outside = build.lor(build.lt(count, build.integer(0)), build.le(build.integer(kind.bits), count))
    term: Term = build.integer(0)
    beyond: Term = build.FALSE
    for amount in range(max(0, low), min(high, kind.bits - 1) + 1):
        shifted = build.scale(2**amount, a) if op == "<<" else build.div(a, 2**amount)
        made = arithmetic(shifted, kind, bounds, wraps) if op == "<<" else Result(Value(shifted, kind))
        here = build.eq(count, build.integer(amount))
        term = build.ite(here, number(made.value), term)
        beyond = build.lor(beyond, build.land(here, made.overflows))
    return Result(Value(term, kind), undefined=outside, overflows=beyond)


def _bitwise(op: str, a: Term, b: Term, kind: Int, bounds: Bounds) -> Term:
    if isinstance(a, Number) and isinstance(b, Number):
        value = {"&": a.value & b.value, "|": a.value | b.value, "^": a.value ^ b.value}[op]
        return build.integer(value)
    if isinstance(a, Number):
        a, b = b, a
    if isinstance(b, Number):
        mask = b.value % 2**kind.bits
        if op == "&" and mask & (mask + 1) == 0 and (not kind.signed or mask < 2 ** (kind.bits - 1)):
            return build.mod(a, mask + 1)
        if b.value == 0:
            return build.integer(0) if op == "&" else a
        if op == "^" and b.value == -1:
            return build.sub(build.integer(-1), a)
        if op == "&" and mask & (mask - 1) == 0:
            bit = build.mod(build.div(a, mask), 2)
            return build.scale(mask, bit)
    spans = span_of(a, bounds), span_of(b, bounds)
    most = max((s[1] if s[1] is not None else 2**64) for s in spans)
    least = min((s[0] if s[0] is not None else -1) for s in spans)
    if least < 0 or most > 255:
        hint = "masks of 2^k - 1, single bits, and values in 0..255 are understood"
        raise Unsupported("SA719", f"`{op}` of values that are not known to be small", hint)
    return _by_bits(op, a, b, most.bit_length())


def _by_bits(op: str, a: Term, b: Term, bits: int) -> Term:
    result: Term = build.integer(0)
    for number_ in range(bits):
        one = build.eq(build.mod(build.div(a, 2**number_), 2), build.integer(1))
        two = build.eq(build.mod(build.div(b, 2**number_), 2), build.integer(1))
        joined = {"&": build.land(one, two), "|": build.lor(one, two), "^": build.ne(one, two)}[op]
        result = build.add(result, build.ite(joined, build.integer(2**number_), build.integer(0)))
    return result


def negated(value: Value, bounds: Bounds, wraps: bool) -> Result:
    """Unary minus."""
    kind = usual(value.type, INT)
    return arithmetic(build.scale(-1, number(convert(value, kind, bounds))), kind, bounds, wraps)


def inverted(value: Value, bounds: Bounds) -> Value:
    """The operator `~`."""
    kind = usual(value.type, INT)
    term = build.sub(build.integer(-1), number(convert(value, kind, bounds)))
    return Value(term if kind.signed else build.add(term, build.integer(2**kind.bits)), kind)
