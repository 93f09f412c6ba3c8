"""The results of operations on two values, each a number and the condition under which it is poison."""

from __future__ import annotations

from sa.frontends.flow.graph import Divide, Range
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import Body, Value, emit, refused, temporary
from sa.frontends.llvm.counting import OF_ONE, SATURATING, joined, of_bits, saturated
from sa.frontends.llvm.integers import absolute, compared, linear, logical, quotients, shifted, wrapped
from sa.terms import build
from sa.terms.term import Term


def arithmetic(body: Body, instruction: s.Binary, a: Value, b: Value, bits: int) -> Value:
    """The result of an operation on two values."""
    op, flags, registers = instruction.operation, instruction.flags, body.registers
    match op:
        case "add" | "sub" | "mul":
            term, wrong = linear(op, a.term, b.term, bits, flags, registers)
        case "and" | "or" | "xor":
            term, wrong = logical(op, a.term, b.term, bits, flags, registers)
        case "smax" | "smin" | "umax" | "umin":
            predicate = ("u" if op[0] == "u" else "s") + ("gt" if op.endswith("max") else "lt")
            first = compared(predicate, a.term, b.term, bits, registers)
            term, wrong = build.ite(first, a.term, b.term), build.FALSE
        case "abs":
            term, wrong = absolute(a.term, bits, flags, registers)
        case "shl" | "lshr" | "ashr":
            term, wrong = shifted(op, a.term, b.term, bits, flags, registers)
        case _ if op in SATURATING:
            term, wrong = saturated(op, a.term, b.term, bits, registers), build.FALSE
        case _ if op in OF_ONE:
            if op == "bswap" and bits % 16:
                raise refused(body, f"`llvm.bswap` of `i{bits}`")
            term = of_bits(op, a.term, bits, registers)
            wrong = build.eq(a.term, build.ZERO) if "exact" in flags else build.FALSE
        case _ if op.startswith("fsh"):
            term, wrong = joined(op, a.term, b.term, bits, registers), build.FALSE
        case _:
            term, wrong = _divided(body, op, a.term, b.term, bits, "exact" in flags)
    return Value(term, build.lor(a.poison, b.poison, wrong))


def _divided(body: Body, op: str, a: Term, b: Term, bits: int, exact: bool) -> tuple[Term, Term]:
    """A division of which it is known that it is defined, unless it is not used."""
    one, two, _ = quotients(op, a, b, bits, body.registers)
    low, high = (0, 2**bits - 1) if op[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    found = temporary(body, Range(low, high))
    emit(body, Divide(found, "/" if op.endswith("div") else "%", one, two))
    wrong: Term = build.FALSE
    if exact:
        rest = temporary(body, Range(low, high))
        emit(body, Divide(rest, "%", one, two))
        wrong = build.ne(rest, build.ZERO)
    if bits == 1:
        return build.ite(build.eq(found, build.ZERO), build.ZERO, build.ONE), wrong
    return wrapped(found, bits, body.registers), wrong


def combined(body: Body, operation: str, old: Value, value: Value, bits: int) -> Value:
    """What `atomicrmw` leaves."""
    a, b, registers = old.term, value.term, body.registers
    poison = build.lor(old.poison, value.poison)
    match operation:
        case "xchg":
            return value
        case "add" | "sub":
            return Value(linear(operation, a, b, bits, (), registers)[0], poison)
        case "and" | "or" | "xor":
            return Value(logical(operation, a, b, bits, (), registers)[0], poison)
        case "nand":
            both, _ = logical("and", a, b, bits, (), registers)
            return Value(build.sub(build.integer(-1), both), poison)
        case "max" | "min" | "umax" | "umin":
            predicate = ("u" if operation[0] == "u" else "s") + ("gt" if operation.endswith("max") else "lt")
            return Value(build.ite(compared(predicate, a, b, bits, registers), a, b), poison)
        case _:
            raise refused(body, f"`atomicrmw {operation}`")
