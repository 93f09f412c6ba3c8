"""What is known of a function's registers before it is translated: allocas that are variables, `undef` and poison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from msgspec import Struct

from sa.automata.dataflow import forward
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.roots import distant_of, moves_of, pointer_roots


class Facts(Struct, frozen=True):
    """Allocas that are `slots`, by name with their types, and registers and slots that may be `undef` or poison.

    Some slots may be read while they are `unset`. By pointer it is known which parameters and variables of the module
    are the `roots` of its value; `moves` are those that come from another one at a distance. Those that are `distant`
    come from the one root that is given at a distance that is known only when they get their value. Atomic accesses by
    pointers in `met` may find what is written plainly. Other allocas that are used are the function's `own` memory.
    """

    slots: Mapping[str, s.Type]
    unset: frozenset[str]
    may_undef: frozenset[str]
    may_poison: frozenset[str]
    roots: Mapping[str, frozenset[s.Operand]]
    moves: Mapping[str, s.Element]
    distant: Mapping[str, s.Operand]
    met: frozenset[s.Operand]
    own: Mapping[str, s.Line] = {}


def facts_of(
    module: s.Module, function: s.Function, defined: Collection[int], met: frozenset[s.Operand] = frozenset()
) -> Facts:
    """What is known of a function's registers. Parameters with the numbers in `defined` have a value.

    Atomic accesses by pointers in `met` may find poison.
    """
    slots = slots_of(function)
    outlived = _outlived(function, slots)
    slots = {name: kind for name, kind in slots.items() if name not in outlived}
    unset = _read_unset(function, slots)
    undef, poison = set(unset), set[str]()
    for number, parameter in enumerate(function.signature.parameters):
        given = number in defined or "noundef" in parameter.attributes
        if isinstance(parameter.operand, s.Local) and not given:
            undef.add(parameter.operand.name)
    lines = [line for b in function.blocks for line in b.lines]
    while True:
        before = len(undef), len(poison)
        for line in lines:
            name = _written(line, slots)
            if name is None:
                continue
            if _may_undef(line.instruction, undef, slots, module):
                undef.add(name)
            if _may_poison(line, undef, poison, slots, met):
                poison.add(name)
        if before == (len(undef), len(poison)):
            moves = moves_of(function)
            roots = pointer_roots(function, slots, moves)
            distant = {n: r for n, r in distant_of(function, slots).items() if n not in undef}
            return Facts(slots, unset, frozenset(undef), frozenset(poison), roots, moves, distant, met)


def _written(line: s.Line, slots: Mapping[str, s.Type]) -> str | None:
    """The register or slot that a line gives a value."""
    match line.instruction:
        case s.Store(pointer=s.Local(name)) if name in slots:
            return name
        case s.Alloca():
            return None
        case _:
            return line.result


def slots_of(function: s.Function) -> Mapping[str, s.Type]:
    """The allocas of which nothing but loads and stores of their type use the address."""
    allocas = {
        line.result: line.instruction
        for line in function.blocks[0].lines
        if isinstance(line.instruction, s.Alloca) and line.instruction.count is None and line.result is not None
    }
    found = {n: a.type for n, a in allocas.items() if isinstance(a.type, s.IntType | s.PointerType)}
    for line in (line for b in function.blocks for line in b.lines):
        match line.instruction:
            case s.Load(kind, s.Local(name), False, None, align) if found.get(name) == kind:
                # Perhaps it is no better aligned than it says.
                used = [name] if align > allocas[name].align else []
            case s.Store(s.Typed(kind, value), s.Local(name), False, None, align) if found.get(name) == kind:
                used = [*locals_in(value), *([name] if align > allocas[name].align else [])]
            case other if lifetime_of(other) is not None:
                continue
            case other:
                used = list(operands(other))
        for name in used:
            found.pop(name, None)
    return found


def operands(instruction: s.Instruction) -> Iterator[str]:
    """The registers that an instruction reads."""
    return locals_in(*(getattr(instruction, f) for f in instruction.__struct_fields__))


def locals_in(*parts: object) -> Iterator[str]:
    """The registers in parts of an instruction."""
    for part in parts:
        match part:
            case s.Local(name):
                yield name
            case tuple():
                yield from locals_in(*part)
            case Struct():
                yield from locals_in(*(getattr(part, f) for f in part.__struct_fields__))
            case _:
                continue


def globals_in(*parts: object) -> Iterator[s.Global]:
    """The variables and functions of the module in parts of an instruction."""
    for part in parts:
        match part:
            case s.Global():
                yield part
            case tuple():
                yield from globals_in(*part)
            case Struct():
                yield from globals_in(*(getattr(part, f) for f in part.__struct_fields__))
            case _:
                continue


def callee_of(call: s.Call) -> str:
    """The name of the function that is called, empty if it is called through a pointer."""
    return call.callee.name if isinstance(call.callee, s.Global) else ""


def overflowing(call: s.Call) -> str | None:
    """The operation of an intrinsic that yields a number and whether it overflows: `sadd`."""
    _, _, name = callee_of(call).partition("llvm.")
    operation, found, _ = name.partition(".with.overflow.")
    return operation if found else None


def is_defined(call: s.Call, module: s.Module) -> bool:
    """Whether what is called returns neither poison nor `undef`, as is said of its result."""
    declared = module.declared.get(callee_of(call))
    return "noundef" in call.result or (declared is not None and "noundef" in declared.result_attributes)


def lifetime_of(instruction: s.Instruction) -> str | None:
    """The alloca that begins or ends to live."""
    if isinstance(instruction, s.Call) and callee_of(instruction).startswith("llvm.lifetime."):
        pointer = instruction.arguments[-1].operand
        return pointer.name if isinstance(pointer, s.Local) else None
    return None


def successors(block: s.Block) -> tuple[str, ...]:
    """The blocks that may come next."""
    match block.lines[-1].instruction:
        case s.Jump(target):
            return (target,)
        case s.Branch(_, yes, no):
            return (yes, no)
        case s.Switch(_, default, cases):
            return (default, *(target for _, target in cases))
        case _:
            return ()


def _read_unset(function: s.Function, slots: Collection[str]) -> frozenset[str]:
    """The slots that may be read before they have a value."""

    def after(line: s.Line, here: set[str]) -> None:
        match line.instruction:
            case s.Store(pointer=s.Local(name)):
                here.discard(name)
            case other if (begun := lifetime_of(other)) is not None and begun in slots:
                here.add(begun)
            case _:
                return

    def is_read(line: s.Line, here: Collection[str]) -> str | None:
        match line.instruction:
            case s.Load(pointer=s.Local(name)) if name in here:
                return name
            case _:
                return None

    return changing(function, frozenset(slots), after, is_read)


def _outlived(function: s.Function, slots: Collection[str]) -> frozenset[str]:
    """The slots that may be accessed before they live, or after that (LangRef, Memory Use Markers)."""
    lines = [line for b in function.blocks for line in b.lines]
    marked = frozenset(n for line in lines if (n := lifetime_of(line.instruction)) is not None and n in slots)

    def after(line: s.Line, here: set[str]) -> None:
        name = lifetime_of(line.instruction)
        if name in marked and isinstance(line.instruction, s.Call):
            starts = callee_of(line.instruction).startswith("llvm.lifetime.start")
            here.difference_update({name} if starts else ())
            here.update(() if starts else {name})

    def is_used(line: s.Line, here: Collection[str]) -> str | None:
        match line.instruction:
            case s.Load(pointer=s.Local(name)) | s.Store(pointer=s.Local(name)) if name in here:
                return name
            case _:
                return None

    return changing(function, marked, after, is_used)


def changing(
    function: s.Function,
    start: frozenset[str],
    after: Callable[[s.Line, set[str]], None],
    wanted: Callable[[s.Line, Collection[str]], str | None],
) -> frozenset[str]:
    """What is wanted at a line with some names that may hold there; what holds `after` it is a change of them."""
    blocks = {b.name: b for b in function.blocks}
    found = set[str]()

    def follow(name: str, known: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
        here = set(known)
        for line in blocks[name].lines:
            used = wanted(line, here)
            found.update(() if used is None else (used,))
            after(line, here)
        return ((target, frozenset(here)) for target in successors(blocks[name]))

    forward({function.blocks[0].name: start}, follow, frozenset.union)
    return frozenset(found)


def _has_undef(parts: object, undef: Collection[str]) -> bool:
    match parts:
        case s.Undef():
            return True
        case s.Local(name):
            return name in undef
        case tuple():
            return any(_has_undef(p, undef) for p in parts)
        case Struct():
            return any(_has_undef(getattr(parts, f), undef) for f in parts.__struct_fields__)
        case _:
            return False


def _may_undef(instruction: s.Instruction, undef: Collection[str], slots: Collection[str], module: s.Module) -> bool:
    match instruction:
        case s.Binary() | s.Compare() | s.Select() | s.Cast() | s.Phi() | s.Offset():
            return _has_undef(instruction, undef)
        case s.Load(pointer=s.Local(name)) if name in slots:
            return name in undef
        case s.Store(value):
            return _has_undef(value, undef)
        case s.Extract(value):
            return _has_undef(value, undef)
        case s.Call() if overflowing(instruction) is not None:
            return _has_undef(instruction.arguments, undef)
        case s.Call():
            return not is_defined(instruction, module)
        case _:
            return False


#: Flags that make a result poison where what they promise does not hold.
_PROMISES = frozenset({"nsw", "nuw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"})


def _may_poison(
    line: s.Line,
    undef: Collection[str],
    poison: Collection[str],
    slots: Collection[str],
    met: Collection[s.Operand],
) -> bool:
    instruction = line.instruction
    match instruction:
        case s.Binary(operation, flags, kind, _, right):
            shift = operation in ("shl", "lshr", "ashr") and not _is_count(right, kind)
            return shift or bool(flags & _PROMISES) or is_poisonous(instruction, undef, poison)
        case s.Compare(flags) | s.Cast(_, flags) | s.Offset(s.Element(flags)):
            return bool(flags & _PROMISES) or is_poisonous(instruction, undef, poison)
        case s.Select() | s.Phi() | s.Extract():
            return is_poisonous(instruction, undef, poison)
        case s.Call() if overflowing(instruction) is not None:
            return is_poisonous(instruction.arguments, undef, poison)
        case s.Load(pointer=s.Local(name)) if name in slots:
            return name in poison
        case s.Load(volatile=False, order=None):
            return "noundef" not in line.attachments
        case s.Load(pointer=pointer, volatile=False) | s.Update(False, _, pointer) | s.Exchange(_, False, pointer):
            return pointer in met
        case s.Store(value):
            return is_poisonous(value, undef, poison)
        case _:
            return False


def _is_count(operand: s.Operand, kind: s.Type) -> bool:
    """Whether a constant is less than the width of a type."""
    return isinstance(operand, s.Number) and isinstance(kind, s.IntType) and 0 <= operand.value < kind.bits


def is_poisonous(parts: object, undef: Collection[str], poison: Collection[str]) -> bool:
    """Whether an operand may be poison. What may be `undef` may be that, too."""
    match parts:
        case s.Poison():
            return True
        case s.Element(flags) if flags & _PROMISES:
            return True
        case s.Local(name):
            return name in undef or name in poison
        case tuple():
            return any(is_poisonous(p, undef, poison) for p in parts)
        case Struct():
            return any(is_poisonous(getattr(parts, f), undef, poison) for f in parts.__struct_fields__)
        case _:
            return False


def may_be_undef(parts: object, facts: Facts) -> bool:
    """Whether an operand may be `undef`."""
    return _has_undef(parts, facts.may_undef)
