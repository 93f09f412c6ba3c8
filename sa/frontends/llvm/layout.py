"""Where the scalars of a type are, in bytes, and where in an object a pointer points (LangRef, `getelementptr`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sa.frontends.llvm import syntax as s

#: The width of pointers, which tells them from integers of 64 bits.
POINTER = 65

#: More scalars than these are too many for one object.
MOST_SCALARS = 4096


class Scalar(Struct, frozen=True):
    """A scalar of an object: where it begins, what follows the object's name, and its width.

    The width is 0 if it is neither integer nor pointer.
    """

    offset: int
    path: str
    bits: int


class NoLayout(Exception):
    """A type whose layout is not known here."""


def scalars(kind: s.Type, module: s.Module, start: int = 0, path: str = "") -> Iterator[Scalar]:
    """The scalars of a type in the order of their places. Raises NoLayout."""
    match kind:
        case s.IntType(bits):
            yield Scalar(start, path, 8 * -(-bits // 8) if bits <= 64 else 0)
        case s.PointerType():
            yield Scalar(start, path, POINTER)
        case s.OtherType():
            yield Scalar(start, path, 0)
        case s.NamedType():
            yield from scalars(meant(kind, module), module, start, path)
        case s.ArrayType(count, element):
            size, _ = size_of(element, module)
            if count > MOST_SCALARS:
                raise NoLayout
            for index in range(count):
                yield from scalars(element, module, start + index * size, f"{path}[{index}]")
        case s.StructType(elements):
            for number, (element, offset) in enumerate(zip(elements, offsets(kind, module), strict=True)):
                yield from scalars(element, module, start + offset, f"{path}.{number}")
        case s.VoidType():
            raise NoLayout


def meant(kind: s.Type, module: s.Module) -> s.Type:
    """The type that a name stands for. Raises NoLayout."""
    if not isinstance(kind, s.NamedType):
        return kind
    if kind.name not in module.types:
        raise NoLayout
    return module.types[kind.name]


def size_of(kind: s.Type, module: s.Module) -> tuple[int, int]:
    """The size in bytes with what is behind it in an array, and the alignment. Raises NoLayout."""
    match kind:
        case s.IntType(bits) if bits <= 64:
            size = 1
            while 8 * size < bits:
                size *= 2
            return size, module.wide if size == 8 else size
        case s.PointerType():
            return 8, 8
        case s.OtherType("float"):
            return 4, 4
        case s.OtherType("double"):
            return 8, 8
        case s.NamedType():
            return size_of(meant(kind, module), module)
        case s.ArrayType(count, element):
            size, align = size_of(element, module)
            return count * size, align
        case s.StructType(elements, packed):
            sizes = [size_of(e, module) for e in elements]
            align = 1 if packed else max((a for _, a in sizes), default=1)
            places = offsets(kind, module)
            end = places[-1] + sizes[-1][0] if sizes else 0
            return -(-end // align) * align, align
        case _:
            raise NoLayout


def offsets(kind: s.StructType, module: s.Module) -> list[int]:
    """Where the elements of a structure begin. Raises NoLayout."""
    found, here = list[int](), 0
    for element in kind.elements:
        size, align = size_of(element, module)
        here = here if kind.packed else -(-here // align) * align
        found.append(here)
        here += size
    return found


class Place(Struct, frozen=True):
    """Where a pointer points: a distance in bytes from what `base` is, and from there `stride` times an index.

    `wraps`: what the index adds up to may pass the end of the address space. It `rises` if it must not be negative.
    If it is `inbounds`, so is what it is the distance from.
    """

    base: s.Operand
    offset: int = 0
    index: s.Typed | None = None
    stride: int = 0
    wraps: bool = False
    rises: bool = False
    inbounds: bool = True


def element_of(kind: s.Type, index: s.Operand, module: s.Module) -> tuple[s.Type, s.Type]:
    """The structure or array that a type is, and what it has at an index. Raises NoLayout."""
    whole = meant(kind, module)
    match whole:
        case s.StructType(elements) if isinstance(index, s.Number):
            return whole, elements[index.value]
        case s.ArrayType(_, element):
            return whole, element
        case _:
            raise NoLayout


def moved(place: Place, element: s.Element, module: s.Module) -> Place:
    """The place that a `getelementptr` leads to. Raises NoLayout."""
    kind, offset = element.type, place.offset
    found = place.index, place.stride, place.wraps, place.rises
    rises = "nuw" in element.flags
    plain = element.flags.isdisjoint({"inbounds", "nusw"})
    for number, index in enumerate(element.indices):
        if number == 0:
            stride = size_of(kind, module)[0]
        else:
            whole, kind = element_of(kind, index.operand, module)
            if isinstance(whole, s.StructType) and isinstance(index.operand, s.Number):
                offset += offsets(whole, module)[index.operand.value]
                continue
            stride = size_of(kind, module)[0]
        if isinstance(index.operand, s.Number | s.Zero):
            value = index.operand.value if isinstance(index.operand, s.Number) else 0
            if rises and value < 0:
                raise NoLayout
            offset += stride * value
        elif found[0] is None and isinstance(index.type, s.IntType):
            found = (index, stride, plain, rises)
        else:
            raise NoLayout
    still = offset == place.offset and found[0] is None
    return Place(place.base, offset, *found, place.inbounds and (still or "inbounds" in element.flags))


def place_of(operand: s.Operand, moves: Mapping[str, s.Element], module: s.Module) -> Place:
    """The place of an operand, by the instructions that move pointers. Raises NoLayout."""
    if isinstance(operand, s.Element):
        return moved(place_of(operand.base, moves, module), operand, module)
    if isinstance(operand, s.Local) and operand.name in moves:
        element = moves[operand.name]
        return moved(place_of(element.base, moves, module), element, module)
    return Place(operand)


def passed(operand: s.Operand, moves: Mapping[str, s.Element], module: s.Module) -> Iterator[Place]:
    """Where a pointer is on the way, and must stay within its object: before and behind each index. Raises NoLayout."""
    match operand:
        case s.Element():
            element = operand
        case s.Local(name) if name in moves:
            element = moves[name]
        case _:
            return
    yield from passed(element.base, moves, module)
    if "inbounds" in element.flags:
        start = place_of(element.base, moves, module)
        for number in range(len(element.indices) + 1):
            part = s.Element(element.flags, element.type, element.base, element.indices[:number])
            yield moved(start, part, module)
