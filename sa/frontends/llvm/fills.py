"""`llvm.memset`, `llvm.memcpy` and `llvm.memmove` of constant sizes: what they do, and fills as stores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of
from sa.frontends.llvm.constants import constant_bytes
from sa.frontends.llvm.roots import moves_of
from sa.frontends.llvm.shapes import chunks

#: More bytes than these are too many for stores.
MOST_BYTES = 192

_COPIES = ("llvm.memcpy.p0.p0.", "llvm.memmove.p0.p0.", "llvm.memcpy.inline.p0.p0.")


class End(Struct, frozen=True):
    """A pointer that is given to one of them, and how it is said to be aligned."""

    pointer: s.Operand
    align: int


class Fill(Struct, frozen=True):
    """So many bytes are set to one."""

    to: End
    length: int
    byte: int


class Copy(Struct, frozen=True):
    """So many bytes are copied; those of a `memmove` may overlap in part."""

    to: End
    source: End
    length: int
    may_overlap: bool


def moved_by(line: s.Line) -> Fill | Copy | None:
    """What a line fills or copies; None where it does neither, or more is said of it than is modelled."""
    call = line.instruction
    if not isinstance(call, s.Call) or len(call.arguments) != 4:
        return None
    first, second, size, volatile = call.arguments
    if not isinstance(size.operand, s.Number) or volatile.operand != s.Number(0):
        return None
    length = size.operand.value
    if not 0 <= length <= MOST_BYTES or any(not _is_plain(w, length) for a in call.arguments for w in a.attributes):
        return None
    match callee_of(call), second.operand:
        case name, s.Number(byte) if name.startswith("llvm.memset.p0."):
            return Fill(_end(first), length, byte % 256)
        case name, _ if name.startswith(_COPIES):
            return Copy(_end(first), _end(second), length, "memmove" in name)
        case _:
            return None


def _end(argument: s.Argument) -> End:
    words = (re.fullmatch(r"align\((\d+)\)", w) for w in argument.attributes)
    align = max((int(found[1]) for found in words if found is not None), default=1)
    return End(s.Poison() if argument.operand is None else argument.operand, align)


def _is_plain(word: str, length: int) -> bool:
    """Whether accesses of so many bytes need all that is said of an argument, or nothing depends on it."""
    number = re.search(r"\d+", word)
    if word.startswith(("dereferenceable", "align")) and number is not None:
        return 0 < (1 if word.startswith("align") else int(number[0])) <= length
    return word in ("noundef", "nonnull", "writeonly", "readonly", "immarg") and length > 0


def within(align: int, offset: int) -> int:
    """How something is aligned that is so far from what is aligned."""
    while align > 1 and offset % align:
        align //= 2
    return align


def at_distance(pointer: s.Operand, distance: int) -> s.Offset:
    """A pointer into what is accessed, so many bytes behind another one."""
    index = s.Typed(s.IntType(64), s.Number(distance))
    return s.Offset(s.Element(frozenset({"inbounds"}), s.IntType(8), pointer, (index,)))


def without_fills(function: s.Function, module: s.Module) -> s.Function:
    """The function with stores in place of `llvm.memset` with constants, and of copies of constants."""
    numbers, moves = count(), moves_of(function)
    blocks = (
        s.Block(block.name, tuple(made for line in block.lines for made in _lines(line, numbers, moves, module)))
        for block in function.blocks
    )
    return s.Function(function.signature, tuple(blocks))


def _lines(line: s.Line, numbers: Iterator[int], moves: Mapping[str, s.Element], module: s.Module) -> Iterator[s.Line]:
    match found := moved_by(line):
        case Fill():
            data: bytes | None = bytes([found.byte]) * found.length
        case Copy(source=End(pointer, align)):
            data = constant_bytes(pointer, found.length, align, moves, module)
        case None:
            data = None
    if found is None or data is None:
        yield line
        return
    for at, size in chunks(0, found.length):
        name = f"fill {next(numbers)}"
        value = s.Typed(s.IntType(8 * size), s.Number(int.from_bytes(data[at : at + size], "little")))
        stored = s.Store(value, s.Local(name), False, None, within(found.to.align, at))
        yield replace(line, result=name, instruction=at_distance(found.to.pointer, at))
        yield replace(line, result=None, instruction=stored)
