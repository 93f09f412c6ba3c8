"""Arithmetic of C on terms over ℤ: what an operator yields, and where it is undefined."""

from __future__ import annotations

from msgspec import Struct

from sa.frontends.c.types import INT, LONG, ULONG, Array, Counted, CType, Float, Int, Pointer, range_of, size_of, usual
from sa.frontends.flow.bits import bitwise, comparison, within
from sa.frontends.flow.division import MOST_DIVISORS, by_cases, quotient
from sa.frontends.flow.graph import ANY
from sa.frontends.flow.spans import Registers, span_of
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.term import Bool, Ite, Term, sort_of
from sa.terms.term import Int as Number


class Unsupported(Exception):
    """An expression that is not translated: a code and words. It may `follow` from another error before it."""

    def __init__(self, code: str, message: str, hint: str | None = None, follows: bool = False) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.follows = code, message, hint, follows


class Value(Struct, frozen=True):
    """A value: a term of sort int, or of sort bool for 0 and 1, and its type; and what `holds` where it is not 0."""

    term: Term
    type: CType
    holds: Term | None = None


def number(value: Value) -> Term:
    """The value as an integer."""
    if sort_of(value.term) == BOOL:
        return build.ite(value.term, build.integer(1), build.integer(0))
    return value.term


def undecided() -> Unsupported:
    """What is said where something depends on a floating-point number."""
    hint = "such numbers may be computed, stored and printed, but nothing else may depend on them"
    return Unsupported("SA710", "this depends on a floating-point number, which has no value here", hint)


def truth(value: Value) -> Term:
    """That the value is not 0. Raises Unsupported for a floating-point number."""
    term = value.term
    if isinstance(value.type, Float):
        raise undecided()
    if sort_of(term) == BOOL:
        return term
    if value.holds is not None:
        return value.holds
    if isinstance(term, Ite) and isinstance(term.positive, Number) and isinstance(term.negative, Number):
        positive, negative = term.positive.value != 0, term.negative.value != 0
        return build.ite(term.condition, build.boolean(positive), build.boolean(negative))
    return build.ne(term, build.integer(0))


def convert(value: Value, kind: CType, registers: Registers) -> Value:
    """The value in another scalar type (C11 6.3.1.3; what the implementation defines is what gcc does).

    Floating-point numbers are all 0, which nothing sees. Raises Unsupported for one that becomes an integer.
    """
    if isinstance(kind, Float):
        return Value(build.ZERO, kind)
    if isinstance(value.type, Float):
        raise undecided()
    if isinstance(kind, Int) and kind.name == "_Bool":
        return Value(truth(value), kind)
    if not isinstance(kind, Int) or not isinstance(value.type, Int | Pointer):
        return Value(number(value), kind)
    term = number(value)
    # Pointers are kept as signed numbers, so that small ones of both signs come back as what they were.
    given = LONG if isinstance(value.type, Pointer) else value.type
    if isinstance(value.type, Pointer) and kind.bits == LONG.bits and kind.signed:
        return Value(term, kind)
    if (given.bits, given.signed) == (kind.bits, kind.signed) and given.name != "_Bool":
        # Nothing is converted. What leaves the type has overflowed, which is not looked at here.
        return Value(value.term, kind, value.holds)
    low, high = span_of(term, registers)
    if (low is None or high is None) and (range_of(kind) == ANY or kind.bits == LONG.bits == given.bits):
        low, high = _declared(given)
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
    return within(term, _declared(kind), known)


def sized(kind: CType) -> Value:
    """What `sizeof` is of a type."""
    match kind:
        case Array(of, counted=Counted(number)):
            return Value(build.mul(sized(of).term, number), ULONG)
        case _:
            return Value(build.integer(size_of(kind)), ULONG)


class Result(Struct, frozen=True):
    """A value, and the condition under which it is undefined; whether it is a signed one that `wraps` around.

    Where it is to be `divided`, an operator and its operands, the value is known only when the divisor is.
    """

    value: Value
    undefined: Term = build.FALSE
    overflows: Term = build.FALSE
    divided: tuple[str, Term, Term] | None = None
    wraps: bool = False


def binary(op: str, left: Value, right: Value, registers: Registers, wraps: bool) -> Result:
    """An arithmetic or relational operator on integers. Raises Unsupported."""
    if isinstance(left.type, Float) or isinstance(right.type, Float):
        if op not in ("+", "-", "*", "/"):
            raise undecided()
        return Result(Value(build.ZERO, left.type if isinstance(left.type, Float) else right.type))
    if op in ("<<", ">>"):
        return _shift(op, left, right, registers, wraps)
    kind = usual(left.type, right.type)
    one, two = convert(left, kind, registers), convert(right, kind, registers)
    if op in _RELATIONS:
        return Result(Value(_compared(op, one, two), INT))
    a, b = number(one), number(two)
    (low, high), (least, most) = (_within(t, kind, registers) for t in (a, b))
    match op:
        case "+":
            return arithmetic(build.add(a, b), kind, registers, wraps, (low + least, high + most))
        case "-":
            return arithmetic(build.sub(a, b), kind, registers, wraps, (low - most, high - least))
        case "*":
            ends = [x * y for x in (low, high) for y in (least, most)]
            return arithmetic(build.mul(a, b), kind, registers, wraps, (min(ends), max(ends)))
        case "/" | "%":
            return _divided(op, a, b, kind, registers)
        case "&" | "|" | "^":
            return Result(Value(bitwise(op, a, b, (kind.bits, kind.signed), registers), kind))
    raise Unsupported("SA719", f"the operator `{op}`")


_RELATIONS = {"==", "!=", "<", "<=", ">", ">="}


def _compared(op: str, one: Value, two: Value) -> Term:
    if op in ("==", "!="):
        for told, other in ((one, two), (two, one)):
            if told.holds is not None and other.term is build.ZERO:
                return told.holds if op == "!=" else build.lnot(told.holds)
    if sort_of(one.term) == BOOL and isinstance(two.term, Number | Bool) and op in ("==", "!="):
        value = two.term.value
        if value in (0, 1):
            return one.term if (op == "==") == bool(value) else build.lnot(one.term)
    return comparison(op, number(one), number(two))


def _within(term: Term, kind: Int, registers: Registers) -> tuple[int, int]:
    """The least and greatest value of an operand that has not overflowed."""
    low, high = span_of(term, registers)
    least, most = _declared(kind)
    return least if low is None else low, most if high is None else high


def arithmetic(term: Term, kind: Int, registers: Registers, wraps: bool, ends: tuple[int, int]) -> Result:
    """An exact result as a value of the type; it is between the `ends` where its operands have not overflowed."""
    known = span_of(term, registers)
    least, most = _declared(kind)
    if known[0] is not None and known[1] is not None and least <= known[0] and known[1] <= most:
        return Result(Value(term, kind))
    if not kind.signed or wraps:
        return Result(Value(wrapped(term, kind, known), kind), wraps=kind.signed)
    below = build.lt(term, build.integer(least)) if ends[0] < least else build.FALSE
    above = build.lt(build.integer(most), term) if most < ends[1] else build.FALSE
    return Result(Value(term, kind), overflows=build.lor(below, above))


def _divided(op: str, a: Term, b: Term, kind: Int, registers: Registers) -> Result:
    """`/` and `%`. The least number of a signed type divided by -1 is not in it."""
    least, undefined = _declared(kind)[0], build.eq(b, build.ZERO)
    beyond: Term = build.FALSE
    if kind.signed:
        beyond = build.land(build.eq(a, build.integer(least)), build.eq(b, build.integer(-1)))
    if isinstance(b, Number):
        term = build.integer(0) if b.value == 0 else quotient(op, a, b.value, registers)
        return Result(Value(term, kind), undefined, beyond)
    low, high = span_of(b, registers)
    if low is None or high is None or high - low >= MOST_DIVISORS:
        return Result(Value(build.ZERO, kind), undefined, beyond, (op, a, b))
    return Result(Value(by_cases(op, a, b, range(low, high + 1), registers), kind), undefined, beyond)


def _shift(op: str, left: Value, right: Value, registers: Registers, wraps: bool) -> Result:
    kind = usual(left.type, INT) if isinstance(left.type, Int) and left.type.bits < 32 else left.type
    assert isinstance(kind, Int)
    a, count = number(convert(left, kind, registers)), number(right)
    from_, to = _within(a, kind, registers)
    low, high = span_of(count, registers)
    low, high = (0, kind.bits - 1) if low is None or high is None else (low, high)
    outside = build.lor(build.lt(count, build.integer(0)), build.le(build.integer(kind.bits), count))
    term: Term = build.integer(0)
    beyond: Term = build.FALSE
    turns = False
    for amount in range(max(0, low), min(high, kind.bits - 1) + 1):
        shifted = build.scale(2**amount, a) if op == "<<" else build.div(a, 2**amount)
        ends = (from_ * 2**amount, to * 2**amount)
        made = arithmetic(shifted, kind, registers, wraps, ends) if op == "<<" else Result(Value(shifted, kind))
        here = build.eq(count, build.integer(amount))
        term = build.ite(here, number(made.value), term)
        beyond = build.lor(beyond, build.land(here, made.overflows))
        turns |= made.wraps
    return Result(Value(term, kind), undefined=outside, overflows=beyond, wraps=turns)


def negated(value: Value, registers: Registers, wraps: bool) -> Result:
    """Unary minus."""
    if isinstance(value.type, Float):
        return Result(value)
    kind = usual(value.type, INT)
    operand = number(convert(value, kind, registers))
    low, high = _within(operand, kind, registers)
    return arithmetic(build.scale(-1, operand), kind, registers, wraps, (-high, -low))


def inverted(value: Value, registers: Registers) -> Value:
    """The operator `~`."""
    kind = usual(value.type, INT)
    term = build.sub(build.integer(-1), number(convert(value, kind, registers)))
    return Value(term if kind.signed else build.add(term, build.integer(2**kind.bits)), kind)
