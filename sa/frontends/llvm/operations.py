"""Intrinsics that are operations on integers."""

from __future__ import annotations

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of
from sa.frontends.llvm.counting import OF_ONE, SATURATING

#: Intrinsics that are operations on integers.
_OPERATIONS = ("smax", "smin", "umax", "umin")


def simplified(instruction: s.Instruction) -> s.Instruction:
    """An intrinsic that is an operation on integers as such an instruction."""
    if not isinstance(instruction, s.Call):
        return instruction
    parts = callee_of(instruction).split(".")
    operands = [a.operand for a in instruction.arguments if a.operand is not None]
    if parts[0] != "llvm" or len(parts) < 3 or not operands or instruction.result or instruction.groups:
        return instruction
    if not isinstance(instruction.type, s.IntType):
        return instruction
    return _operation(".".join(parts[1:-1]), instruction, operands)


def _operation(name: str, instruction: s.Call, operands: list[s.Operand]) -> s.Instruction:
    kind = instruction.type
    match name:
        case "expect":
            return s.Select(s.Typed(s.IntType(1), s.Number(1)), s.Typed(kind, operands[0]), s.Typed(kind, operands[0]))
        case "abs":
            flags = frozenset({"nsw"}) if operands[1] == s.Number(1) else frozenset[str]()
            return s.Binary("abs", flags, kind, operands[0], s.Number(0))
        case "fshl" | "fshr" if isinstance(operands[2], s.Number):
            return s.Binary(f"{name} {operands[2].value}", frozenset(), kind, operands[0], operands[1])
        case "ctlz" | "cttz":
            flags = frozenset({"exact"}) if operands[1] == s.Number(1) else frozenset[str]()
            return s.Binary(name, flags, kind, operands[0], s.Number(0))
        case _ if name in OF_ONE:
            return s.Binary(name, frozenset(), kind, operands[0], s.Number(0))
        case _ if name in (*_OPERATIONS, *SATURATING):
            return s.Binary(name, frozenset(), kind, operands[0], operands[1])
        case _:
            return instruction
