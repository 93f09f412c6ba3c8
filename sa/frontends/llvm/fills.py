"""`llvm.memset` of a constant size as stores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from msgspec.structs import replace

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of

#: More bytes than these are too many for stores.
MOST_BYTES = 192


def without_fills(function: s.Function) -> s.Function:
    """The function with stores in place of `llvm.memset` with constants."""
    numbers = count()
    blocks = (
        s.Block(block.name, tuple(made for line in block.lines for made in _lines(line, numbers)))
        for block in function.blocks
    )
    return s.Function(function.signature, tuple(blocks))


def _lines(line: s.Line, numbers: Iterator[int]) -> Iterator[s.Line]:
    call = line.instruction
    if not isinstance(call, s.Call) or not callee_of(call).startswith("llvm.memset.p0."):
        yield line
        return
    pointer, *rest = (argument.operand for argument in call.arguments)
    match rest:
        case [s.Number(byte), s.Number(length), s.Number(0)] if pointer is not None and 0 <= length <= MOST_BYTES:
            pass
        case _:
            yield line
            return
    words = (re.fullmatch(r"align\((\d+)\)", w) for w in call.arguments[0].attributes)
    align = max((int(found[1]) for found in words if found is not None), default=1)
    at, size = 0, 8
    while at < length:
        while size > length - at:
            size //= 2
        name = f"fill.{next(numbers)}"
        index = s.Typed(s.IntType(64), s.Number(at))
        element = s.Element(frozenset({"inbounds"}), s.IntType(8), pointer, (index,))
        value = s.Typed(s.IntType(8 * size), s.Number(int.from_bytes(bytes([byte % 256]) * size, "little")))
        stored = s.Store(value, s.Local(name), False, None, align if at % align == 0 else 1)
        yield replace(line, result=name, instruction=s.Offset(element))
        yield replace(line, result=None, instruction=stored)
        at += size
