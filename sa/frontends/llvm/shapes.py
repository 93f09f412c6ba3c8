"""Objects as the cells that accesses are of: as large as all accesses let them be, a byte at least."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.flow.graph import Row
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.layout import MOST_SCALARS, POINTER, Place, Scalar, meant, offsets, size_of


class Shape(Struct, frozen=True):
    """The cells of an object, and its size in bytes.

    Whatever follows a pointer to it takes it to be aligned to `align`, and bytes from the last of the `starts` to the
    first of the `ends` to be there. Some accesses ask for others of these, or for others of the alignments `aligns`.
    """

    scalars: tuple[Scalar, ...]
    size: int
    align: int = 1
    aligns: tuple[int, ...] = (1,)
    starts: tuple[int, ...] = (0,)
    ends: tuple[int, ...] = (0,)


class Touched(Struct, frozen=True):
    """The cells that an access may be of: the first one, and how many cells and indices it is to the next ones.

    Each time it is of cells of these `widths`, which follow each other.
    """

    first: int
    count: int
    step: int
    least: int
    widths: tuple[int, ...] = ()


def bytes_of(bits: int) -> int:
    """How many bytes a value takes in memory (LangRef, `store`)."""
    return 8 if bits == POINTER else -(-bits // 8)


def chunks(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Bytes as integers that are as large as they may be: where each begins, and its size."""
    while start < end:
        size = 8
        while start % size or start + size > end:
            size //= 2
        yield start, size
        start += size


def touched(place: Place, bits: int, shape: Shape) -> Touched | None:
    """The cells that an access may be of; None where it may be of a part of one, or of others each time.

    There are none where it is never within the object.
    """
    numbers = {scalar.offset: n for n, scalar in enumerate(shape.scalars)}
    last = shape.size - bytes_of(bits)
    if place.index is None:
        if not 0 <= place.offset <= last:
            return Touched(0, 0, 0, 0)
        widths = _widths(place.offset, bits, shape, numbers)
        return Touched(numbers[place.offset], 1, 0, 0, widths) if widths else None
    if place.stride <= 0:
        return None
    starts = list(_starts(place, last))
    if not starts:
        return Touched(0, 0, 0, 0)
    found = [_widths(start, bits, shape, numbers) for start in starts]
    cells = [numbers[start] for start, widths in zip(starts, found, strict=True) if widths]
    steps = {two - one for one, two in pairwise(cells)}
    if not all(found) or len(set(found)) > 1 or len(steps) > 1:
        return None
    least = (starts[0] - place.offset) // place.stride
    return Touched(cells[0], len(cells), steps.pop() if steps else 1, least, found[0])


def _starts(place: Place, last: int) -> Iterator[int]:
    """Where accesses with an index may begin within an object."""
    first = place.offset % place.stride
    yield from range(first, last + 1, place.stride)


def _widths(start: int, bits: int, shape: Shape, numbers: dict[int, int]) -> tuple[int, ...]:
    """The widths of the cells that are accessed from a place on, none where they are not whole ones."""
    found, here, end = list[int](), start, start + bytes_of(bits)
    while here < end:
        number = numbers.get(here)
        if number is None or not shape.scalars[number].bits:
            return ()
        found.append(shape.scalars[number].bits)
        here += bytes_of(found[-1])
    pointers = POINTER in found or bits == POINTER
    return tuple(found) if here == end and (not pointers or found == [bits]) else ()


def parts(place: Place, bits: int, size: int) -> Iterator[tuple[int, int]]:
    """The bytes that an access may be of in an object of a size: from here to there."""
    length = bytes_of(bits)
    if place.index is None:
        yield place.offset, place.offset + length
    elif place.stride > 0 and size // place.stride <= MOST_SCALARS:
        yield from ((start, start + length) for start in _starts(place, size - length))


def cut(shape: Shape, accessed: Iterable[tuple[int, int]]) -> Shape:
    """The shape with cells that end where what is accessed begins or ends."""
    ends = {end for part in accessed for end in part}
    return replace(shape, scalars=tuple(piece for scalar in shape.scalars for piece in _pieces(scalar, ends)))


def padded(shape: Shape, accessed: Collection[tuple[int, int]]) -> Shape:
    """The shape with cells for those bytes between others that are accessed."""
    found, here = list[Scalar](), 0
    for scalar in (*shape.scalars, Scalar(shape.size, "", 8)):
        # What is neither integer nor pointer may be of any size.
        known = not found or bool(found[-1].bits)
        if known and any(start < scalar.offset and here < end for start, end in accessed):
            found += [Scalar(at, f"+{at}", 8 * size) for at, size in chunks(here, scalar.offset)]
        found.append(scalar)
        here = scalar.offset + bytes_of(scalar.bits)
    return replace(shape, scalars=tuple(found[:-1]))


def rows_of(kind: s.Type, shape: Shape, module: s.Module, start: int = 0) -> Iterator[Row]:
    """The arrays in an object, as rows of its cells. Raises NoLayout."""
    match meant(kind, module):
        case s.ArrayType(count, element) if count > 1 and not isinstance(meant(element, module), s.ArrayType):
            size = size_of(element, module)[0]
            inside = [
                [(n, x) for n, x in enumerate(shape.scalars) if first <= x.offset < first + size]
                for first in range(start, start + count * size, size)
            ]
            alike = {tuple((x.offset - own[0][1].offset, x.bits) for _, x in own) for own in inside if own}
            if len(alike) == 1 and all(inside):
                yield Row(inside[0][0][0], count, tuple(x.path.replace("[0]", "[]") for _, x in inside[0]))
        case s.ArrayType(count, element):
            for number in range(count):
                yield from rows_of(element, shape, module, start + number * size_of(element, module)[0])
        case s.StructType(elements) as whole:
            for element, offset in zip(elements, offsets(whole, module), strict=True):
                yield from rows_of(element, shape, module, start + offset)
        case _:
            return


def _pieces(scalar: Scalar, ends: set[int]) -> Iterator[Scalar]:
    first, last = scalar.offset, scalar.offset + bytes_of(scalar.bits)
    inside = sorted(end for end in ends if first < end < last)
    if not inside or scalar.bits == POINTER:
        yield scalar
        return
    for one, two in pairwise((first, *inside, last)):
        yield Scalar(one, f"+{one}", 8 * (two - one))
