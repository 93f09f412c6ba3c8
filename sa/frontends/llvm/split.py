"""Memory of the function's own, of which only scalars at constant distances are accessed, as an alloca for each.

That is scalar replacement of aggregates. It changes no behaviour: no one else has the address, parts that are accessed
do not overlap, and bytes that nobody reads are of no interest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of, lifetime_of, locals_in
from sa.frontends.llvm.layout import NoLayout, place_of, size_of


class _Access(Struct, frozen=True):
    """An access of a scalar, or of bytes that are all set (no `kind`): where it begins, and how many bytes it is."""

    offset: int
    size: int
    kind: s.Type | None
    align: int


def split(function: s.Function, module: s.Module) -> s.Function:
    """The function with an alloca for each part of those that can be split."""
    lines = [line for block in function.blocks for line in block.lines]
    moves = {x.result or "": x.instruction.element for x in lines if isinstance(x.instruction, s.Offset)}
    # Where pointers lead that are an alloca at a constant distance.
    places = dict[str, tuple[str, int]]()
    allocas = {
        line.result: line.instruction
        for line in function.blocks[0].lines
        if isinstance(line.instruction, s.Alloca) and line.result is not None
    }
    for name in (*allocas, *moves):
        try:
            place = place_of(s.Local(name), moves, module)
        except NoLayout:
            continue
        if isinstance(place.base, s.Local) and place.base.name in allocas and place.index is None:
            places[name] = (place.base.name, place.offset)
    whole = {
        name: parts
        for name, alloca in allocas.items()
        if any(place[0] == name for other, place in places.items() if other != name) or _is_large(alloca)
        if (parts := _parts(name, alloca, lines, places, module)) is not None
    }
    if not whole:
        return function
    blocks = ((b.name, tuple(x for line in b.lines for x in _lines(line, whole, places))) for b in function.blocks)
    return s.Function(function.signature, tuple(s.Block(*block) for block in blocks))


def _is_large(alloca: s.Alloca) -> bool:
    return not isinstance(alloca.type, s.IntType | s.PointerType)


def _parts(
    name: str, alloca: s.Alloca, lines: list[s.Line], places: Mapping[str, tuple[str, int]], module: s.Module
) -> Mapping[int, s.Type] | None:
    """The scalars of an alloca by their offsets; None where it cannot be split."""
    try:
        size, natural = size_of(alloca.type, module)
    except NoLayout:
        return None
    found = dict[int, tuple[int, s.Type]]()
    filled = list[_Access]()
    known = {other for other, place in places.items() if place[0] == name}
    for line in lines:
        used = set(locals_in(*(getattr(line.instruction, f) for f in line.instruction.__struct_fields__))) & known
        if not used or (isinstance(line.instruction, s.Offset) and line.result in known):
            continue
        if lifetime_of(line.instruction) == name:
            continue
        access = _accessed(line.instruction, places, module)
        if access is None or not 0 <= access.offset <= size - access.size or alloca.count is not None:
            return None
        if access.align and (max(alloca.align, natural) % access.align or access.offset % access.align):
            return None
        if access.kind is None:
            filled.append(access)
        elif found.setdefault(access.offset, (access.size, access.kind)) != (access.size, access.kind):
            return None
    ends = sorted((offset, offset + length) for offset, (length, _) in found.items())
    # A pointer that has left the object is poison, even where it comes back.
    inside = all(0 <= places[other][1] <= size for other in known)
    apart = all(one[1] <= two[0] for one, two in pairwise(ends))
    return {offset: kind for offset, (_, kind) in found.items()} if inside and apart and _covers(filled, ends) else None


def _covers(filled: list[_Access], ends: list[tuple[int, int]]) -> bool:
    """Whether what is set is whole scalars."""
    return all(
        end <= access.offset or access.offset + access.size <= start
        or (access.offset <= start and end <= access.offset + access.size)
        for access in filled
        for start, end in ends
    )  # fmt: skip


def _accessed(instruction: s.Instruction, places: Mapping[str, tuple[str, int]], module: s.Module) -> _Access | None:
    """The plain access of a scalar, or a `memset`, through a pointer that is nothing else there."""
    match instruction:
        case s.Load(kind, s.Local(pointer), False, None, align):
            value: s.Operand | None = None
        case s.Store(s.Typed(kind, value), s.Local(pointer), False, None, align):
            pass
        case s.Call() if (filled := _filled(instruction)) is not None:
            pointer, length, _ = filled
            return _Access(places[pointer][1], length, None, 0) if pointer in places else None
        case _:
            return None
    if (isinstance(value, s.Local) and value.name in places) or pointer not in places:
        return None
    if not isinstance(kind, s.PointerType) and not (isinstance(kind, s.IntType) and kind.bits in (8, 16, 32, 64)):
        return None
    return _Access(places[pointer][1], size_of(kind, module)[0], kind, align)


def _filled(call: s.Call) -> tuple[str, int, int] | None:
    """The pointer, the number of bytes and the byte of a plain `llvm.memset` with constants."""
    if not callee_of(call).startswith("llvm.memset.p0."):
        return None
    match [argument.operand for argument in call.arguments]:
        case [s.Local(pointer), s.Number(byte), s.Number(length), s.Number(0)]:
            return pointer, length, byte % 256
        case _:
            return None


def _lines(
    line: s.Line, whole: Mapping[str, Mapping[int, s.Type]], places: Mapping[str, tuple[str, int]]
) -> Iterator[s.Line]:
    """What takes the place of a line."""
    instruction, result = line.instruction, line.result or ""
    if result in whole and isinstance(instruction, s.Alloca):
        for offset, kind in whole[result].items():
            yield replace(line, result=_part(result, offset), instruction=s.Alloca(kind, None, instruction.align))
        return
    if (name := lifetime_of(instruction)) in whole and isinstance(instruction, s.Call) and name is not None:
        for offset in whole[name]:
            own = replace(instruction.arguments[-1], operand=s.Local(_part(name, offset)))
            yield replace(line, instruction=replace(instruction, arguments=(*instruction.arguments[:-1], own)))
        return
    match instruction:
        case s.Offset() if result in places and places[result][0] in whole:
            return
        case s.Load(pointer=s.Local(pointer)) | s.Store(pointer=s.Local(pointer)) if (
            pointer in places and places[pointer][0] in whole
        ):
            yield replace(line, instruction=replace(instruction, pointer=s.Local(_part(*places[pointer]))))
        case s.Call() if (filled := _filled(instruction)) is not None and places.get(filled[0], ("",))[0] in whole:
            pointer, length, byte = filled
            alloca, start = places[pointer]
            for offset, kind in whole[alloca].items():
                if start <= offset < start + length:
                    value = s.Typed(kind, _of_bytes(kind, byte))
                    made = s.Store(value, s.Local(_part(alloca, offset)), False, None, 1)
                    yield replace(line, result=None, instruction=made)
        case _:
            yield line


def _of_bytes(kind: s.Type, byte: int) -> s.Operand:
    if isinstance(kind, s.IntType):
        return s.Number(int.from_bytes(bytes([byte]) * (kind.bits // 8), "little"))
    return s.Null() if byte == 0 else s.Undef()


def _part(name: str, offset: int) -> str:
    return f"{name}+{offset}"
