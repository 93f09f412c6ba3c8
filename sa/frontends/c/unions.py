"""Unions: one integer of all their bytes, of which members are bits (little-endian, as the target has them).

A union is a structure with one field, the unit, so that it is copied, given and returned as structures are. A member
that is as wide as the unit is the unit seen through its type; any other one is some of its bits, written in one step.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.frontends.c.body import Body, InMemory, Part, converted, emit, temporary
from sa.frontends.c.types import (
    Array,
    CType,
    Int,
    Pointer,
    Struct,
    bits_of,
    is_scalar,
    is_whole,
    key_of,
    offset_of,
    plain,
    size_of,
    starts,
)
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Begin, End, Load, Store
from sa.terms import build
from sa.terms.term import Term


def member(place: InMemory, name: str) -> InMemory | None:
    """The place of a field of a structure or union, also of an anonymous one in it; None if there is none.

    Raises Unsupported for one of an atomic structure.
    """
    kind = place.type
    if not isinstance(kind, Struct):
        return None
    if is_whole(kind):
        raise Unsupported("SA712", "a member of an atomic structure is accessed", "copy the structure first")
    if place.part is not None or kind.members is not None:
        return _inside(place, name)
    if (found := offset_of(kind, name)) is not None:
        return _moved(place, *found)
    for own, inner in kind.fields or ():
        if own.startswith("?") and isinstance(inner, Struct) and (where := offset_of(kind, own)) is not None:
            deeper = member(_moved(place, *where), name)
            if deeper is not None:
                return deeper
    return None


def _moved(place: InMemory, distance: int, kind: CType) -> InMemory:
    among = place.among and (place.among[0], tuple(o + distance for o in place.among[1]))
    return InMemory(build.add(place.address, build.integer(distance)), kind, place.wrong, among)


def _inside(place: InMemory, name: str) -> InMemory | None:
    assert isinstance(place.type, Struct)
    for start, own, inner in _members(place.type):
        if own == name:
            return _narrowed(place, start, inner)
        if own.startswith("?") and isinstance(inner, Struct):
            deeper = _inside(_narrowed(place, start, inner), name)
            if deeper is not None:
                return deeper
    return None


def _members(kind: Struct) -> Iterator[tuple[int, str, CType]]:
    if kind.members is None:
        yield from starts(kind)
    else:
        yield from ((0, name, inner) for name, inner in kind.members)


def _narrowed(place: InMemory, start: int, kind: CType) -> InMemory:
    """Some bits of a union as a place of a type."""
    part = _part(place)
    whole = isinstance(kind, Int) and kind.bits == part.unit.bits
    made = None if whole else Part(part.low + start, part.unit)
    return InMemory(place.address, kind, place.wrong, place.among, made)


def _part(place: InMemory) -> Part:
    if place.part is not None:
        return place.part
    assert isinstance(place.type, Struct) and place.type.fields is not None
    unit = place.type.fields[0][1]
    assert isinstance(unit, Int)
    return Part(0, unit)


def element(place: InMemory, index: int) -> InMemory:
    """An element of an array in a union. Raises Unsupported."""
    assert isinstance(place.type, Array)
    if not 0 <= index < (place.type.size or 0):
        raise Unsupported("SA712", "an index outside of an array in a union")
    return _narrowed(place, 8 * size_of(place.type.of) * index, place.type.of)


def read(body: Body, place: InMemory) -> Value:
    """The value of some bits of a union. Raises Unsupported."""
    part = _scalar(body, place)
    _own(body, place)
    unit = temporary(body, part.unit)
    emit(body, Load(unit, place.address, key_of(part.unit), place.wrong, place.among))
    return Value(_signed(_bits(unit, part, place.type), place.type), plain(place.type))


def write(body: Body, place: InMemory, new: Value) -> Value:
    """Change some bits of a union, in one step. Raises Unsupported."""
    part = _scalar(body, place)
    _own(body, place)
    made = converted(body, new, place.type)
    emit(body, Begin())
    unit = temporary(body, part.unit)
    emit(body, Load(unit, place.address, key_of(part.unit), place.wrong, place.among))
    size = 2 ** bits_of(place.type)
    # A number of the type is less than one turn away from its bits.
    low = number(made)
    bits = build.ite(build.le(build.ZERO, low), low, build.add(low, build.integer(size)))
    change = build.scale(2**part.low, build.sub(bits, _bits(unit, part, place.type)))
    term = bits if size == 2**part.unit.bits else build.add(unit, change)
    emit(body, Store(place.address, term, key_of(part.unit), place.wrong, place.among))
    emit(body, End())
    return Value(made.term, plain(place.type))


def _scalar(body: Body, place: InMemory) -> Part:
    if place.part is None or not is_scalar(place.type):
        raise Unsupported("SA712", "a structure or array in a union as a whole", "use its fields or elements")
    body.file.numbers |= isinstance(place.type, Pointer)
    return place.part


def _own(body: Body, place: InMemory) -> None:
    """Raises Unsupported for a part of what others may know: each byte has its permission, and the unit has one."""
    if body.file.choices.function is None:
        return
    bases = [v for v in place.address.free if v.name.startswith("&")]
    if len(bases) != 1 or bases[0].name.removeprefix("&") not in body.objects:
        message = "a part of a union that others may access is not supported when functions are compared alone"
        raise Unsupported("SA718", message, "use a structure, or members that are as large as the union")


def _bits(unit: Term, part: Part, kind: CType) -> Term:
    """The bits of a part as a number that is not negative."""
    width = bits_of(kind)
    moved = build.div(unit, 2**part.low) if part.low else unit
    return moved if part.low + width == part.unit.bits else build.mod(moved, 2**width)


def _signed(bits: Term, kind: CType) -> Term:
    if isinstance(kind, Int) and kind.name == "_Bool":
        return build.ite(build.eq(bits, build.ZERO), build.ZERO, build.ONE)
    if isinstance(kind, Int) and not kind.signed:
        return bits
    half = 2 ** (bits_of(kind) - 1)
    return build.ite(build.le(bits, build.integer(half - 1)), bits, build.sub(bits, build.integer(2 * half)))


def leaves(kind: CType, start: int = 0) -> Iterator[tuple[int, CType]]:
    """The first bits and types of the scalars in a type, in the order of its cells."""
    match kind:
        case Int() | Pointer():
            yield start, kind
        case Array(of, size):
            for index in range(size or 0):
                yield from leaves(of, start + 8 * size_of(of) * index)
        case Struct():
            for own, name, inner in starts(kind):
                if name:
                    yield from leaves(inner, start + own)
        case _:
            return
