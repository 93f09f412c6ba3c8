"""Arithmetic of LLVM's integers on terms over ℤ: what an instruction yields, and where it is poison (LangRef)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from sa.frontends.flow.bits import bitwise, comparison, within
from sa.frontends.flow.spans import Registers, span_of
from sa.frontends.llvm.body import canonical
from sa.terms import build
from sa.terms.bounds import truth_of
from sa.terms.term import Ite, Term

#: `range(i32 0, 12)` of an integer with a sign.
_RANGE = re.compile(r"range\(i(?!1\b)\d+ (-?\d+), (-?\d+)\)")


def range_in(words: Iterable[str]) -> tuple[int, int] | None:
    """The first value of a range that is said of an integer, and the one behind the last, if that is understood."""
    found = (_RANGE.fullmatch(word) for word in words)
    return next(((int(m[1]), int(m[2])) for m in found if m is not None), None)


def between(number: Term, first: int, end: int) -> Term:
    """That a number is in a range, which may go round; `end` is not in it."""
    above, below = build.le(build.integer(first), number), build.lt(number, build.integer(end))
    return build.land(above, below) if first < end else build.lor(above, below)


def signed(term: Term, bits: int) -> Term:
    """The number as a signed one."""
    return build.scale(-1, term) if bits == 1 else term


def unsigned(term: Term, bits: int, registers: Registers) -> Term:
    """The number as an unsigned one."""
    low, _ = span_of(term, registers)
    if bits == 1 or (low is not None and low >= 0):
        return term
    if isinstance(term, Ite):
        # Ranges say more of the parts.
        parts = (unsigned(t, bits, registers) for t in (term.positive, term.negative))
        return build.ite(term.condition, *parts)
    return build.ite(build.le(build.ZERO, term), term, build.add(term, build.integer(2**bits)))


def wrapped(exact: Term, bits: int, registers: Registers) -> Term:
    """An exact result modulo 2^bits."""
    return within(exact, canonical(bits), span_of(exact, registers))


def outside(exact: Term, least: int, most: int, registers: Registers) -> Term:
    """That an exact result is not between two numbers."""
    low, high = span_of(exact, registers)
    below = build.FALSE if low is not None and low >= least else build.lt(exact, build.integer(least))
    above = build.FALSE if high is not None and high <= most else build.lt(build.integer(most), exact)
    return build.lor(below, above)


def beyond(exact: tuple[Term, Term], bits: int, flags: Collection[str], registers: Registers) -> Term:
    """That an exact result, as a signed and an unsigned one, breaks what `nsw` and `nuw` promise."""
    found: Term = build.FALSE
    if "nsw" in flags:
        found = build.lor(found, outside(exact[0], -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, registers))
    if "nuw" in flags:
        found = build.lor(found, outside(exact[1], 0, 2**bits - 1, registers))
    return found


_LINEAR: Mapping[str, Callable[[Term, Term], Term]] = {
    "add": lambda a, b: build.add(a, b),
    "sub": build.sub,
    "mul": build.mul,
}


def linear(op: str, a: Term, b: Term, bits: int, flags: Collection[str], registers: Registers) -> tuple[Term, Term]:
    """`add`, `sub` and `mul`: the result, and where it is poison."""
    if op == "mul" and bits == 1:
        return bitwise("&", a, b, (1, False), registers), _mul_of_bits(a, b, flags)
    compute = _LINEAR[op]
    plain = compute(signed(a, bits), signed(b, bits))
    without_sign = plain
    if "nuw" in flags:
        without_sign = compute(unsigned(a, bits, registers), unsigned(b, bits, registers))
    exact = wrapped(compute(a, b), bits, registers)
    return exact, beyond((plain, without_sign), bits, flags, registers)


def _mul_of_bits(a: Term, b: Term, flags: Collection[str]) -> Term:
    """-1 times -1 is 1, which is no signed bit."""
    return build.land(build.eq(a, build.ONE), build.eq(b, build.ONE)) if "nsw" in flags else build.FALSE


def logical(op: str, a: Term, b: Term, bits: int, flags: Collection[str], registers: Registers) -> tuple[Term, Term]:
    """`and`, `or` and `xor`; a `disjoint` one has no bit in both operands."""
    sign = {"and": "&", "or": "|", "xor": "^"}[op]
    if bits == 1:
        one, two = build.eq(a, build.ONE), build.eq(b, build.ONE)
        joined = {"and": build.land(one, two), "or": build.lor(one, two), "xor": build.ne(a, b)}[op]
        poison = build.land(one, two) if "disjoint" in flags else build.FALSE
        return build.ite(joined, build.ONE, build.ZERO), poison
    both = bitwise("&", a, b, (bits, True), registers) if "disjoint" in flags else build.ZERO
    return bitwise(sign, a, b, (bits, True), registers), build.ne(both, build.ZERO)


def shifted(op: str, a: Term, b: Term, bits: int, flags: Collection[str], registers: Registers) -> tuple[Term, Term]:
    """`shl`, `lshr` and `ashr`. A count of the width or more is poison."""
    count = unsigned(b, bits, registers)
    low, high = span_of(count, registers)
    least, most = (0 if low is None else max(0, low)), (bits - 1 if high is None else min(high, bits - 1))
    term: Term = build.ZERO
    poison: Term = build.FALSE
    for amount in range(least, most + 1):
        here = build.eq(count, build.integer(amount))
        value, wrong = _shifted_by(op, a, amount, bits, flags, registers)
        term = build.ite(here, value, term)
        poison = build.lor(poison, build.land(here, wrong))
    return term, build.lor(poison, outside(count, 0, bits - 1, registers))


def _shifted_by(
    op: str, a: Term, amount: int, bits: int, flags: Collection[str], registers: Registers
) -> tuple[Term, Term]:
    factor = 2**amount
    if op == "shl":
        exact = build.scale(factor, signed(a, bits))
        without_sign = build.scale(factor, unsigned(a, bits, registers)) if "nuw" in flags else exact
        return wrapped(build.scale(factor, a), bits, registers), beyond((exact, without_sign), bits, flags, registers)
    operand = signed(a, bits) if op == "ashr" else unsigned(a, bits, registers)
    lost = build.ne(build.mod(operand, factor), build.ZERO) if "exact" in flags else build.FALSE
    return wrapped(build.div(operand, factor), bits, registers), lost


def compared(predicate: str, a: Term, b: Term, bits: int, registers: Registers) -> Term:
    """`icmp`, as a formula; what the ranges of registers decide is true or false."""
    formula = _compared(predicate, a, b, bits, registers)
    known = truth_of(formula, {v: registers[v].range for v in formula.free if v in registers})
    return formula if known is None else build.boolean(known)


#: LangRef's predicates without their sign.
_PREDICATES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _compared(predicate: str, a: Term, b: Term, bits: int, registers: Registers) -> Term:
    if predicate in ("eq", "ne"):
        return comparison(_PREDICATES[predicate], a, b)
    if predicate[0] == "u":
        a, b = unsigned(a, bits, registers), unsigned(b, bits, registers)
    else:
        a, b = signed(a, bits), signed(b, bits)
    return comparison(_PREDICATES[predicate[1:]], a, b)


def of_one_sign(a: Term, b: Term, bits: int) -> Term:
    """That two operands have the same sign bit, as `samesign` promises."""
    one, two = (build.lt(signed(t, bits), build.ZERO) for t in (a, b))
    return build.lor(build.land(one, two), build.land(build.lnot(one), build.lnot(two)))


def cast(op: str, a: Term, bits: int, to: int, flags: Collection[str], registers: Registers) -> tuple[Term, Term]:
    """`trunc`, `zext` and `sext`: the result, and where it is poison."""
    match op:
        case "zext":
            negative = build.lt(signed(a, bits), build.ZERO) if "nneg" in flags else build.FALSE
            return unsigned(a, bits, registers), negative
        case "sext":
            return signed(a, bits), build.FALSE
        case _:
            lost = beyond((signed(a, bits), unsigned(a, bits, registers)), to, flags, registers)
            return wrapped(a, to, registers), lost


def absolute(a: Term, bits: int, flags: Collection[str], registers: Registers) -> tuple[Term, Term]:
    """`llvm.abs`, of which the least number may be poison."""
    value = signed(a, bits)
    made = build.ite(build.le(build.ZERO, value), value, build.scale(-1, value))
    return wrapped(made, bits, registers), beyond((made, made), bits, flags, registers)


def quotients(op: str, a: Term, b: Term, bits: int, registers: Registers) -> tuple[Term, Term, Term]:
    """The operands of a division as numbers, and where it is undefined (LangRef, `udiv` to `srem`)."""
    if op[0] == "u":
        one, two = unsigned(a, bits, registers), unsigned(b, bits, registers)
        return one, two, build.eq(b, build.ZERO)
    one, two = signed(a, bits), signed(b, bits)
    least, minus = build.integer(-(2 ** (bits - 1))), build.integer(-1)
    return one, two, build.lor(build.eq(b, build.ZERO), build.land(build.eq(one, least), build.eq(two, minus)))
