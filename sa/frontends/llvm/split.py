"""Memory of the function's own, of which only scalars at constant distances are accessed, as an alloca for each.

That is scalar replacement of aggregates. It changes no behaviour: no one else has the address, parts that are accessed
do not overlap, and bytes that nobody reads are of no interest. What is copied is copied part by part. That is exact
although a part is poison if one of its bytes is: each part is written as a whole, or else comes from memory that
others see, does not go back there, and is read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, pairwise
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import lifetime_of, locals_in
from sa.frontends.llvm.fills import Copy, End, Fill, at_distance, moved_by, within
from sa.frontends.llvm.layout import NoLayout, place_of, size_of


class _Access(Struct, frozen=True):
    """An access of a scalar, or of bytes that are set or copied (no `kind`): where it begins, how many bytes it is."""

    offset: int
    size: int
    kind: s.Type | None
    align: int


class _Whole(Struct):
    """An alloca: its size, how it is aligned, its parts by their places, and the bytes that are set or copied."""

    size: int
    align: int
    parts: dict[int, s.Type] = field(default_factory=dict)
    ranges: set[tuple[int, int]] = field(default_factory=set)


class _Work(Struct, frozen=True):
    """Allocas by name, where pointers lead that are one of these at a constant distance, numbers for new registers."""

    whole: dict[str, _Whole]
    places: Mapping[str, tuple[str, int]]
    module: s.Module
    numbers: Iterator[int] = field(default_factory=count)

    def of(self, pointer: s.Operand) -> tuple[str, int] | None:
        """The alloca that a pointer leads into, if it is one that can be split, and how far."""
        place = self.places.get(pointer.name) if isinstance(pointer, s.Local) else None
        return place if place is not None and place[0] in self.whole else None


def split(function: s.Function, module: s.Module) -> s.Function:
    """The function with an alloca for each part of those that can be split."""
    lines = [line for block in function.blocks for line in block.lines]
    work = _begun(function, lines, module)
    copies = [copy for line in lines if isinstance(copy := moved_by(line), Copy)]
    fills = [fill for line in lines if isinstance(fill := moved_by(line), Fill)]
    while True:
        before = len(work.whole)
        for name in [n for n in work.whole if not _is_split(n, lines, work)]:
            del work.whole[name]
        for name in {*_copied_in_part(copies, work), *_unlike(copies, fills, work)}:
            work.whole.pop(name, None)
        if len(work.whole) == before:
            break
    if not work.whole:
        return function
    blocks = ((b.name, tuple(x for line in b.lines for x in _lines(line, work))) for b in function.blocks)
    return s.Function(function.signature, tuple(s.Block(*block) for block in blocks))


def _begun(function: s.Function, lines: list[s.Line], module: s.Module) -> _Work:
    """All allocas, before it is looked at how they are accessed."""
    moves = {x.result or "": x.instruction.element for x in lines if isinstance(x.instruction, s.Offset)}
    whole, places = dict[str, _Whole](), dict[str, tuple[str, int]]()
    for line in function.blocks[0].lines:
        match line.instruction:
            case s.Alloca(kind, None, align) if line.result is not None:
                try:
                    size, natural = size_of(kind, module)
                except NoLayout:
                    continue
                whole[line.result] = _Whole(size, align or natural)
            case _:
                continue
    for name in (*whole, *moves):
        try:
            place = place_of(s.Local(name), moves, module)
        except NoLayout:
            continue
        if isinstance(place.base, s.Local) and place.base.name in whole and place.index is None:
            places[name] = (place.base.name, place.offset)
    return _Work(whole, places, module)


def _is_split(name: str, lines: list[s.Line], work: _Work) -> bool:
    """Whether an alloca can be split as far as its own accesses say, which become its parts."""
    whole = work.whole[name]
    known = {other for other, place in work.places.items() if place[0] == name}
    # A pointer that has left the object is poison, even where it comes back.
    if not all(0 <= work.places[other][1] <= whole.size for other in known):
        return False
    for line in lines:
        used = set(locals_in(*(getattr(line.instruction, f) for f in line.instruction.__struct_fields__))) & known
        if not used or (isinstance(line.instruction, s.Offset) and line.result in known):
            continue
        if lifetime_of(line.instruction) == name:
            continue
        accesses = list(_accessed(line, name, work))
        if not accesses or not all(_is_within(access, whole) for access in accesses):
            return False
        for access in accesses:
            if access.kind is None:
                whole.ranges.add((access.offset, access.offset + access.size))
            elif whole.parts.setdefault(access.offset, access.kind) != access.kind:
                return False
    return _are_apart(whole, work.module)


def _is_within(access: _Access, whole: _Whole) -> bool:
    aligned = not access.align or (whole.align % access.align == 0 and access.offset % access.align == 0)
    return aligned and 0 <= access.offset <= whole.size - access.size


def _are_apart(whole: _Whole, module: s.Module) -> bool:
    """Whether no parts overlap, and what is set or copied is whole parts."""
    ends = sorted((offset, offset + size_of(kind, module)[0]) for offset, kind in whole.parts.items())
    return all(one[1] <= two[0] for one, two in pairwise(ends)) and all(
        end <= first or last <= start or (first <= start and end <= last)
        for first, last in whole.ranges
        for start, end in ends
    )


def _accessed(line: s.Line, name: str, work: _Work) -> Iterator[_Access]:
    """The plain accesses of scalars of an alloca, fills and copies, through pointers that are nothing else there."""
    match line.instruction:
        case s.Load(kind, s.Local(pointer), False, None, align):
            value: s.Operand | None = None
        case s.Store(s.Typed(kind, value), s.Local(pointer), False, None, align):
            pass
        case _:
            yield from _moved(line, name, work)
            return
    if (isinstance(value, s.Local) and value.name in work.places) or pointer not in work.places:
        return
    if isinstance(kind, s.PointerType) or (isinstance(kind, s.IntType) and kind.bits in (8, 16, 32, 64)):
        yield _Access(work.places[pointer][1], size_of(kind, work.module)[0], kind, align)


def _moved(line: s.Line, name: str, work: _Work) -> Iterator[_Access]:
    """The bytes of an alloca that a line fills or copies. A tail call must not access them (LangRef, `call`)."""
    match moved_by(line):
        case Fill(to, length):
            ends: tuple[End, ...] = (to,)
        case Copy(to, source, length):
            ends = (to, source)
        case None:
            return
    found = [(end, place) for end in ends if (place := work.of(end.pointer)) is not None and place[0] == name]
    if line.text.startswith(("tail ", "musttail ")) or not length:
        return
    yield from (_Access(place[1], length, None, end.align) for end, place in found)


def _copied_in_part(copies: Iterable[Copy], work: _Work) -> Iterator[str]:
    """Give allocas that are copied the same parts; yield those for which that cannot be."""
    pairs = [(copy, work.of(copy.to.pointer), work.of(copy.source.pointer)) for copy in copies]
    yield from _shared(pairs, work)
    for copy, to, source in pairs:
        for name, start in (end for end in (to, source) if end is not None and None in (to, source)):
            _filled_up(work.whole[name], start, copy.length, work.module)
    yield from _shared(pairs, work)
    yield from (name for name, whole in work.whole.items() if not _are_apart(whole, work.module))


#: An alloca, and how far into it.
_Place: TypeAlias = tuple[str, int]


def _shared(pairs: Iterable[tuple[Copy, _Place | None, _Place | None]], work: _Work) -> Iterator[str]:
    """Parts of one are parts of the other; yield those that have others at the same place."""
    while True:
        before = sum(len(whole.parts) for whole in work.whole.values())
        for copy, to, source in pairs:
            if to is None or source is None:
                continue
            for (name, start), (other, begin) in ((to, source), (source, to)):
                for offset, kind in list(work.whole[name].parts.items()):
                    if start <= offset < start + copy.length:
                        there = work.whole[other].parts.setdefault(offset - start + begin, kind)
                        yield from (name, other) if there != kind else ()
        if before == sum(len(whole.parts) for whole in work.whole.values()):
            return


def _filled_up(whole: _Whole, start: int, length: int, module: s.Module) -> None:
    """All bytes that come from others, or go to them, are in some part: as few as there may be."""
    inside = {b for o, kind in whole.parts.items() for b in range(o, o + size_of(kind, module)[0])}
    ends = {end for first, last in whole.ranges for end in (first, last)}
    here = start
    while here < start + length:
        size = 8
        while size > 1 and (
            here % size
            or here + size > start + length
            or not inside.isdisjoint(range(here, here + size))
            or not ends.isdisjoint(range(here + 1, here + size))
        ):
            size //= 2
        if here not in inside:
            whole.parts[here] = s.IntType(8 * size)
        here += size


def _unlike(copies: Iterable[Copy], fills: Iterable[Fill], work: _Work) -> Iterator[str]:
    """Allocas whose parts are not what bytes are: pointers that are filled, what comes from others and goes back."""
    for fill in fills:
        if (place := work.of(fill.to.pointer)) is not None and fill.byte:
            inside = range(place[1], place[1] + fill.length)
            pointers = (o for o, kind in work.whole[place[0]].parts.items() if isinstance(kind, s.PointerType))
            yield from (place[0] for offset in pointers if offset in inside)
    received, given = set[str](), set[str]()
    flows = list[tuple[str, str]]()
    for copy in copies:
        match work.of(copy.to.pointer), work.of(copy.source.pointer):
            case (to, first), (source, second):
                flows.append((source, to))
                if to == source and first != second and not copy.may_overlap and abs(first - second) < copy.length:
                    yield to
            case (to, _), None:
                received.add(to)
            case None, (source, _):
                given.add(source)
            case _:
                continue
    while not received.issuperset(more := {to for source, to in flows if source in received}):
        received |= more
    yield from received & given


def _lines(line: s.Line, work: _Work) -> Iterator[s.Line]:
    """What takes the place of a line."""
    instruction, result, found = line.instruction, line.result or "", moved_by(line)
    whole, places = work.whole, work.places
    if result in whole and isinstance(instruction, s.Alloca):
        for offset, kind in whole[result].parts.items():
            own = s.Alloca(kind, None, within(whole[result].align, offset))
            yield replace(line, result=_part(result, offset), instruction=own)
        return
    if (name := lifetime_of(instruction)) in whole and isinstance(instruction, s.Call) and name is not None:
        for offset in whole[name].parts:
            own_ = replace(instruction.arguments[-1], operand=s.Local(_part(name, offset)))
            yield replace(line, instruction=replace(instruction, arguments=(*instruction.arguments[:-1], own_)))
        return
    match instruction:
        case s.Offset() if result in places and places[result][0] in whole:
            return
        case s.Load(pointer=pointer) | s.Store(pointer=pointer) if (place := work.of(pointer)) is not None:
            yield replace(line, instruction=replace(instruction, pointer=s.Local(_part(*place))))
        case s.Call() if isinstance(found, Fill) and (place := work.of(found.to.pointer)):
            for offset, kind in _inside(work, place, found.length):
                value = s.Typed(kind, _of_bytes(kind, found.byte))
                stored = s.Store(value, s.Local(_part(place[0], offset)), False, None, 1)
                yield replace(line, result=None, instruction=stored)
        case s.Call() if isinstance(found, Copy):
            yield from _copying(line, found, work)
        case _:
            yield line


def _inside(work: _Work, place: tuple[str, int], length: int) -> list[tuple[int, s.Type]]:
    """The parts of an alloca that are within so many bytes from a place on."""
    parts = sorted(work.whole[place[0]].parts.items(), key=lambda part: part[0])
    return [(offset, kind) for offset, kind in parts if place[1] <= offset < place[1] + length]


def _copying(line: s.Line, copy: Copy, work: _Work) -> Iterator[s.Line]:
    """A copy, part by part: first all are loaded."""
    to, source = work.of(copy.to.pointer), work.of(copy.source.pointer)
    place = source if to is None else to
    if place is None:
        yield line
        return
    nothing: Mapping[str, str] = {}
    line = replace(line, result=None, attachments=nothing)
    stores = list[s.Line]()
    for offset, kind in _inside(work, place, copy.length):
        distance = offset - place[1]
        # No register has a space in its name.
        name = f"copied {next(work.numbers)}"
        ends = list[s.Operand]()
        for end, own in ((copy.source, source), (copy.to, to)):
            if own is None:
                at = f"{name} {len(ends)}"
                yield replace(line, result=at, instruction=at_distance(end.pointer, distance))
                ends.append(s.Local(at))
            else:
                ends.append(s.Local(_part(own[0], own[1] + distance)))
        aligns = [within(end.align, distance) for end in (copy.source, copy.to)]
        yield replace(line, result=name, instruction=s.Load(kind, ends[0], False, None, aligns[0]))
        stored = s.Store(s.Typed(kind, s.Local(name)), ends[1], False, None, aligns[1])
        stores.append(replace(line, instruction=stored))
    yield from stores


def _of_bytes(kind: s.Type, byte: int) -> s.Operand:
    if isinstance(kind, s.IntType):
        return s.Number(int.from_bytes(bytes([byte]) * (kind.bits // 8), "little"))
    return s.Null()


def _part(name: str, offset: int) -> str:
    return f"{name}+{offset}"
