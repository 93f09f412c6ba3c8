"""Intrinsics of LangRef that saturate, count or move bits, as terms; what overflows is said apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sa.frontends.flow.spans import Registers
from sa.frontends.llvm.integers import outside, signed, unsigned, wrapped
from sa.terms import build
from sa.terms.term import Term

#: What is made of exact numbers: additions, subtractions, multiplications.
_EXACT: Mapping[str, Callable[[Term, Term], Term]] = {"add": build.add, "sub": build.sub, "mul": build.mul}

#: Operations of two operands that are here, and of one operand.
SATURATING = ("sadd.sat", "uadd.sat", "ssub.sat", "usub.sat")
OF_ONE = ("ctpop", "bswap", "bitreverse", "ctlz", "cttz")


def exact(op: str, a: Term, b: Term, bits: int, registers: Registers) -> Term:
    """The number that `sadd.sat`, `llvm.umul.with.overflow` and the like would have with enough bits."""
    one, two = (signed(t, bits) if op[0] == "s" else unsigned(t, bits, registers) for t in (a, b))
    return _EXACT[op[1:4]](one, two)


def overflow(op: str, a: Term, b: Term, bits: int, registers: Registers) -> tuple[Term, Term]:
    """This number as one of the type, and that it is none."""
    number = exact(op, a, b, bits, registers)
    return wrapped(number, bits, registers), outside(number, *_bounds(op, bits), registers)


def saturated(op: str, a: Term, b: Term, bits: int, registers: Registers) -> Term:
    """The number of the type that is nearest to it."""
    number = exact(op, a, b, bits, registers)
    least, most = (build.integer(bound) for bound in _bounds(op, bits))
    clamped = build.ite(build.lt(number, least), least, build.ite(build.lt(most, number), most, number))
    return wrapped(clamped, bits, registers)


def _bounds(op: str, bits: int) -> tuple[int, int]:
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if op[0] == "s" else (0, 2**bits - 1)


def of_bits(op: str, a: Term, bits: int, registers: Registers) -> Term:
    """`ctpop`, `bswap`, `bitreverse`, `ctlz` and `cttz`; the last two of 0 are the width."""
    number = unsigned(a, bits, registers)
    match op:
        case "ctpop":
            found = build.add(*(_bit(number, place) for place in range(bits)))
        case "ctlz":
            # As many as there are powers of 2 above it.
            found = build.add(*(_one(build.lt(number, build.integer(2**place))) for place in range(bits)))
        case "cttz":
            found = build.add(
                *(_one(build.eq(build.mod(number, 2**place), build.ZERO)) for place in range(1, bits + 1))
            )
        case "bitreverse":
            found = build.add(*(build.scale(2 ** (bits - 1 - p), _bit(number, p)) for p in range(bits)))
        case _:
            count = bits // 8
            parts = (build.mod(build.div(number, 256**place), 256) for place in range(count))
            found = build.add(*(build.scale(256 ** (count - 1 - p), part) for p, part in enumerate(parts)))
    return wrapped(found, bits, registers)


def joined(op: str, a: Term, b: Term, bits: int, registers: Registers) -> Term:
    """`fshl` and `fshr` by a constant, which is a part of the operation's name."""
    name, _, written = op.partition(" ")
    count = int(written) % bits
    left = count if name == "fshl" else (bits - count) % bits
    if not left:
        return a if name == "fshl" else b
    high, low = unsigned(a, bits, registers), unsigned(b, bits, registers)
    shifted = build.add(build.scale(2**left, high), build.div(low, 2 ** (bits - left)))
    return wrapped(shifted, bits, registers)


def _bit(number: Term, place: int) -> Term:
    return build.mod(build.div(number, 2**place), 2)


def _one(formula: Term) -> Term:
    return build.ite(formula, build.ONE, build.ZERO)
