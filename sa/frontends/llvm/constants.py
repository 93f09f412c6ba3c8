"""What is known of variables of a module: the first values of constants, and how memory is aligned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import poison_of
from sa.frontends.llvm.layout import POINTER, NoLayout, Place, meant, offsets, place_of, scalars, size_of
from sa.frontends.llvm.shapes import Shape, bytes_of
from sa.frontends.llvm.values import as_canonical

#: Linkage by which another definition may take the place of this one, or be merged with it.
INTERPOSABLE = frozenset({"weak", "linkonce", "common", "external", "available_externally", "appending"})


def is_constant(variable: s.GlobalVariable) -> bool:
    """Whether a variable always has its first value, which this module alone gives it."""
    return variable.constant and INTERPOSABLE.isdisjoint(variable.words)


def all_known(variable: s.GlobalVariable, shape: Shape, module: s.Module) -> bool:
    """Whether the first values of all cells are known."""
    known = first_values(variable, module, shape)
    return all(x.offset in known for x in shape.scalars)


def first_values(variable: s.GlobalVariable, module: s.Module, shape: Shape) -> Mapping[int, int]:
    """The first values of the cells of a shape, by their places, as far as they are known."""
    found = dict(_values(variable.first, variable.type, module, 0))
    whole = {x.offset: x.bits for x in scalars(variable.type, module)}
    made = dict[int, int]()
    for cell in shape.scalars:
        start = max((o for o in found if o <= cell.offset), default=None)
        if start is None or cell.offset + bytes_of(cell.bits) > start + bytes_of(whole[start]):
            continue
        if cell.bits == whole[start]:
            made[cell.offset] = found[start]
        elif found[start] == poison_of(whole[start]):
            made[cell.offset] = poison_of(cell.bits)
        else:
            made[cell.offset] = as_canonical(found[start] >> 8 * (cell.offset - start), cell.bits)
    return made


def constant_bytes(
    pointer: s.Operand, length: int, align: int, moves: Mapping[str, s.Element], module: s.Module
) -> bytes | None:
    """The bytes of a constant, so aligned, from a place on; None where they are not known, or one of them is poison."""
    try:
        place = place_of(pointer, moves, module)
        variable = module.variables.get(place.base.name) if isinstance(place.base, s.Global) else None
        if variable is None or place.index is not None or not is_constant(variable):
            return None
        if align > alignment(place, variable, module):
            return None
        widths = {x.offset: x.bits for x in scalars(variable.type, module)}
        found = dict(_values(variable.first, variable.type, module, 0))
    except NoLayout:
        return None
    data = dict[int, int]()
    for start, value in found.items():
        if widths[start] != POINTER and value != poison_of(widths[start]):
            size = bytes_of(widths[start])
            data.update(enumerate((value % 2 ** (8 * size)).to_bytes(size, "little"), start))
    wanted = range(place.offset, place.offset + length)
    return bytes(data[n] for n in wanted) if all(n in data for n in wanted) else None


def _values(first: s.Operand | None, kind: s.Type, module: s.Module, start: int) -> Iterator[tuple[int, int]]:
    """The first values of scalars by their places, without those that are not known."""
    match first, meant(kind, module):
        case s.Zero(), _:
            yield from ((scalar.offset, 0) for scalar in scalars(kind, module, start))
        case s.Number(value), s.IntType(bits):
            yield start, as_canonical(value % 2**bits, 8 * bytes_of(bits))
        case s.Null(), _:
            yield start, 0
        case s.Poison(), _:
            yield from ((x.offset, poison_of(x.bits)) for x in scalars(kind, module, start) if x.bits)
        case s.Text(data), _:
            yield from ((start + place, as_canonical(byte, 8)) for place, byte in enumerate(data))
        case s.Aggregate(elements), s.ArrayType(_, element):
            for number, one in enumerate(elements):
                yield from _values(one.operand, element, module, start + number * size_of(element, module)[0])
        case s.Aggregate(elements), s.StructType() as whole:
            for one, offset in zip(elements, offsets(whole, module), strict=True):
                yield from _values(one.operand, one.type, module, start + offset)
        case _:
            return


def alignment(place: Place, variable: s.GlobalVariable, module: s.Module) -> int:
    """How an access is known to be aligned."""
    try:
        # What is written may be less than is usual of the type.
        return aligned(place, variable.align or size_of(variable.type, module)[1])
    except NoLayout:
        return 1


def aligned(place: Place, least: int) -> int:
    """How an access is aligned in what is aligned to `least`."""
    for distance in (place.offset, place.stride):
        while distance % least:
            least //= 2
    return least
