"""Operands that take the place of others; casts that change nothing are their operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from sa.frontends.llvm import syntax as s

Part = TypeVar("Part")


def mapped(part: Part, change: Callable[[s.Local], s.Operand]) -> Part:
    """A part of an instruction with other operands in place of registers."""
    made: object = part
    match part:
        case s.Local():
            made = change(part)
        case tuple():
            made = tuple(mapped(p, change) for p in part)
        case Struct():
            made = type(part)(*(mapped(getattr(part, f), change) for f in part.__struct_fields__))
        case _:
            pass
    # What takes the place of an operand is one.
    return cast(Part, made)


def with_targets(instruction: s.Instruction, change: Callable[[str], str]) -> s.Instruction:
    """An instruction with other names of blocks."""
    match instruction:
        case s.Jump(block):
            return s.Jump(change(block))
        case s.Branch(condition, yes, no):
            return s.Branch(condition, change(yes), change(no))
        case s.Switch(value, default, cases):
            return s.Switch(value, change(default), tuple((n, change(b)) for n, b in cases))
        case s.Phi(kind, incoming):
            return s.Phi(kind, tuple((v, change(b)) for v, b in incoming))
        case _:
            return instruction


def without_casts(function: s.Function) -> s.Function:
    """The function without `bitcast` of a type to itself: what they yield is their operand (LangRef, `bitcast`)."""
    same = {
        line.result: line.instruction.value.operand
        for block in function.blocks
        for line in block.lines
        if line.result is not None and is_same(line.instruction) and isinstance(line.instruction, s.Cast)
    }
    if not same:
        return function

    def meant(operand: s.Local) -> s.Operand:
        found: s.Operand = operand
        while isinstance(found, s.Local) and found.name in same:
            found = same[found.name]
        return found

    blocks = (
        s.Block(
            block.name,
            tuple(
                replace(line, instruction=mapped(line.instruction, meant))
                for line in block.lines
                if line.result not in same
            ),
        )
        for block in function.blocks
    )
    return s.Function(function.signature, tuple(blocks))


def is_same(instruction: s.Instruction) -> bool:
    """Whether it is a cast of a type to itself."""
    return (
        isinstance(instruction, s.Cast)
        and instruction.operation == "bitcast"
        and instruction.value.type == instruction.to
        and isinstance(instruction.to, s.IntType | s.PointerType)
    )
