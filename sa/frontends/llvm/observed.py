"""What a function asks of pointers as values: which of them it asks about, and whether addresses decide anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of, locals_in, slots_of
from sa.frontends.llvm.roots import distant_of, moves_of, pointer_roots

#: What may be said of a pointer that is given, returned or loaded, and asks something of it.
ASKS = re.compile(r"noundef|nonnull|align\(\d+\)|dereferenceable(_or_null)?\(\d+\)")


class Observed(Struct, frozen=True):
    """The registers of which a function asks more than to access memory or to hand them on.

    `addresses` decide something, and so may where the objects end that pointers point into, their `bounds`. Perhaps
    these are of `strangers`, too: of pointers that come neither from parameters nor from variables.
    """

    registers: frozenset[str]
    addresses: bool
    bounds: bool
    strangers: bool


def observed(function: s.Function, module: s.Module) -> Observed:
    """What a function asks of pointers."""
    moves = moves_of(function)
    distant = frozenset((*moves, *distant_of(function, slots_of(function))))
    asked, addresses, bounds = set[str](), False, False
    placed = list[s.Operand]()
    for line in (line for block in function.blocks for line in block.lines):
        for operand, words, numbers in _asked(line.instruction, function, module, distant):
            asked.update(n for n in locals_in(operand))
            said = " ".join(words)
            bounds |= "dereferenceable" in said
            addresses |= numbers or "align" in said
            placed += [operand] if numbers or "align" in said or "dereferenceable" in said else []
        for operand in _kept(line.instruction):
            flags = _flags(operand, moves)
            bounds |= "inbounds" in flags
            addresses |= bool(flags)
            placed += [operand] if flags else []
    roots = pointer_roots(function, slots_of(function), moves)
    found = {r.name for n in asked for r in roots.get(n, ()) if isinstance(r, s.Local)}
    lines = [line for block in function.blocks for line in block.lines]
    own = {line.result for line in lines if isinstance(line.instruction, s.Alloca)}
    strangers = any(n not in roots and n not in own for n in _origins(placed, moves))
    return Observed(frozenset(found | asked), addresses or bounds, bounds, strangers)


def _origins(operands: Iterable[s.Operand], moves: Mapping[str, s.Element]) -> Iterator[str]:
    """The registers that pointers are moved from."""
    for operand in operands:
        match operand:
            case s.Element(base=base):
                yield from _origins((base,), moves)
            case s.Local(name) if name in moves:
                yield from _origins((moves[name].base,), moves)
            case s.Local(name):
                yield name
            case _:
                continue


def kept_by(function: s.Function) -> frozenset[s.Operand]:
    """The pointers that a function returns, stores, or makes numbers of."""
    slots, kept = slots_of(function), set[str]()
    for line in (line for block in function.blocks for line in block.lines):
        match line.instruction:
            case s.Store(_, s.Local(slot)) if slot in slots:
                continue
            case s.Store(s.Typed(s.PointerType(), operand)) | s.Return(s.Typed(s.PointerType(), operand)):
                kept.update(locals_in(operand))
            case s.Cast(_, _, s.Typed(s.PointerType(), operand)):
                kept.update(locals_in(operand))
            case _:
                continue
    roots = pointer_roots(function, slots, moves_of(function))
    return frozenset(r for n in kept for r in roots.get(n, ()))


def _asked(
    instruction: s.Instruction, function: s.Function, module: s.Module, moved: frozenset[str]
) -> Iterator[tuple[s.Operand, Sequence[str], bool]]:
    """The pointers of which something is asked, in which words, and whether their numbers decide."""
    match instruction:
        case s.Compare(_, predicate, s.PointerType(), left, right):
            by_token = predicate in ("eq", "ne") and (left == right or _is_null_test(left, right, moved))
            yield from ((o, (), not by_token) for o in (left, right))
        case s.Freeze(s.Typed(s.PointerType(), operand)) | s.Defined(s.Typed(s.PointerType(), operand)):
            yield operand, (), False
        case s.Cast("ptrtoint" | "ptrtoaddr", _, s.Typed(_, operand)):
            yield operand, (), True
        case s.Return(s.Typed(s.PointerType(), operand)):
            words = [w for w in function.signature.result_attributes if ASKS.fullmatch(w)]
            yield from [(operand, words, False)] if words else []
        case s.Call():
            declared = module.declared.get(callee_of(instruction))
            others = [p.attributes for p in declared.parameters] if declared is not None else []
            for number, argument in enumerate(instruction.arguments):
                more = others[number] if number < len(others) else ()
                words = [w for w in (*argument.attributes, *more) if ASKS.fullmatch(w)]
                if isinstance(argument.type, s.PointerType) and argument.operand is not None and words:
                    yield argument.operand, words, False
            for bundle in instruction.bundles:
                for value in (v for v in bundle.operands if isinstance(v.type, s.PointerType)):
                    yield value.operand, (bundle.tag,), False
        case _:
            return


def _is_null_test(left: s.Operand, right: s.Operand, moved: frozenset[str]) -> bool:
    """Whether a pointer that is not moved is compared with null."""
    any_moved = any(isinstance(o, s.Element) or (isinstance(o, s.Local) and o.name in moved) for o in (left, right))
    return s.Null() in (left, right) and not any_moved


def _kept(instruction: s.Instruction) -> Iterator[s.Operand]:
    """Pointers that are handed on, kept, or asked about."""
    match instruction:
        case s.Call(arguments=arguments):
            yield from (a.operand for a in arguments if a.operand is not None)
            yield from (v.operand for b in instruction.bundles for v in b.operands)
        case s.Return(s.Typed(_, operand)) | s.Store(s.Typed(_, operand)) | s.Freeze(s.Typed(_, operand)):
            yield operand
        case s.Cast(_, _, s.Typed(_, operand)):
            yield operand
        case s.Compare(_, _, _, left, right):
            yield from (left, right)
        case s.Select(_, s.Typed(s.PointerType(), yes), s.Typed(_, no)):
            yield from (yes, no)
        case s.Phi(s.PointerType(), incoming):
            yield from (value for value, _ in incoming)
        case _:
            return


def _flags(operand: s.Operand, moves: Mapping[str, s.Element]) -> frozenset[str]:
    """What is promised where a pointer is moved."""
    match operand:
        case s.Local(name) if name in moves:
            element = moves[name]
        case s.Element():
            element = operand
        case _:
            return frozenset()
    still = all(isinstance(i.operand, s.Number) and i.operand.value == 0 for i in element.indices)
    return _flags(element.base, moves) | (frozenset() if still else element.flags)
