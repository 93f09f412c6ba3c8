"""A file and a function while they are translated: names, types, and the steps so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import msgspec
from pycparser import c_ast

from sa.automata.automaton import Origin
from sa.base.caveat import Caveat
from sa.base.diagnostic import Diagnostic, Severity, error, warning
from sa.base.source import Span
from sa.frontends.c.caveats import UNSET
from sa.frontends.c.places import origin, span
from sa.frontends.c.read import Text
from sa.frontends.c.types import (
    MIDDLING,
    Array,
    CType,
    Float,
    Function,
    Int,
    Pointer,
    Struct,
    Void,
    cell_count,
    cells_of,
    distances_in_locations,
    input_range,
    key_of,
    range_of,
    rows_of,
    synchronises,
    words_of,
)
from sa.frontends.c.values import Unsupported, Value, convert
from sa.frontends.flow.graph import Cell, Node, Object, Op, Procedure, Range, Register, Step, Storage, Words
from sa.frontends.flow.lives import HOLDERS
from sa.frontends.flow.naming import STATUS
from sa.frontends.flow.orders import Order
from sa.frontends.reading import Reading
from sa.terms import build
from sa.terms.term import Term, Var


class InRegister(msgspec.Struct, frozen=True):
    """A place that nothing points to."""

    var: Var
    type: CType


class Part(msgspec.Struct, frozen=True):
    """Some bits of the unit of a union, from the bit `low` on."""

    low: int
    unit: Int


class InMemory(msgspec.Struct, frozen=True):
    """A place with an address. `wrong` says what is wrong where there is none.

    `among`, if known, is an address and the distances from it of which the place is one. It may be a `part` of what
    is there. An atomic access has an `order`; without one it is that of the type.
    """

    address: Term
    type: CType
    wrong: str = "pointer"
    among: tuple[Term, tuple[int, ...]] | None = None
    part: Part | None = None
    order: Order | None = None


Place: TypeAlias = InRegister | InMemory


class Constant(msgspec.Struct, frozen=True):
    """An enumerator."""

    value: int


class Alias(msgspec.Struct, frozen=True):
    """A typedef. Whether it is of `const` objects is no part of the type here."""

    type: CType
    constant: bool = False


Meaning: TypeAlias = InRegister | InMemory | Constant | Alias | Function


class Copy(msgspec.Struct, frozen=True):
    """A function of the file that allocates what a caller wants, with parameters that have constant values."""

    function: str
    wanted: CType | None
    constants: tuple[tuple[str, Value], ...]


class File(msgspec.Struct):
    """A translation unit: what its names mean, and what was wrong with it.

    Names that are not `assigned` in any function mean variables that keep what initialises them; `constants` are the
    values of those whose initialisers are constant. The addresses of `private` ones nobody outside has.
    `created` are functions that threads are to run, and `granted` is what a claim takes for granted because of calls in
    the file.
    Functions of `endless` calls are declared never to return.
    Whether it `reallocates` memory, `cleans` up after what may end a thread, and whether threads `leaves` by
    themselves, is noted.
    Whether pointers are compared or made numbers (`addresses`), whether any becomes a number, or a number one
    (`numbers`), whether it matters which object comes first in memory (`placed`), and whether memory is given back
    (`frees`), is noted, too. Whether two addresses are `compared`, also by compare-and-swap.
    Whether addresses of parts of objects are taken (`parts`), and whether pointers are moved (`moves`), is noted.
    `compares` is where two pointers are compared first; `recasts`: pointers become ones to other types.
    `views` are the types that objects are taken as that have another one, and `initialisers` what variables of the file
    begin with: whether members of structures are only printed (`prints_members`) is seen from them.
    `allocators` are functions that allocate, with the parameters that say how much, and `copies` those of them that are
    made for some calls. Copies share the `static` objects of declarations and literals, which go by `id`.
    `keys` are the places where keys of threads are created, of which `finishing` ones have a function for the end.
    `sized` is how many scalars memory of a size that is not constant has at most, 0 if there is none.
    Whether arithmetic of `signed` numbers may leave their types, whether a function that is compared alone calls one
    that is not defined (`hands_on`), where orders are `weak`, and where the order of operands may matter (`unordered`),
    is noted.
    """

    text: Text
    choices: Reading
    call: Callable[[Body, Any], Value]
    literal: Callable[[Body, Any], Place]
    enclosed: Callable[[Body, Any], Value]
    typed: Callable[[Body, Any], CType]
    names: dict[str, Meaning] = msgspec.field(default_factory=dict)
    tags: dict[str, Struct] = msgspec.field(default_factory=dict)
    enumerations: dict[str, Int] = msgspec.field(default_factory=dict)
    objects: dict[str, Object] = msgspec.field(default_factory=dict)
    bodies: dict[str, Any] = msgspec.field(default_factory=dict)
    library: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    endless: frozenset[str] = frozenset()
    procedures: dict[str, Procedure] = msgspec.field(default_factory=dict)
    wanted: list[str] = msgspec.field(default_factory=list)
    problems: list[Diagnostic] = msgspec.field(default_factory=list)
    addressed: dict[str, None] = msgspec.field(default_factory=dict)
    indirect: bool = False
    reallocates: bool = False
    cleans: bool = False
    leaves: bool = False
    bit_fields: bool = False
    addresses: bool = False
    numbers: bool = False
    placed: bool = False
    frees: bool = False
    compared: bool = False
    parts: bool = False
    moves: bool = False
    compares: Origin | None = None
    recasts: bool = False
    allocators: Mapping[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    copies: dict[str, Copy] = msgspec.field(default_factory=dict)
    sized: int = 0
    signed: bool = False
    hands_on: bool = False
    weak: dict[Span, None] = msgspec.field(default_factory=dict)
    spurious: dict[Span, None] = msgspec.field(default_factory=dict)
    unordered: dict[Span, None] = msgspec.field(default_factory=dict)
    keys: dict[int, int] = msgspec.field(default_factory=dict)
    finishing: dict[int, None] = msgspec.field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    constants: dict[Var, Value] = msgspec.field(default_factory=dict)
    views: list[CType] = msgspec.field(default_factory=list)
    prints_members: bool = False
    initialisers: list[Any] = msgspec.field(default_factory=list)
    strings: int = 0
    opens_arguments: bool = False
    static: dict[int, tuple[Any, str]] = msgspec.field(default_factory=dict)
    created: dict[str, None] = msgspec.field(default_factory=dict)
    granted: dict[Caveat, None] = msgspec.field(default_factory=dict)


class Block(msgspec.Struct, frozen=True):
    """The steps of a block, from a position up to another one, and the objects that begin in it or in inner blocks."""

    first: int
    last: int
    names: tuple[str, ...]


class Body(msgspec.Struct):
    """A function: its steps so far, and where the next one begins.

    `wanted` is what a pointer points to that takes the value of the expression which is translated. `rounds` are the
    objects there were before each loop around here, `ended` those of inner blocks, where a function is compared alone.
    `jumps` lead past declarations, `entries` are their ways from node to node, and `valueless` says by which step what
    is declared has no value; nodes of the parser's tree go by `id`.
    `blocks` are those that have ended, inner ones first.
    `ignored` are the lists of arguments, by `id`, of calls whose results nobody takes.
    `reads` are the registers that are read, by the nodes where they are: terms do not tell, for `x - x` is 0.
    """

    file: File
    name: str
    hidden: bool
    addressed: frozenset[str]
    origin: Origin
    scopes: list[dict[str, Meaning]] = msgspec.field(default_factory=lambda: [{}])
    tags: list[dict[str, Struct]] = msgspec.field(default_factory=lambda: [{}])
    enumerations: list[dict[str, Int]] = msgspec.field(default_factory=lambda: [{}])
    steps: list[Step] = msgspec.field(default_factory=list)
    registers: dict[Var, Register] = msgspec.field(default_factory=dict)
    objects: dict[str, Object] = msgspec.field(default_factory=dict)
    reads: set[tuple[Node, Var]] = msgspec.field(default_factory=set)
    nodes: int = 2
    here: Node = 0
    breaks: list[Node] = msgspec.field(default_factory=list)
    continues: list[Node] = msgspec.field(default_factory=list)
    cases: list[list[tuple[Any, Node]]] = msgspec.field(default_factory=list)
    labels: dict[str, Node] = msgspec.field(default_factory=dict)
    jumps: Mapping[int, tuple[Any, ...]] = msgspec.field(default_factory=dict)
    entries: list[tuple[Node, tuple[Any, ...], Node, Origin]] = msgspec.field(default_factory=list)
    valueless: dict[int, Op] = msgspec.field(default_factory=dict)
    rounds: list[frozenset[str]] = msgspec.field(default_factory=list)
    ended: dict[str, None] = msgspec.field(default_factory=dict)
    blocks: list[Block] = msgspec.field(default_factory=list)
    wanted: CType | None = None
    constants: dict[Var, Value] = msgspec.field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    ignored: frozenset[int] = frozenset()
    number_of_arguments: Var | None = None
    result: Var | None = None
    returns: CType | None = None


#: The nodes of every function.
ENTRY, EXIT = 0, 1

#: What a claim says where something may be read before it has a value, which C leaves undefined (6.3.2.1).

#: The status of what threads synchronise with (`headers/library.c`): that in memory without a value, and its words.
RAW = 2
STATUSES = Words(((0, "initialised"), (1, "destroyed"), (RAW, "not initialised"), (3, "initialised")))

#: The object of a structure that is returned.
RETURNED = "__returned"


def fresh(body: Body) -> Node:
    """A new node."""
    body.nodes += 1
    return body.nodes - 1


def emit(body: Body, op: Op, target: Node | None = None) -> None:
    """A step from here to a node, a new one if none is given, and on from there."""
    after = fresh(body) if target is None else target
    body.steps.append(Step(body.here, op, after, body.origin))
    body.here = after


def temporary(body: Body, kind: CType, range_: Range | None = None) -> Var:
    """A register that the user does not know."""
    var = build.variable(f"__t{len(body.registers)}")
    body.registers[var] = Register(var, range_of(kind) if range_ is None else range_, body.origin, temporary=True)
    return var


def converted(body: Body, found: Value, kind: CType) -> Value:
    """The value in another scalar type. That an address becomes a number, or a number one, is noted."""
    if found.term is not build.ZERO:
        numbered = isinstance(found.type, Pointer) and isinstance(kind, Int) and kind.name != "_Bool"
        recast = isinstance(found.type, Pointer) and isinstance(kind, Pointer) and found.type.to != kind.to
        body.file.recasts |= recast
        if recast and isinstance(kind, Pointer):
            seen_as(body.file, kind.to)
        # A pointer to another type may lead to a part of what it pointed to.
        body.file.parts |= recast and isinstance(found.type, Pointer) and isinstance(found.type.to, Struct | Array)
        body.file.addresses |= numbered
        body.file.placed |= numbered
        body.file.numbers |= numbered or (isinstance(found.type, Int) and isinstance(kind, Pointer))
    return convert(found, kind, body.registers)


def seen_as(file: File, kind: CType) -> None:
    """Note that an object is taken as one of a type that may be another one than its own."""
    if not isinstance(kind, Void | Function) and not any(known is kind or known == kind for known in file.views):
        file.views.append(kind)


@contextmanager
def untouched(body: Body) -> Iterator[list[Step]]:
    """Steps that are made in here are taken back at the end; what they were is told."""
    before, here, registers = len(body.steps), body.here, dict(body.registers)
    made = list[Step]()
    try:
        yield made
    finally:
        made += body.steps[before:]
        del body.steps[before:]
        body.here, body.registers = here, registers


def meaning(body: Body, name: str) -> Meaning | None:
    """What a name means here."""
    for scope in reversed(body.scopes):
        if name in scope:
            return scope[name]
    return body.file.names.get(name)


def at(body: Body, node: Any) -> Origin:
    """The place of a node; inside of the library that of the function."""
    found = origin(node, body.file.text)
    return body.origin if found.span is None else found


def complain(file: File, node: Any, wrong: Unsupported) -> None:
    """Note what is wrong with a node, unless it only follows from what is wrong elsewhere."""
    if wrong.follows and any(p.severity is Severity.ERROR for p in file.problems):
        return
    file.problems.append(error(wrong.code, wrong.message, span(node, file.text), wrong.hint))


def warn(file: File, node: Any, code: str, message: str) -> None:
    """Note something suspicious about a node, once."""
    made = warning(code, message, span(node, file.text))
    if made not in file.problems:
        file.problems.append(made)


def object_of(
    name: str,
    kind: CType,
    storage: Storage,
    where: Origin,
    initial: Mapping[int, Term] | None,
    kept: bool = False,
) -> Object:
    """An object of a type. Without `initial` values its cells are arbitrary, with some the others are 0.

    `kept` says that it is constant.
    """
    opaque = frozenset(_opaque(kind))
    zero = build.integer(0)
    cells = list[Cell]()
    for (offset, (path, scalar)), behind in zip(enumerate(cells_of(kind)), distances_in_locations(kind), strict=True):
        first = None if initial is None and not isinstance(scalar, Float) else (initial or {}).get(offset, zero)
        atomic = synchronises(scalar) and offset not in opaque
        free, words = atomic or offset in opaque, words_of(scalar)
        if offset in opaque and path.endswith(STATUS):
            first, words = build.integer(RAW) if first is None else first, STATUSES
        if offset in opaque and path.endswith(HOLDERS):
            # Nobody holds what was never initialised.
            first = first or zero
        # What nobody ever writes has a value of its type.
        outside = kept and initial is None and storage is Storage.STATIC
        range_ = input_range(scalar) if outside else range_of(scalar)
        cells.append(Cell(path, range_, key_of(scalar), first, free, words, behind, atomic))
    rows = tuple(rows_of(kind))
    middling = tuple(r for r in rows_of(kind, most=MIDDLING) if r not in rows)
    return Object(name, tuple(cells), storage, where, rows, kept=kept, middling=middling)


def without_value(body: Body, made: InMemory, declared: Any = None) -> None:
    """Note that an object begins without a value: when its parts get theirs is not followed.

    What threads synchronise with is no matter of values, and a handle of a thread gets its value by the creation.
    """
    while isinstance(declared, c_ast.ArrayDecl | c_ast.TypeDecl):
        declared = declared.type
    handle = isinstance(declared, c_ast.IdentifierType) and declared.names[-1] in ("pthread_t", "thrd_t")
    if not body.hidden and not handle and sum(1 for _ in _opaque(made.type)) < cell_count(made.type):
        body.file.granted[UNSET] = None


def _opaque(kind: CType, start: int = 0) -> Iterator[int]:
    """The offsets of the scalars of the library's structures in an object of the type."""
    match kind:
        case Struct(opaque=True):
            yield from range(start, start + cell_count(kind))
        case Struct(_, fields):
            for _, inner in fields or ():
                yield from _opaque(inner, start)
                start += cell_count(inner)
        case Array(of, size):
            for index in range(size or 0):
                yield from _opaque(of, start + index * cell_count(of))
        case _:
            return
