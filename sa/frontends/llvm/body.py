"""A function while it is translated: its steps so far, and how each register of the IR is known.

A value of `iN` is the number from -2^(N-1) on that its bits mean as a signed one; of `i1` it is 0 or 1. Where a
register may be poison, a bit beside it says so (LangRef, Poison Values). One that may be `undef` has another value at
each use (Undefined Values): what is computed from it is computed again at each use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Origin
from sa.frontends.flow.graph import ANY, Fail, Havoc, Node, Op, Range, Register, Set, Step, Test
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import Facts
from sa.frontends.llvm.layout import POINTER
from sa.frontends.llvm.shapes import Shape
from sa.terms import build
from sa.terms.term import Term, Var

#: The nodes of every function.
ENTRY, EXIT = 0, 1

#: What a register without a value of its own may be.
DEFINED, POISON, UNDEF = 0, 1, 2


class Plain(Struct, frozen=True):
    """A register with a value, which is poison where the bit `poison` is 1."""

    var: Var
    poison: Var | None


class Leaf(Struct, frozen=True):
    """A register that may be `undef`: `kind` is DEFINED, POISON or UNDEF."""

    var: Var
    kind: Var
    bits: int


class Again(Struct, frozen=True):
    """A register whose instruction is carried out again at each use, for something in it may be `undef`."""

    instruction: s.Instruction


class Pair(Struct, frozen=True):
    """What `cmpxchg` gives: what it found, and whether it has exchanged it."""

    found: Plain
    done: Plain


Known: TypeAlias = Plain | Leaf | Again | Pair


class Value(Struct, frozen=True):
    """A value of one use: a number, and the condition under which it is poison."""

    term: Term
    poison: Term = build.FALSE


class Unit(Struct, frozen=True):
    """What a function is translated in: its module, and is it the `source` of the comparison?"""

    module: s.Module
    source: bool


class Bounds(Struct, frozen=True):
    """Where a pointer points: its address, and how many bytes of its object lie before and behind it."""

    address: Term
    before: Term
    behind: Term


class Extent(Struct, frozen=True):
    """What is there of what a parameter points to, where accesses ask for several things.

    It begins with the start with the number `start`, and goes as far as the end with the number `end`, if that is not
    told by its bounds. It is aligned to the alignment with the number `align`.
    """

    start: Var | None
    end: Var | None
    align: Var | None


class Body(Struct):
    """The steps and registers so far, and what is known of the registers of the IR.

    `shapes` are those of the variables of the module and of what parameters point to, which have `extents`. Where
    addresses decide anything, parameters and variables have `bounds`. So have pointers that are given on the way,
    `strangers`, as long as they are in the registers that got them. Pointers to `functions` are given, too.
    """

    unit: Unit
    function: s.Function
    facts: Facts
    shapes: Mapping[s.Operand, Shape]
    origin: Origin
    known: dict[str, Known] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    registers: dict[Var, Register] = field(default_factory=dict)
    bounds: dict[s.Operand, Bounds] = field(default_factory=dict)
    extents: dict[s.Operand, Extent] = field(default_factory=dict)
    strangers: dict[s.Operand, Bounds] = field(default_factory=dict)
    functions: dict[s.Operand, Var] = field(default_factory=dict)
    nodes: int = 2
    here: Node = ENTRY


def canonical(bits: int) -> tuple[int, int]:
    """The least and the greatest value of an integer type, or of pointers."""
    bits = 64 if bits == POINTER else bits
    return (0, 1) if bits == 1 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def poison_of(bits: int) -> int:
    """The number that stands for poison where a value is shown or stored."""
    return canonical(bits)[1] + 1


def cell_range(bits: int) -> Range:
    """The values and poison."""
    return Range(canonical(bits)[0], poison_of(bits))


def fresh(body: Body) -> Node:
    """A new node."""
    body.nodes += 1
    return body.nodes - 1


def emit(body: Body, op: Op, target: Node | None = None) -> None:
    """A step from here to a node, a new one if none is given, and on from there."""
    after = fresh(body) if target is None else target
    body.steps.append(Step(body.here, op, after, body.origin))
    body.here = after


def register(body: Body, name: str, range_: Range, told: str = "") -> Var:
    """A register; one without a name for the user is temporary."""
    var = build.variable(name)
    body.registers[var] = Register(var, range_, body.origin, temporary=not told, told=told)
    return var


def temporary(body: Body, range_: Range = ANY) -> Var:
    """A register that the user does not know."""
    return register(body, f"__t{len(body.registers)}", range_)


def chosen(body: Body, range_: Range) -> Var:
    """Any value of a range."""
    var = temporary(body, range_)
    emit(body, Havoc(var, range_))
    return var


def undefined(body: Body, where: Term, what: str) -> None:
    """The behaviour is undefined where a formula holds."""
    if where is build.FALSE:
        return
    wrong = fresh(body)
    body.steps.append(Step(body.here, Test(where), wrong, body.origin))
    body.steps.append(Step(wrong, Fail(what), fresh(body), body.origin))
    if where is build.TRUE:
        body.here = fresh(body)
        return
    emit(body, Test(build.lnot(where)))


def bit(formula: Term) -> Term:
    """A truth value as 0 or 1."""
    return build.ite(formula, build.ONE, build.ZERO)


def is_set(var: Var) -> Term:
    """That a bit is 1."""
    return build.eq(var, build.ONE)


def bits_of(kind: s.Type, body: Body) -> int:
    """The width of an integer type, or of pointers. Raises InputError for another type."""
    if isinstance(kind, s.PointerType):
        return POINTER
    if isinstance(kind, s.IntType) and kind.bits <= 64:
        return kind.bits
    raise refused(body, f"a value of type `{written(kind)}`", "integers have at most 64 bits, and vectors none")


def written(kind: s.Type) -> str:
    """A type in words of the IR."""
    match kind:
        case s.IntType(bits):
            return f"i{bits}"
        case s.PointerType():
            return "ptr"
        case s.VoidType():
            return "void"
        case s.ArrayType(count, element):
            return f"[{count} x {written(element)}]"
        case s.NamedType(name) | s.OtherType(name):
            return name
        case s.StructType(elements):
            return f"{{ {', '.join(map(written, elements))} }}"


def refused(body: Body, what: str, hint: str | None = None) -> Exception:
    """The error for something in the function that is not accepted, at the instruction that is translated."""
    return s.refused("SA744", f"{what} is not accepted", body.origin.span, hint)


def key_of(bits: int) -> str:
    """What tells cells of a width from others."""
    return "iptr" if bits == POINTER else f"i{bits}"


def named(body: Body, name: str, bits: int) -> Var:
    """A register with the name of one of the IR, for its value or its distance from its root."""
    told = f"distance of %{name}" if name in body.facts.distant else f"%{name}"
    return register(body, f"%{name}", Range(*canonical(bits)), told)


def assigned(body: Body, name: str, value: Value, bits: int) -> None:
    """A register of the IR gets a value."""
    var = named(body, name, bits)
    poison = None
    emit(body, Set(var, value.term))
    if value.poison is not build.FALSE:
        poison = register(body, f"poison.%{name}", Range(0, 1), f"%{name} is poison")
        emit(body, Set(poison, bit(value.poison)))
    body.known[name] = Plain(var, poison)
