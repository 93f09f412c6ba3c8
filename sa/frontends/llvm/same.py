"""Functions that are the same but for the names of registers and blocks: each does what the other one may do."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of, globals_in
from sa.frontends.llvm.calls import called_in
from sa.frontends.llvm.operands import mapped, with_targets
from sa.frontends.llvm.unit import Side

#: What is attached to an instruction and says nothing of what it does.
_NOTHING = frozenset({"dbg", "prof", "srcloc", "annotation", "heapallocsite", "DIAssignID"})


def are_same(sides: tuple[Side, Side]) -> bool:
    """Whether two functions, with all that they speak of, differ in names of registers and blocks alone."""
    one, two = (_plain(side.function, side.module) for side in sides)
    return one == two and _surroundings(sides[0]) == _surroundings(sides[1])


def _plain(function: s.Function, module: s.Module) -> object:
    """The function with registers and blocks by their numbers."""
    registers = dict[str, str]()
    for parameter in function.signature.parameters:
        if isinstance(parameter.operand, s.Local):
            registers[parameter.operand.name] = str(len(registers))
    for line in (line for block in function.blocks for line in block.lines):
        if line.result is not None:
            registers[line.result] = str(len(registers))
    blocks = {block.name: str(number) for number, block in enumerate(function.blocks)}

    def renamed(operand: s.Local) -> s.Operand:
        return s.Local(registers.get(operand.name, operand.name))

    lines = [
        [
            (
                line.result is not None,
                with_targets(mapped(line.instruction, renamed), lambda name: blocks[name]),
                {k: _whole(v, module) for k, v in line.attachments.items() if k not in _NOTHING},
                _groups(line.instruction, module),
            )
            for line in block.lines
        ]
        for block in function.blocks
    ]
    signature = function.signature
    given = [(p.type, sorted(p.attributes)) for p in signature.parameters]
    return lines, signature.result, given, sorted(signature.attributes), sorted(signature.result_attributes)


def _said(variable: s.GlobalVariable) -> object:
    """All of a variable but where it stands."""
    told = variable.constant, variable.type, variable.first, variable.align
    return sorted(variable.words), told


def _groups(instruction: s.Instruction, module: s.Module) -> object:
    """What the groups of attributes of a call say: their numbers are those of a module."""
    if not isinstance(instruction, s.Call):
        return None
    return [sorted(module.groups.get(group, ())) for group in instruction.groups]


def _whole(text: str, module: s.Module, above: tuple[str, ...] = ()) -> str:
    """What metadata say, with what they refer to in its place."""

    def meant(found: re.Match[str]) -> str:
        name = found[0]
        # What refers to itself is told apart from all others by that alone.
        if name in above:
            return f"!{above.index(name) - len(above)}"
        return _whole(module.metadata.get(name, name), module, (*above, name))

    return re.sub(r"!\d+", meant, text) if len(above) < 8 else text


def _surroundings(side: Side) -> Mapping[str, object]:
    """What a module says of the variables and functions that a function speaks of, and of types."""
    found: dict[str, object] = {"": (side.module.types, side.module.wide)}
    for line in (line for block in side.function.blocks for line in block.lines):
        for operand in globals_in(line.instruction):
            variable = side.module.variables.get(operand.name)
            found[operand.name] = None if variable is None else _said(variable)
    for call in called_in(side.function):
        declared = side.module.declared.get(callee_of(call))
        if declared is not None:
            parameters = [(p.type, sorted(p.attributes)) for p in declared.parameters]
            words = sorted((*declared.words, *declared.attributes))
            found[callee_of(call)] = declared.result, parameters, words, callee_of(call) in side.module.defined
    return found
