"""Intrinsics that are operations on integers."""

from __future__ import annotations

from msgspec import Struct

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of
from sa.frontends.llvm.counting import OF_ONE, SATURATING

#: Intrinsics that are operations on integers.
_OPERATIONS = ("smax", "smin", "umax", "umin")


#: What may be said of a call of one: they do nothing else than to compute.
_OF_CALLS = frozenset({"nounwind", "willreturn", "nofree", "nosync", "nocallback", "memory(none)", "speculatable"})


class Simplified(Struct, frozen=True):
    """An instruction, and which of its operands, and is it its result, must be neither poison nor `undef`."""

    instruction: s.Instruction
    defined: tuple[s.Typed, ...] = ()
    result: bool = False


def simplified(instruction: s.Instruction, module: s.Module) -> Simplified:
    """An intrinsic that is an operation on integers as such an instruction."""
    same = Simplified(instruction)
    if not isinstance(instruction, s.Call):
        return same
    parts = callee_of(instruction).split(".")
    operands = [a.operand for a in instruction.arguments if a.operand is not None]
    words = {*instruction.attributes, *(w for g in instruction.groups for w in module.groups.get(g, ("",)))}
    declared = module.declared.get(callee_of(instruction))
    if parts[0] != "llvm" or len(parts) < 3 or not operands or not words <= _OF_CALLS or declared is None:
        return same
    result = {*instruction.result, *declared.result_attributes}
    said = [{*a.attributes, *p.attributes} for a, p in zip(instruction.arguments, declared.parameters, strict=False)]
    if not result <= {"noundef"} or not all(given <= {"noundef", "immarg"} for given in said):
        return same
    if not isinstance(instruction.type, s.IntType):
        return same
    defined = [
        s.Typed(a.type, a.operand)
        for a, given in zip(instruction.arguments, said, strict=False)
        if "noundef" in given and a.operand is not None
    ]
    return Simplified(_operation(".".join(parts[1:-1]), instruction, operands), tuple(defined), "noundef" in result)


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
