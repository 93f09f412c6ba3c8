"""What uses of values need: that they are defined, that a register gets them, that one of them is chosen for good."""

from __future__ import annotations

from sa.frontends.flow.graph import Range, Set
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import (
    POISON,
    UNDEF,
    Again,
    Body,
    Leaf,
    Plain,
    Value,
    bit,
    bits_of,
    canonical,
    chosen,
    emit,
    refused,
    undefined,
)
from sa.frontends.llvm.integers import quotients
from sa.frontends.llvm.values import distance, operand, pointer, typed
from sa.terms import build
from sa.terms.term import Term


def divides(body: Body, instruction: s.Binary) -> None:
    """A division is undefined by 0, by what is poison, and where its quotient is none of the type."""
    bits = bits_of(instruction.type, body)
    a = operand(body, instruction.type, instruction.left)
    b = operand(body, instruction.type, instruction.right)
    _, two, wrong = quotients(instruction.operation, a.term, b.term, bits, body.registers)
    by_nothing = build.lor(b.poison, build.eq(two, build.ZERO))
    # Poison may be the least number.
    least = build.land(a.poison, build.eq(two, build.integer(-1))) if instruction.operation[0] == "s" else build.FALSE
    undefined(body, build.lor(by_nothing, build.land(build.lnot(a.poison), wrong), least), "division")


def frozen(body: Body, value: s.Typed) -> Value:
    """`freeze`: what is poison is any value, the same at each use."""
    bits = bits_of(value.type, body)
    found = typed(body, value)
    if found.poison is build.FALSE:
        return found
    any_ = chosen(body, Range(*canonical(bits)))
    return Value(build.ite(found.poison, any_, found.term))


def definite(body: Body, value: s.Typed, what: str) -> Term:
    """A value that must be neither poison nor `undef`, or else the behaviour is undefined."""
    match body.known.get(value.operand.name) if isinstance(value.operand, s.Local) else None:
        case Leaf(var, kind):
            undefined(body, build.ne(kind, build.ZERO), what)
            return var
        case Again():
            one, other = typed(body, value), typed(body, value)
            undefined(body, build.lor(one.poison, build.ne(one.term, other.term)), what)
            return one.term
        case _:
            if isinstance(value.operand, s.Undef):
                undefined(body, build.TRUE, what)
                return build.ZERO
            found = typed(body, value)
            undefined(body, found.poison, what)
            return found.term


def not_poison(body: Body, value: s.Typed) -> None:
    """What is given or returned must not be poison, or else the behaviour is undefined."""
    if isinstance(value.type, s.PointerType):
        at = pointer(body, value.operand)
        undefined(body, build.lor(at.poison, at.undef), "a pointer that must not be poison")
    else:
        definite(body, value, "a value that must not be poison")


def moved(body: Body, value: s.Typed, into: Plain | Leaf, distant: bool) -> None:
    """A register or slot gets a value, or a distance. Raises InputError where it may be `undef` in part."""
    if isinstance(into, Plain):
        found = distance(body, value.operand) if distant else typed(body, value)
        emit(body, Set(into.var, found.term))
        if into.poison is not None:
            emit(body, Set(into.poison, bit(found.poison)))
        return
    term: Term
    kind: Term
    match value.operand, body.known.get(value.operand.name) if isinstance(value.operand, s.Local) else None:
        case s.Undef(), _:
            term, kind = build.ZERO, build.integer(UNDEF)
        case _, Leaf(var, own):
            term, kind = var, own
        case _, Again():
            what = "to keep a value that may be `undef` in part"
            raise refused(body, what, "freeze it, or declare parameters `noundef`")
        case _:
            found = typed(body, value)
            term, kind = found.term, build.ite(found.poison, build.integer(POISON), build.ZERO)
    emit(body, Set(into.var, term))
    emit(body, Set(into.kind, kind))


def any_value(body: Body, into: Leaf) -> None:
    """An alloca that has no value is `undef`."""
    emit(body, Set(into.kind, build.integer(UNDEF)))
    emit(body, Set(into.var, build.ZERO))
