"""Which accesses are of objects that are known: the others count as actions that may do anything to shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import Facts, Resolution, callee_of, operands
from sa.frontends.llvm.layout import NoLayout, place_of


def is_resolved(pointer: s.Operand, facts: Facts, module: s.Module) -> bool:
    """Whether an access through a pointer is of objects that are known, and at a distance that is.

    What may be of the function's own memory must be.
    """
    if isinstance(pointer, s.Local) and pointer.name in facts.slots:
        return True
    try:
        place = place_of(pointer, facts.moves, module)
    except NoLayout:
        place = None
    base = first_of(pointer, facts) if place is None else place.base
    roots = roots_of(base, facts)
    if any(isinstance(root, s.Local) and root.name in facts.own for root in roots):
        return True
    if place is None or (isinstance(base, s.Local) and base.name in facts.distant):
        return False
    return all(_is_known(root, facts, place.index is None) for root in roots)


def _is_known(root: s.Operand, facts: Facts, is_one: bool) -> bool:
    match root:
        case s.Local(name):
            return is_one and name in facts.roots and facts.resolution is Resolution.PARAMETERS
        case s.Global():
            return facts.resolution is not Resolution.OWN
        case _:
            return not facts.null_is_valid


def roots_of(base: s.Operand, facts: Facts) -> frozenset[s.Operand]:
    """What the value of a pointer that is not moved may begin with."""
    alone: frozenset[s.Operand] = frozenset((base,))
    return facts.roots.get(base.name, alone) if isinstance(base, s.Local) else alone


def first_of(pointer: s.Operand, facts: Facts) -> s.Operand:
    """What a pointer is moved from."""
    match pointer:
        case s.Element(base=base):
            return first_of(base, facts)
        case s.Local(name) if name in facts.moves:
            return first_of(facts.moves[name].base, facts)
        case _:
            return pointer


def unresolved_in(module: s.Module, function: s.Function, facts: Facts) -> Iterator[s.Line]:
    """The accesses of a function of which it is not known what they are of."""
    for line in (line for block in function.blocks for line in block.lines):
        match line.instruction:
            case s.Load(pointer=pointer) | s.Store(pointer=pointer) | s.Update(pointer=pointer):
                pass
            case s.Exchange(pointer=pointer):
                pass
            case s.Call() as call if callee_of(call).startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
                # What is of known places was read as loads and stores.
                yield line
                continue
            case _:
                continue
        if not is_resolved(pointer, facts, module):
            yield line


def given_in(function: s.Function, strangers: bool) -> Iterator[s.Line]:
    """What makes numbers pointers, or calls through one.

    Where addresses of `strangers` are told, what else gives pointers.
    """
    for line in (line for block in function.blocks for line in block.lines):
        match line.instruction:
            case s.Cast("inttoptr") | s.Call(callee=s.Local()):
                yield line
            case s.Load(s.PointerType()) | s.Call(s.PointerType()) if strangers:
                yield line
            case _:
                continue


def without_unused(function: s.Function) -> s.Function:
    """The function without numbers that are made pointers nobody uses: that has no effect."""
    lines = [line for block in function.blocks for line in block.lines]
    read = {name for line in lines for name in operands(line.instruction)}
    unused = {x.result for x in lines if isinstance(x.instruction, s.Cast) and x.instruction.operation == "inttoptr"}
    unused -= read
    if not unused:
        return function
    kept = (s.Block(b.name, tuple(x for x in b.lines if x.result not in unused)) for b in function.blocks)
    return s.Function(function.signature, tuple(kept))
