"""Types of C, what they look like in memory, and conversions between them.

Integers are 1 to 8 bytes. The target is x86_64-linux: `char` is signed, `long` and pointers have 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from sa.frontends.flow.graph import ANY, PLAIN, Range, Row, Words
from sa.terms.term import Term


class Int(msgspec.Struct, frozen=True):
    """An integer type. `enumerators` are names of values; a bit field is in a `unit` of bits."""

    name: str
    bits: int
    signed: bool
    atomic: bool = False
    volatile: bool = False
    enumerators: tuple[tuple[int, str], ...] = ()
    unit: int | None = None


class Pointer(msgspec.Struct, frozen=True):
    """A pointer."""

    to: CType
    atomic: bool = False
    volatile: bool = False


class Float(msgspec.Struct, frozen=True):
    """A floating-point type. Its values are not known: nothing may depend on them."""

    name: str
    bits: int
    volatile: bool = False


class Counted(msgspec.Struct, frozen=True):
    """How many elements an array has where that is computed; `refused` is raised where its size has to be constant."""

    number: Term
    refused: Exception


class Array(msgspec.Struct, frozen=True):
    """An array; `size` is None where it is not known, and the most that it may be where elements are `counted`."""

    of: CType
    size: int | None
    counted: Counted | None = None


class Struct(msgspec.Struct, eq=False):
    """A structure, the same one only as itself. `fields` is None as long as it is incomplete.

    One of the library's is `opaque`: initialisers of it mean that it is new. `gaps` are the bit fields without a name,
    each with the number of fields before it. A union has `members`, and one field: the unit of all their bytes.
    An atomic one is read and written as a whole. It knows how it is `plainly`, and that one how it is `atomically`.
    `aligned` is what its members ask for beside their types, where a gap of no bits stands before each of them.
    One that is `refused` is not accepted for that reason, wherever its size or a part of it is asked for.
    """

    tag: str
    fields: tuple[tuple[str, CType], ...] | None = None
    opaque: bool = False
    gaps: tuple[tuple[int, Int], ...] = ()
    members: tuple[tuple[str, CType], ...] | None = None
    plainly: Struct | None = None
    atomically: Struct | None = None
    aligned: int = 1
    refused: Exception | None = None


class Function(msgspec.Struct, frozen=True):
    """A function; `parameters` is None where they are not declared."""

    result: CType
    parameters: tuple[CType, ...] | None
    variadic: bool = False


class Void(msgspec.Struct, frozen=True):
    """No value."""


CType: TypeAlias = Int | Float | Pointer | Array | Struct | Function | Void

VOID = Void()
BOOL = Int("_Bool", 1, False)
CHAR = Int("char", 8, True)
INT = Int("int", 32, True)
UINT = Int("unsigned int", 32, False)
LONG = Int("long", 64, True)
ULONG = Int("unsigned long", 64, False)


def range_of(kind: CType) -> Range:
    """The values of a scalar type; those of wide signed types are not relied on, for arithmetic is exact."""
    match kind:
        case Int(_, bits, False):
            return Range(0, 2**bits - 1)
        case Int(_, bits, True) if bits < 32:
            return Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        case _:
            return ANY


def words_of(kind: CType) -> Words:
    """How values of a scalar type are told."""
    match kind:
        case Pointer():
            return POINTERS
        case Int(name="char"):
            return LETTERS
        case Int(enumerators=known):
            return Words(known) if known else PLAIN
        case _:
            return PLAIN


POINTERS, LETTERS = Words(pointers=True), Words(letters=True)


def input_range(kind: CType) -> Range:
    """The values of a scalar type that comes from outside."""
    if isinstance(kind, Int) and kind.signed:
        return Range(-(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1)
    return range_of(kind)


def key_of(kind: CType) -> str:
    """What tells cells of a scalar type from others: accesses by another type do not meet them.

    Those by the type of the other signedness do (C11 6.5): `flow.views` has what they see.
    """
    match kind:
        case Int(name, bits, signed):
            return "bool" if name == "_Bool" else f"{'' if signed else 'u'}int{bits}"
        case Pointer():
            return "pointer"
        case Float(name):
            return name
        case _:
            return "none"


def synchronises(kind: CType) -> bool:
    """Whether accesses are atomic by the type."""
    return isinstance(kind, Int | Pointer) and kind.atomic


def is_whole(kind: CType) -> bool:
    """Whether it is an atomic structure, which is accessed in one step."""
    return isinstance(kind, Struct) and kind.plainly is not None


def is_scalar(kind: CType) -> bool:
    """Whether a value of the type is one number."""
    return isinstance(kind, Int | Float | Pointer)


def fields_of(kind: Struct) -> tuple[tuple[str, CType], ...]:
    """The fields of a structure; none of one that is incomplete. Raises what it is refused for."""
    if kind.refused is not None:
        raise kind.refused
    return kind.fields or ()


def cells_of(kind: CType, path: str = "") -> Iterator[tuple[str, CType]]:
    """The scalars that an object of the type is made of, in order, with what follows the object's name."""
    match kind:
        case Int() | Float() | Pointer():
            yield path, kind
        case Array(of, size):
            for index in range(size or 0):
                yield from cells_of(of, f"{path}[{index}]")
        case Struct():
            for name, inner in fields_of(kind):
                yield from cells_of(inner, f"{path}.{name}")
        case _:
            return


def distances_in_locations(kind: CType) -> Iterator[int]:
    """For each scalar of an object of the type how many before it are in the same memory location.

    These are bit fields side by side, if none without bits is between them (C11 3.14).
    """
    match kind:
        case Array(of, size):
            for _ in range(size or 0):
                yield from distances_in_locations(of)
        case Struct(_, fields):
            before, ends = 0, {number for number, gap in kind.gaps if gap.bits == 0}
            for number, (_, inner) in enumerate(fields or ()):
                before = 0 if number in ends else before
                if isinstance(inner, Int) and inner.unit is not None:
                    yield before
                    before += 1
                else:
                    yield from distances_in_locations(inner)
                    before = 0
        case _:
            yield from (0 for _ in cells_of(kind))


#: Arrays with more elements are large, and those with more in all their dimensions.
LARGE = (64, 256)


#: How many scalars an array of a size that is computed may have.
MOST_SIZED = 2**12
#: Arrays with more are of a middle size.
MIDDLING = (16, 16)
#: All with several elements.
ANY_SIZE = (1, 256)


def rows_of(kind: CType, start: int = 0, path: str = "", most: tuple[int, int] | None = None) -> Iterator[Row]:
    """The arrays in an object of the type that are larger than `most` says, or than LARGE, with their places in it."""
    match kind:
        case Array() if _is_large(kind, most or LARGE):
            element = _innermost(kind)
            count = cell_count(kind) // max(1, cell_count(element))
            yield Row(start, count, tuple(f"{path}[]{inner}" for inner, _ in cells_of(element)))
        case Array(of, size):
            for index in range(size or 0):
                yield from rows_of(of, start + index * cell_count(of), f"{path}[{index}]", most)
        case Struct():
            for name, inner in fields_of(kind):
                yield from rows_of(inner, start, f"{path}.{name}", most)
                start += cell_count(inner)
        case _:
            return


def _innermost(kind: CType) -> CType:
    return _innermost(kind.of) if isinstance(kind, Array) else kind


def _is_large(kind: CType, most: tuple[int, int]) -> bool:
    if not isinstance(kind, Array):
        return False
    in_all = cell_count(kind) // max(1, cell_count(_innermost(kind)))
    return (kind.size or 0) > most[0] or in_all > most[1] or _is_large(kind.of, most)


def cell_count(kind: CType) -> int:
    """How many scalars an object of the type is made of: the distance of two elements of an array of it."""
    match kind:
        case Int() | Float() | Pointer():
            return 1
        case Array(of, size):
            return (size or 0) * cell_count(of)
        case Struct():
            return sum(cell_count(inner) for _, inner in fields_of(kind))
        case _:
            return 1


def size_of(kind: CType) -> int:
    """The size in bytes, as `sizeof` has it."""
    match kind:
        case Int(_, bits) | Float(_, bits):
            return max(1, bits // 8)
        case Pointer() | Function():
            return 8
        case Array(counted=Counted(refused=problem)):
            raise problem
        case Array(of, size):
            return (size or 0) * size_of(of)
        case Struct(members=tuple(members)):
            return union_size(members)
        case Struct():
            end = max((start + bits_of(inner) for start, _, inner in starts(kind)), default=0)
            return -(-end // (8 * alignment(kind))) * alignment(kind)
        case _:
            return 1


def union_size(members: tuple[tuple[str, CType], ...]) -> int:
    """The size in bytes of a union."""
    most = max((size_of(inner) for _, inner in members), default=0)
    aligned = max((alignment(inner) for _, inner in members), default=1)
    return -(-most // aligned) * aligned


def bits_of(kind: CType) -> int:
    """How many bits a value of the type has in memory."""
    return kind.bits if isinstance(kind, Int) and kind.unit is not None else 8 * size_of(kind)


def starts(kind: Struct) -> Iterator[tuple[int, str, CType]]:
    """The first bit of each field, as the System V ABI places them, its name and its type."""
    here, fields = 0, list[tuple[str, CType]](fields_of(kind))
    for number, gap in reversed(kind.gaps):
        fields.insert(number, ("", gap))
    for name, inner in fields:
        if isinstance(inner, Int) and inner.unit is not None:
            # A bit field does not cross a boundary of its unit; one without bits ends the unit.
            if inner.bits == 0 or here % inner.unit + inner.bits > inner.unit:
                here = -(-here // inner.unit) * inner.unit
        else:
            here = -(-here // (8 * alignment(inner))) * 8 * alignment(inner)
        yield here, name, inner
        here += bits_of(inner)


def byte_of(kind: Struct, name: str) -> int:
    """The distance in bytes of a field from the start, as `offsetof` has it. The structure has such a field."""
    for start, own, inner in starts(kind):
        if own == name:
            return start // 8
        if own.startswith("?") and isinstance(inner, Struct) and offset_of(inner, name) is not None:
            return start // 8 + byte_of(inner, name)
    raise KeyError(name)


def alignment(kind: CType) -> int:
    """The alignment in bytes."""
    match kind:
        case Array(of, _):
            return alignment(of)
        case Int(unit=int(bits)):
            return bits // 8
        case Struct(members=members, aligned=own):
            return max((own, *(alignment(inner) for _, inner in members or fields_of(kind))))
        case _:
            return size_of(kind)


def offset_of(kind: Struct, name: str) -> tuple[int, CType] | None:
    """The distance in cells of a field from the start, and its type; None if there is no such field."""
    here = 0
    for own, inner in fields_of(kind):
        if own == name:
            return here, inner
        if own.startswith("?") and isinstance(inner, Struct) and (found := offset_of(inner, name)) is not None:
            return here + found[0], found[1]
        here += cell_count(inner)
    return None


def promoted(kind: CType) -> CType:
    """The integer promotions (C11 6.3.1.1)."""
    if isinstance(kind, Int):
        return plain(kind) if kind.bits >= 32 else INT
    return plain(kind)


def plain(kind: CType) -> CType:
    """The type of a value of the type: without qualifiers and enumerators."""
    match kind:
        case Int(name, bits, signed):
            return Int(name, bits, signed)
        case Pointer(to):
            return Pointer(to)
        case Float(name, bits):
            return Float(name, bits)
        case Struct(plainly=Struct() as inner):
            return inner
        case _:
            return kind


def usual(left: CType, right: CType) -> Int:
    """The usual arithmetic conversions (C11 6.3.1.8)."""
    one, two = promoted(left), promoted(right)
    assert isinstance(one, Int) and isinstance(two, Int)
    if one.bits != two.bits:
        return one if one.bits > two.bits else two
    return one if not one.signed else two
