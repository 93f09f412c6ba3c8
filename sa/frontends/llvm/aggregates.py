"""Structures and arrays as values: each of their scalars becomes a value of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, repeat

from msgspec import Struct, field
from msgspec.structs import replace

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import overflowing
from sa.frontends.llvm.fills import at_distance, within
from sa.frontends.llvm.layout import NoLayout, meant, offsets, size_of
from sa.frontends.llvm.operands import mapped
from sa.frontends.llvm.shapes import bytes_of, chunks

#: More scalars than these are too many for one value.
MOST_LEAVES = 16


class Leaf(Struct, frozen=True):
    """A scalar of a type: where it begins."""

    type: s.Type
    offset: int


class _Work(Struct):
    """Registers that are aggregates, by their scalars, registers that are another operand, and numbers for new ones."""

    module: s.Module
    whole: dict[str, tuple[s.Operand, ...]] = field(default_factory=dict)
    same: dict[str, s.Operand] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)


def without_aggregates(function: s.Function, module: s.Module) -> s.Function:
    """The function with scalars in place of structures and arrays that are values. Raises InputError.

    What is not accepted of them stays, and is refused where it is translated.
    """
    lines = [line for block in function.blocks for line in block.lines]
    given = any(_is_aggregate(p.type) for p in function.signature.parameters)
    if not given and not any(_speaks(line.instruction) for line in lines):
        return function
    work = _Work(module)
    try:
        signature = replace(function.signature, parameters=tuple(_parameters(function.signature, work)))
        for line in lines:
            _known(line, work)
        blocks = [s.Block(b.name, tuple(x for line in b.lines for x in _lines(line, work))) for b in function.blocks]
    except NoLayout:
        message = "a structure or array that is a value is not accepted here"
        raise s.refused("SA744", message, function.signature.span, "use its scalars") from None
    return s.Function(signature, tuple(mapped(block, lambda operand: _meaning(operand, work)) for block in blocks))


def _is_aggregate(kind: s.Type) -> bool:
    return isinstance(kind, s.StructType | s.ArrayType | s.NamedType)


def _speaks(instruction: s.Instruction) -> bool:
    """Whether an instruction is about an aggregate other than what an intrinsic yields."""
    match instruction:
        case s.Insert():
            return True
        case s.Load(kind) | s.Phi(kind):
            return _is_aggregate(kind)
        case s.Store(value) | s.Freeze(value) | s.Return(s.Typed() as value):
            return _is_aggregate(value.type)
        case s.Select(_, value) | s.Extract(value):
            return _is_aggregate(value.type)
        case _:
            return False


def leaves(kind: s.Type, module: s.Module, start: int = 0) -> Iterator[Leaf]:
    """The scalars of a type. Raises NoLayout."""
    match meant(kind, module):
        case s.StructType(elements) as whole:
            for element, offset in zip(elements, offsets(whole, module), strict=True):
                yield from leaves(element, module, start + offset)
        case s.ArrayType(count, element):
            if count > MOST_LEAVES:
                raise NoLayout
            for number in range(count):
                yield from leaves(element, module, start + number * size_of(element, module)[0])
        case s.IntType() | s.PointerType() as scalar:
            yield Leaf(scalar, start)
        case _:
            raise NoLayout


def _span(kind: s.Type, path: Sequence[int], module: s.Module) -> tuple[int, int, s.Type]:
    """Which scalars of a type are at a path: the first one, how many, and the type that is there. Raises NoLayout."""
    first, here = 0, meant(kind, module)
    for step in path:
        match here:
            case s.StructType(elements):
                before, after = elements[:step], elements[step]
            case s.ArrayType(_, element):
                before, after = (element,) * step, element
            case _:
                raise NoLayout
        first += sum(1 for e in before for _ in leaves(e, module))
        here = meant(after, module)
    return first, sum(1 for _ in leaves(here, module)), here


def _name(name: str, number: int) -> str:
    return f"{name}#{number}"


def _parameters(signature: s.Signature, work: _Work) -> Iterator[s.Argument]:
    for number, parameter in enumerate(signature.parameters):
        name = parameter.operand.name if isinstance(parameter.operand, s.Local) else str(number)
        if not _is_aggregate(parameter.type):
            yield replace(parameter, operand=s.Local(name))
            continue
        parts = list(leaves(parameter.type, work.module))
        work.whole[name] = tuple(s.Local(_name(name, n)) for n in range(len(parts)))
        for part, operand in zip(parts, work.whole[name], strict=True):
            yield s.Argument(part.type, parameter.attributes, operand)


def _known(line: s.Line, work: _Work) -> None:
    """What a register of an aggregate has, or what takes the place of one."""
    name, module = line.result, work.module
    match line.instruction:
        case s.Insert(value, part, path) if name is not None:
            first, count, _ = _span(value.type, path, module)
            old = _parts(value, work)
            work.whole[name] = (*old[:first], *_parts(part, work), *old[first + count :])
        case s.Extract(value, path) if name is not None and not _is_pair(value, work):
            first, count, kind = _span(value.type, path, module)
            found = _parts(value, work)[first : first + count]
            if _is_aggregate(kind):
                work.whole[name] = tuple(found)
            else:
                (work.same[name],) = found
        case s.Load(kind) | s.Phi(kind) | s.Freeze(s.Typed(kind)) | s.Select(_, s.Typed(kind)) if _is_aggregate(kind):
            count = sum(1 for _ in leaves(kind, module))
            work.whole[name or ""] = tuple(s.Local(_name(name or "", n)) for n in range(count))
        case s.Exchange():
            work.whole[name or ""] = tuple(s.Local(_name(name or "", n)) for n in range(2))
        case s.Call() as call if overflowing(call) is not None:
            work.whole[name or ""] = tuple(s.Local(_name(name or "", n)) for n in range(2))
        case _:
            return


def _is_pair(value: s.Typed, work: _Work) -> bool:
    """Whether it is the result of an intrinsic, of which `extractvalue` is known."""
    return isinstance(value.operand, s.Local) and value.operand.name not in work.whole


def _parts(value: s.Typed, work: _Work) -> tuple[s.Operand, ...]:
    """The scalars of a value. Raises NoLayout."""
    kinds = [leaf.type for leaf in leaves(value.type, work.module)]
    if len(kinds) > MOST_LEAVES:
        raise NoLayout
    if not _is_aggregate(value.type):
        return (value.operand,)
    match value.operand:
        case s.Local(name) if name in work.whole:
            return work.whole[name]
        case s.Undef() | s.Poison() as one:
            return (one,) * len(kinds)
        case s.Zero():
            return tuple(s.Number(0) if isinstance(k, s.IntType) else s.Null() for k in kinds)
        case s.Text(data):
            return tuple(map(s.Number, data))
        case s.Aggregate(elements):
            return tuple(part for element in elements for part in _parts(element, work))
        case _:
            raise NoLayout


def _meaning(operand: s.Local, work: _Work) -> s.Operand:
    found: s.Operand = operand
    while isinstance(found, s.Local) and found.name in work.same:
        found = work.same[found.name]
    return found


def _lines(line: s.Line, work: _Work) -> Iterator[s.Line]:
    """What takes the place of a line. Raises NoLayout."""
    instruction, name = line.instruction, line.result or ""
    match instruction:
        case s.Insert():
            return
        case s.Extract() if name in work.same or name in work.whole:
            return
        case s.Exchange() | s.Call() if name in work.whole:
            yield line
            value = s.Typed(s.StructType((), False), s.Local(name))
            for number in range(2):
                yield _line(line, _name(name, number), s.Extract(value, (number,)))
        case s.Phi(kind, incoming) if _is_aggregate(kind):
            values = [(_parts(s.Typed(kind, operand), work), block) for operand, block in incoming]
            for number, leaf in enumerate(leaves(kind, work.module)):
                taken = tuple((parts[number], block) for parts, block in values)
                yield _line(line, _name(name, number), s.Phi(leaf.type, taken))
        case s.Select(condition, yes, no) if _is_aggregate(yes.type):
            pairs = zip(leaves(yes.type, work.module), _parts(yes, work), _parts(no, work), strict=True)
            for number, (leaf, one, two) in enumerate(pairs):
                chosen = s.Select(condition, s.Typed(leaf.type, one), s.Typed(leaf.type, two))
                yield _line(line, _name(name, number), chosen)
        case s.Freeze(value) if _is_aggregate(value.type):
            frozen = zip(leaves(value.type, work.module), _parts(value, work), strict=True)
            for number, (leaf, part) in enumerate(frozen):
                yield _line(line, _name(name, number), s.Freeze(s.Typed(leaf.type, part)))
        case s.Load(kind, pointer, False, None, align) if _is_aggregate(kind):
            for number, leaf in enumerate(_in_memory(kind, work.module)):
                at = _name(name, number) + "@"
                yield _line(line, at, at_distance(pointer, leaf.offset))
                load = s.Load(leaf.type, s.Local(at), False, None, within(align, leaf.offset))
                yield _line(line, _name(name, number), load)
        case s.Store(value, pointer, False, None, align) if _is_aggregate(value.type):
            # Padding is poison.
            cells = _in_memory(value.type, work.module)
            padded = chain(_parts(value, work), repeat(s.Poison()))
            for leaf, part in zip(cells, padded, strict=False):
                # No register has a space in its name.
                at = f"stored {next(work.numbers)}"
                yield _line(line, at, at_distance(pointer, leaf.offset))
                stored = s.Store(s.Typed(leaf.type, part), s.Local(at), False, None, within(align, leaf.offset))
                yield _line(line, None, stored)
        case s.Return(s.Typed(kind) as value) if _is_aggregate(kind):
            found = zip(leaves(kind, work.module), _parts(value, work), strict=True)
            whole = s.Aggregate(tuple(s.Typed(leaf.type, part) for leaf, part in found))
            yield replace(line, instruction=s.Return(s.Typed(kind, whole)))
        case _:
            yield line


def _line(line: s.Line, result: str | None, instruction: s.Instruction) -> s.Line:
    attachments: Mapping[str, str] = {}
    return replace(line, result=result, instruction=instruction, attachments=attachments)


def _in_memory(kind: s.Type, module: s.Module) -> list[Leaf]:
    """The scalars of a type, and behind them the bytes between them as integers: what is accessed. Raises NoLayout."""
    found, here = list(leaves(kind, module)), 0
    padding = list[Leaf]()
    for leaf in (*found, Leaf(s.IntType(8), size_of(kind, module)[0])):
        padding += [Leaf(s.IntType(8 * size), at) for at, size in chunks(here, leaf.offset)]
        here = leaf.offset + (bytes_of(leaf.type.bits) if isinstance(leaf.type, s.IntType) else 8)
    if len(padding) > MOST_LEAVES:
        raise NoLayout
    return [*found, *padding]
