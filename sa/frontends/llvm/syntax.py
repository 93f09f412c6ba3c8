"""Modules of LLVM IR as data: types, operands, instructions. What is not covered is no part of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.base.source import Source, Span


class IntType(Struct, frozen=True):
    """`iN`."""

    bits: int


class PointerType(Struct, frozen=True):
    """`ptr`, in the address space 0."""


class VoidType(Struct, frozen=True):
    """`void`."""


class ArrayType(Struct, frozen=True):
    """`[count x element]`."""

    count: int
    element: Type


class StructType(Struct, frozen=True):
    """`{ … }`, or `<{ … }>` without padding."""

    elements: tuple[Type, ...]
    packed: bool


class NamedType(Struct, frozen=True):
    """`%name`, with the percent sign."""

    name: str


class OtherType(Struct, frozen=True):
    """A type of which values are not accepted, as it is written."""

    text: str


Type: TypeAlias = IntType | PointerType | VoidType | ArrayType | StructType | NamedType | OtherType


class Local(Struct, frozen=True):
    """`%name`, without the percent sign."""

    name: str


class Global(Struct, frozen=True):
    """`@name`, without the at sign."""

    name: str


class Number(Struct, frozen=True):
    """An integer constant, `true` and `false` as 1 and 0."""

    value: int


class Null(Struct, frozen=True):
    """`null`."""


class Undef(Struct, frozen=True):
    """`undef`: each use is any value of its own."""


class Poison(Struct, frozen=True):
    """`poison`."""


class Zero(Struct, frozen=True):
    """`zeroinitializer`."""


class Aggregate(Struct, frozen=True):
    """A constant array or structure."""

    elements: tuple[Typed, ...]


class Text(Struct, frozen=True):
    """A constant array of bytes."""

    data: bytes


class Element(Struct, frozen=True):
    """An address by `getelementptr`: a pointer that is moved by indices into a type."""

    flags: frozenset[str]
    type: Type
    base: Operand
    indices: tuple[Typed, ...]


Operand: TypeAlias = Local | Global | Number | Null | Undef | Poison | Zero | Aggregate | Text | Element


class Typed(Struct, frozen=True):
    """An operand with its type."""

    type: Type
    operand: Operand


class Argument(Struct, frozen=True):
    """An argument or parameter with its attributes, as they are written."""

    type: Type
    attributes: tuple[str, ...]
    operand: Operand | None


class Binary(Struct, frozen=True):
    """Arithmetic and bit operations on integers."""

    operation: str
    flags: frozenset[str]
    type: Type
    left: Operand
    right: Operand


class Compare(Struct, frozen=True):
    """`icmp`."""

    flags: frozenset[str]
    predicate: str
    type: Type
    left: Operand
    right: Operand


class Select(Struct, frozen=True):
    """`select`."""

    condition: Typed
    yes: Typed
    no: Typed


class Cast(Struct, frozen=True):
    """`trunc`, `zext`, `sext`, `ptrtoint`, `ptrtoaddr`, `inttoptr`; `bitcast` of a type to itself."""

    operation: str
    flags: frozenset[str]
    value: Typed
    to: Type


class Freeze(Struct, frozen=True):
    """`freeze`."""

    value: Typed


class Phi(Struct, frozen=True):
    """`phi`, with values by the names of the blocks before."""

    type: Type
    incoming: tuple[tuple[Operand, str], ...]


class Alloca(Struct, frozen=True):
    """`alloca` of one element; its alignment is 0 where none is said."""

    type: Type
    count: Typed | None
    align: int = 0


class Load(Struct, frozen=True):
    """`load`; an atomic one has an order."""

    type: Type
    pointer: Operand
    volatile: bool
    order: str | None
    align: int


class Store(Struct, frozen=True):
    """`store`; an atomic one has an order."""

    value: Typed
    pointer: Operand
    volatile: bool
    order: str | None
    align: int


class Exchange(Struct, frozen=True):
    """`cmpxchg`."""

    weak: bool
    volatile: bool
    pointer: Operand
    expected: Typed
    new: Typed
    success: str
    failure: str
    align: int


class Update(Struct, frozen=True):
    """`atomicrmw`."""

    volatile: bool
    operation: str
    pointer: Operand
    value: Typed
    order: str
    align: int


class Fence(Struct, frozen=True):
    """`fence`."""

    order: str


class Extract(Struct, frozen=True):
    """`extractvalue`."""

    value: Typed
    path: tuple[int, ...]


class Insert(Struct, frozen=True):
    """`insertvalue`."""

    value: Typed
    part: Typed
    path: tuple[int, ...]


class Bundle(Struct, frozen=True):
    """An operand bundle of a call: its tag and its operands."""

    tag: str
    operands: tuple[Typed, ...]


class Call(Struct, frozen=True):
    """`call`; a function of any number of arguments is `variadic`. `groups` are numbers of attribute groups."""

    type: Type
    variadic: bool
    callee: Operand
    result: tuple[str, ...]
    arguments: tuple[Argument, ...]
    attributes: tuple[str, ...]
    groups: tuple[int, ...]
    bundles: tuple[Bundle, ...] = ()


class Return(Struct, frozen=True):
    """`ret`."""

    value: Typed | None


class Jump(Struct, frozen=True):
    """`br` without a condition."""

    block: str


class Branch(Struct, frozen=True):
    """`br` by a condition."""

    condition: Typed
    yes: str
    no: str


class Switch(Struct, frozen=True):
    """`switch`."""

    value: Typed
    default: str
    cases: tuple[tuple[int, str], ...]


class Unreachable(Struct, frozen=True):
    """`unreachable`."""


class Defined(Struct, frozen=True):
    """That a value is neither poison nor `undef`, or else the behaviour is undefined: no line of a file is this."""

    value: Typed


class Offset(Struct, frozen=True):
    """`getelementptr` as an instruction."""

    element: Element


Instruction: TypeAlias = (
    Binary | Compare | Select | Cast | Freeze | Phi | Alloca | Load | Store | Exchange | Update | Fence | Extract
    | Insert | Call | Return | Jump | Branch | Switch | Unreachable | Offset | Defined
)  # fmt: skip


class Line(Struct, frozen=True):
    """An instruction, the register that it defines, its attachments, and where it is in the text."""

    result: str | None
    instruction: Instruction
    attachments: Mapping[str, str]
    span: Span
    text: str


class Block(Struct, frozen=True):
    """A basic block; its last line is a terminator."""

    name: str
    lines: tuple[Line, ...]


class Signature(Struct, frozen=True):
    """What `define` and `declare` say of a function; attributes of groups among the others."""

    name: str
    words: tuple[str, ...]
    result: Type
    result_attributes: tuple[str, ...]
    parameters: tuple[Argument, ...]
    variadic: bool
    attributes: tuple[str, ...]
    span: Span


class Function(Struct, frozen=True):
    """A function with its body, the entry first."""

    signature: Signature
    blocks: tuple[Block, ...]


class GlobalVariable(Struct, frozen=True):
    """`@name = … global …`; `words` are linkage and the like. Without `first` its first value is not told."""

    name: str
    words: tuple[str, ...]
    constant: bool
    type: Type
    first: Operand | None
    align: int
    span: Span


class Body(Struct, frozen=True):
    """The text of a function that is still to be read: its logical lines, each with its place."""

    name: str
    span: Span
    lines: tuple[tuple[str, Span], ...]


class Module(Struct, frozen=True):
    """What is understood of a module. `metadata` is by number, `i64` aligned to `wide` bytes, `files` are of C."""

    source: Source
    types: Mapping[str, Type]
    variables: Mapping[str, GlobalVariable]
    declared: Mapping[str, Signature]
    defined: Mapping[str, Body]
    metadata: Mapping[str, str]
    groups: Mapping[int, tuple[str, ...]]
    wide: int
    files: Mapping[str, Source]


def refused(code: str, message: str, span: Span | None, hint: str | None = None) -> InputError:
    """The error for what is not accepted."""
    return InputError((error(code, message, span, hint),))
