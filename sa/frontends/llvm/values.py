"""What operands and instructions without effects yield at one use, with steps for what has to be chosen or divided."""

from __future__ import annotations

from sa.frontends.flow.graph import ANY, Divide, Range, Set, base
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import (
    POISON,
    UNDEF,
    Again,
    Body,
    Leaf,
    Pair,
    Plain,
    Value,
    bit,
    bits_of,
    canonical,
    chosen,
    emit,
    is_set,
    refused,
    register,
    temporary,
    undefined,
    written,
)
from sa.frontends.llvm.counting import OF_ONE, SATURATING, joined, of_bits, saturated
from sa.frontends.llvm.integers import (
    absolute,
    cast,
    compared,
    linear,
    logical,
    of_one_sign,
    quotients,
    shifted,
    wrapped,
)
from sa.terms import build
from sa.terms.term import Term

#: So many registers at most are made: what may be `undef` is computed again at each use.
MOST_REGISTERS = 4000


def operand(body: Body, kind: s.Type, what: s.Operand) -> Value:
    """The value of an operand at one use. Raises InputError."""
    match what:
        case s.Local(name):
            return _register(body, name)
        case s.Number(value):
            return Value(build.integer(as_canonical(value, bits_of(kind, body))))
        case s.Poison():
            return Value(build.ZERO, build.TRUE)
        case s.Undef() if isinstance(kind, s.IntType):
            return Value(chosen(body, Range(*canonical(bits_of(kind, body)))))
        case s.Zero() if isinstance(kind, s.IntType):
            return Value(build.ZERO)
        case s.Null():
            return Value(build.ZERO)
        case s.Global(name) if what in body.shapes:
            return Value(base(name))
        case _:
            raise refused(body, f"this operand of type `{written(kind)}`")


def as_canonical(value: int, bits: int) -> int:
    """A constant as the value of its type."""
    if bits == 1:
        return value & 1
    least, most = canonical(bits)
    return (value - least) % (most - least + 1) + least


def _register(body: Body, name: str) -> Value:
    known = body.known.get(name)
    match known:
        case Plain(var, poison):
            return Value(var, build.FALSE if poison is None else is_set(poison))
        case Leaf(var, kind, bits):
            any_ = chosen(body, Range(*canonical(bits)))
            if len(body.registers) > MOST_REGISTERS:
                raise refused(
                    body, "so much that is computed from what may be `undef`", "freeze it where it is first used"
                )
            value = build.ite(build.eq(kind, build.integer(UNDEF)), any_, var)
            return Value(value, build.eq(kind, build.integer(POISON)))
        case Again(instruction):
            return computed(body, instruction)
        case Pair():
            raise refused(body, f"`%{name}` as a whole", "use `extractvalue`")
        case None:
            raise refused(body, f"`%{name}`, which has no value here,")


def typed(body: Body, value: s.Typed) -> Value:
    """The value of an operand with its type."""
    return operand(body, value.type, value.operand)


def computed(body: Body, instruction: s.Instruction) -> Value:
    """What an instruction without effects yields. Raises InputError."""
    match instruction:
        case s.Binary():
            return _binary(body, instruction)
        case s.Compare(flags, predicate, s.PointerType(), left, right):
            if flags or predicate not in ("eq", "ne"):
                raise refused(body, f"`icmp {predicate}` of pointers", "compare whether they are equal")
            same = _are_equal(body, left, right)
            return Value(bit(same if predicate == "eq" else build.lnot(same)))
        case s.Compare(flags, predicate, kind, left, right):
            bits = bits_of(kind, body)
            a, b = operand(body, kind, left), operand(body, kind, right)
            holds = compared(predicate, a.term, b.term, bits, body.registers)
            wrong = build.lnot(of_one_sign(a.term, b.term, bits)) if "samesign" in flags else build.FALSE
            return Value(bit(holds), build.lor(a.poison, b.poison, wrong))
        case s.Cast(operation, flags, value, to):
            bits, after = bits_of(value.type, body), bits_of(to, body)
            a = typed(body, value)
            term, wrong = cast(operation, a.term, bits, after, flags, body.registers)
            return Value(term, build.lor(a.poison, wrong))
        case s.Select(condition, yes, no):
            bits_of(condition.type, body)
            c, a, b = typed(body, condition), typed(body, yes), typed(body, no)
            chosen_ = build.eq(c.term, build.ONE)
            return Value(
                build.ite(chosen_, a.term, b.term), build.lor(c.poison, build.ite(chosen_, a.poison, b.poison))
            )
        case _:
            raise refused(body, "this instruction")


def _are_equal(body: Body, left: s.Operand, right: s.Operand) -> Term:
    """That two pointers are equal. Raises InputError where it is not known that they are values.

    Whether two variables have different addresses is no matter of one module (LangRef, `unnamed_addr`).
    """
    known = body.facts.roots
    parts = [known.get(p.name, frozenset()) if isinstance(p, s.Local) else frozenset((p,)) for p in (left, right)]
    variables = {root.name for roots in parts for root in roots if isinstance(root, s.Global)}
    others = {root for roots in parts for root in roots if not isinstance(root, s.Global | s.Null)}
    weak = any(v not in (m := body.unit.module.variables) or "extern_weak" in m[v].words for v in variables)
    if not all(parts) or not others <= body.facts.values or weak or len(variables) > 1:
        hint = "compare pointer parameters that are `noundef`, or `null`"
        raise refused(body, "the comparison of these pointers", hint)
    kind = s.PointerType()
    return build.eq(typed(body, s.Typed(kind, left)).term, typed(body, s.Typed(kind, right)).term)


def chosen_pointer(body: Body, name: str, select: s.Select) -> Plain:
    """A pointer that `select` chooses. Raises InputError where the condition may be poison or `undef`."""
    condition = typed(body, select.condition)
    if name in body.facts.may_undef or name in body.facts.may_poison or condition.poison is not build.FALSE:
        raise refused(body, "a pointer that is chosen by what may be poison or `undef`", "freeze the condition")
    var = register(body, f"%{name}", ANY, f"%{name}")
    yes, no = (_pointer(body, pointer) for pointer in (select.yes, select.no))
    emit(body, Set(var, build.ite(build.eq(condition.term, build.ONE), yes, no)))
    return Plain(var, None)


def _pointer(body: Body, value: s.Typed) -> Term:
    """A pointer, of which no bit says that it is poison. Raises InputError for one that is."""
    found = typed(body, value)
    if found.poison is not build.FALSE:
        raise refused(body, "a pointer that is poison", "use `null`")
    return found.term


def _binary(body: Body, instruction: s.Binary) -> Value:
    bits = bits_of(instruction.type, body)
    a = operand(body, instruction.type, instruction.left)
    b = operand(body, instruction.type, instruction.right)
    return arithmetic(body, instruction, a, b, bits)


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


def moved(body: Body, value: s.Typed, into: Plain | Leaf) -> None:
    """A register or slot gets a value. Raises InputError where it may be `undef` in part."""
    if isinstance(into, Plain) and isinstance(value.type, s.PointerType):
        emit(body, Set(into.var, _pointer(body, value)))
        return
    if isinstance(into, Plain):
        found = typed(body, value)
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
            what = "a value that may be `undef` in part, where it is kept,"
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
