"""What operands and instructions without effects yield at one use, with steps for what has to be chosen or divided."""

from __future__ import annotations

from msgspec import Struct

from sa.frontends.flow.actions import Show
from sa.frontends.flow.graph import Begin, End, Havoc, Range, base
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import may_be_undef
from sa.frontends.llvm.arithmetic import arithmetic
from sa.frontends.llvm.body import (
    POISON,
    UNDEF,
    Again,
    Body,
    Bounds,
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
    temporary,
    written,
)
from sa.frontends.llvm.integers import cast, compared, of_one_sign, outside, signed, unsigned, wrapped
from sa.frontends.llvm.layout import POINTER, NoLayout, element_of, offsets, size_of
from sa.terms import build
from sa.terms.term import Term

#: So many registers at most are made: what may be `undef` is computed again at each use.
MOST_REGISTERS = 4000


def operand(body: Body, kind: s.Type, what: s.Operand) -> Value:
    """The value of an operand at one use. Raises InputError."""
    match what:
        case s.Element() | s.Local() if _is_moved(body, what):
            at = pointer(body, what)
            if at.offset is not build.ZERO or at.undef is not build.FALSE:
                raise refused(body, "to keep a pointer that was moved", "keep the pointer and the distance apart")
            return Value(at.token, at.poison)
        case s.Local(name) if name in body.facts.own:
            return Value(base(f"%{name}"))
        case s.Local(name):
            return _register(body, name)
        case s.Number(value):
            return Value(build.integer(as_canonical(value, bits_of(kind, body))))
        case s.Poison():
            return Value(build.ZERO, build.TRUE)
        case s.Undef() if isinstance(kind, s.IntType | s.PointerType):
            return Value(chosen(body, Range(*canonical(bits_of(kind, body)))))
        case s.Zero() if isinstance(kind, s.IntType):
            return Value(build.ZERO)
        case s.Null():
            return Value(build.ZERO)
        case s.Global(name) if what in body.shapes:
            return Value(base(name))
        case s.Global() if what in body.functions:
            return Value(body.functions[what])
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


def computed(body: Body, instruction: s.Instruction, distant: bool = False) -> Value:
    """What an instruction without effects yields: of a pointer that is `distant` its distance. Raises InputError."""
    match instruction:
        case s.Binary():
            return _binary(body, instruction)
        case s.Compare(flags, predicate, s.PointerType(), left, right):
            if flags:
                raise refused(body, "`samesign` of pointers", "leave it out in both files")
            return _compared(body, predicate, pointer(body, left), pointer(body, right))
        case s.Compare(flags, predicate, kind, left, right):
            bits = bits_of(kind, body)
            a, b = operand(body, kind, left), operand(body, kind, right)
            holds = compared(predicate, a.term, b.term, bits, body.registers)
            wrong = build.lnot(of_one_sign(a.term, b.term, bits)) if "samesign" in flags else build.FALSE
            return Value(bit(holds), build.lor(a.poison, b.poison, wrong))
        case s.Cast("ptrtoint" | "ptrtoaddr", _, value, to):
            at = pointer(body, value.operand)
            return Value(wrapped(address_of(body, at), bits_of(to, body), body.registers), at.poison)
        case s.Cast("inttoptr", _, value):
            return _made_pointer(body, value)
        case s.Cast(operation, flags, value, to):
            bits, after = bits_of(value.type, body), bits_of(to, body)
            a = typed(body, value)
            term, wrong = cast(operation, a.term, bits, after, flags, body.registers)
            return Value(term, build.lor(a.poison, wrong))
        case s.Select(condition, yes, no):
            bits_of(condition.type, body)
            c = typed(body, condition)
            a, b = (distance(body, v.operand) if distant else typed(body, v) for v in (yes, no))
            chosen_ = build.eq(c.term, build.ONE)
            return Value(
                build.ite(chosen_, a.term, b.term), build.lor(c.poison, build.ite(chosen_, a.poison, b.poison))
            )
        case _:
            raise refused(body, "this instruction")


def _made_pointer(body: Body, value: s.Typed) -> Value:
    """The pointer that a number is made: the environment tells both functions. Raises InputError."""
    if may_be_undef(value.operand, body.facts):
        raise refused(body, "a pointer made of what may be `undef`", "freeze it")
    number = typed(body, value)
    made = temporary(body, Range(*canonical(POINTER)))
    emit(body, Begin())
    emit(body, Havoc(made, Range(*canonical(POINTER))))
    # Poison makes poison: then nobody asks which pointer it is.
    exact = build.ite(number.poison, build.ZERO, unsigned(number.term, bits_of(value.type, body), body.registers))
    emit(body, Show("inttoptr", (exact, made)))
    emit(body, End())
    return Value(build.ite(build.eq(exact, build.ZERO), build.ZERO, made), number.poison)


def _binary(body: Body, instruction: s.Binary) -> Value:
    bits = bits_of(instruction.type, body)
    a = operand(body, instruction.type, instruction.left)
    b = operand(body, instruction.type, instruction.right)
    return arithmetic(body, instruction, a, b, bits)


class Pointer(Struct, frozen=True):
    """A pointer at one use: where it comes from, and the exact distance in bytes, unless it is poison or `undef`.

    A `token` stands for all of a pointer that is not moved: it is null, an object that is known, or neither.
    """

    base: s.Operand
    token: Term
    offset: Term
    poison: Term
    undef: Term = build.FALSE


def _is_moved(body: Body, what: s.Operand) -> bool:
    facts = body.facts
    return isinstance(what, s.Element) or (
        isinstance(what, s.Local) and (what.name in facts.moves or what.name in facts.distant)
    )


def pointer(body: Body, what: s.Operand) -> Pointer:
    """A pointer at one use. Raises InputError."""
    match what:
        case s.Element():
            return _moved(body, what)
        case s.Local(name) if name in body.facts.moves:
            return _moved(body, body.facts.moves[name])
        case s.Local(name) if name in body.facts.distant:
            root, known = pointer(body, body.facts.distant[name]), body.known.get(name)
            if not isinstance(known, Plain):
                raise refused(body, f"`%{name}`, which has no value here,")
            poison = build.FALSE if known.poison is None else is_set(known.poison)
            return Pointer(root.base, root.token, known.var, poison)
        case s.Local(name) if isinstance(known := body.known.get(name), Leaf):
            kinds = (build.eq(known.kind, build.integer(kind)) for kind in (POISON, UNDEF))
            return Pointer(what, known.var, build.ZERO, *kinds)
        case s.Undef():
            return Pointer(what, build.ZERO, build.ZERO, build.FALSE, build.TRUE)
        case _:
            value = operand(body, s.PointerType(), what)
            return Pointer(what, value.term, build.ZERO, value.poison)


def distance(body: Body, what: s.Operand) -> Value:
    """How far a pointer is from its root, modulo the size of the address space. Raises InputError."""
    at = pointer(body, what)
    if at.undef is not build.FALSE:
        raise refused(body, "a pointer at a distance that may be `undef`, where it is kept,", "freeze it")
    return Value(wrapped(at.offset, POINTER, body.registers), at.poison)


def _moved(body: Body, element: s.Element) -> Pointer:
    """What `getelementptr` yields. Raises InputError."""
    start = pointer(body, element.base)
    try:
        parts = distances(body, element)
    except NoLayout:
        raise refused(body, "`getelementptr` of this type") from None
    total, poison = start.offset, start.poison
    sums = list[Term]()
    for part in parts:
        total, poison = build.add(total, part.term), build.lor(poison, part.poison)
        sums += [part.term, build.sub(total, start.offset)]
    made = Pointer(start.base, start.token, total, poison, start.undef)
    if not element.flags or all(p.term is build.ZERO for p in parts):
        return made
    wrong: list[Term] = [outside(t, -(2**63), 2**63 - 1, body.registers) for t in sums]
    if "nuw" in element.flags:
        wrong += [build.lt(t, build.ZERO) for t in sums]
    if "inbounds" in element.flags:
        known = bounds_of(body, made)
        # A pointer that has come round the end of all addresses is where it is now.
        begin = wrapped(start.offset, POINTER, body.registers)
        for offset in (begin, build.add(begin, build.sub(total, start.offset))):
            wrong += [build.lt(offset, build.scale(-1, known.before)), build.lt(known.behind, offset)]
    else:
        there = build.sub(build.add(address_of(body, start), total), start.offset)
        wrong.append(outside(there, 0, 2**64 - 1, body.registers))
    # Of all pointers that `undef` may be, one makes the promise be broken.
    still = build.eq(total, start.offset)
    broken = build.lor(poison, build.land(made.undef, build.lnot(still)), *wrong)
    return Pointer(made.base, made.token, total, broken, build.land(made.undef, still))


def distances(body: Body, element: s.Element) -> list[Value]:
    """The distances in bytes that the indices stand for (LangRef, `getelementptr`). Raises NoLayout, InputError."""
    found, kind, module = list[Value](), element.type, body.unit.module
    for number, index in enumerate(element.indices):
        if number:
            whole, kind = element_of(kind, index.operand, module)
            if isinstance(whole, s.StructType):
                assert isinstance(index.operand, s.Number)
                found.append(Value(build.integer(offsets(whole, module)[index.operand.value])))
                continue
        value = typed(body, index)
        exact = signed(value.term, bits_of(index.type, body))
        found.append(Value(build.scale(size_of(kind, module)[0], exact), value.poison))
    return found


def bounds_of(body: Body, at: Pointer) -> Bounds:
    """Where a pointer that is not moved points. Raises InputError where that is not known."""
    root = at.base
    if root in body.strangers:
        return body.strangers[root]
    roots = body.facts.roots.get(root.name, frozenset()) if isinstance(root, s.Local) else frozenset((root,))
    known = [(operand(body, s.PointerType(), r).term, body.bounds[r]) for r in body.bounds if r in roots]
    if not roots or len(known) != len(roots) or isinstance(body.known.get(getattr(root, "name", "")), Again):
        raise refused(body, "the address of a pointer whose origin is not known", "use a parameter or a variable")
    _, found = known[0]
    for token, other in known[1:]:
        here = build.eq(at.token, token)
        found = Bounds(
            build.ite(here, other.address, found.address),
            build.ite(here, other.before, found.before),
            build.ite(here, other.behind, found.behind),
        )
    return found


def address_of(body: Body, at: Pointer) -> Term:
    """The address of a pointer as an unsigned number. Raises InputError where it is not known."""
    if at.undef is build.TRUE:
        return chosen(body, Range(0, 2**64 - 1))
    total = build.add(bounds_of(body, at).address, at.offset)
    found = unsigned(wrapped(total, POINTER, body.registers), POINTER - 1, body.registers)
    if at.undef is build.FALSE:
        return found
    return build.ite(at.undef, chosen(body, Range(0, 2**64 - 1)), found)


def _by_token(a: Pointer, b: Pointer) -> bool:
    """Whether two pointers are equal is known without their addresses: they come from one, or one of them is null."""
    null = isinstance(a.base, s.Null) or isinstance(b.base, s.Null)
    return a.token is b.token or (null and a.offset is b.offset is build.ZERO)


def _compared(body: Body, predicate: str, a: Pointer, b: Pointer) -> Value:
    """`icmp` of pointers."""
    poison = build.lor(a.poison, b.poison)
    if predicate not in ("eq", "ne") or not _by_token(a, b):
        one, two = address_of(body, a), address_of(body, b)
        if predicate[0] == "s":
            one, two = (wrapped(t, POINTER, body.registers) for t in (one, two))
        # Addresses are numbers without a sign already.
        plain = predicate if predicate in ("eq", "ne") else f"s{predicate[1:]}"
        return Value(bit(compared(plain, one, two, POINTER, body.registers)), poison)
    if a.token is b.token:
        distance = wrapped(build.sub(a.offset, b.offset), POINTER, body.registers)
        same = build.eq(distance, build.ZERO)
    else:
        same = build.eq(a.token, b.token)
    held = same if predicate == "eq" else build.lnot(same)
    any_ = build.lor(a.undef, b.undef)
    if any_ is build.FALSE:
        return Value(bit(held), poison)
    return Value(build.ite(any_, chosen(body, Range(0, 1)), bit(held)), poison)
