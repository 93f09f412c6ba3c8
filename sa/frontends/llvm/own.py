"""Memory of the function's own whose address is used: objects that nobody else knows before they are handed on.

Calls may get their addresses, which nothing else keeps. All that is read was written before, since memory that is not
written yet is `undef` (LangRef, `alloca`), which cells do not hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from sa.base.source import Span
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import Facts, callee_of, changing, lifetime_of, locals_in
from sa.frontends.llvm.layout import NoLayout, place_of, size_of

_TAIL = re.compile(r"(%\S+ = )?(must)?tail ")

#: Objects of more bytes are not followed.
_MOST_BYTES = 1024


class _Work(Struct, frozen=True):
    """Allocas with their sizes, those whose lives are marked, and what is known of the function."""

    sizes: Mapping[str, int]
    marked: frozenset[str]
    facts: Facts
    module: s.Module

    def roots(self, operand: object) -> frozenset[str]:
        """The allocas that a pointer may lead to."""
        found = set[str]()
        for name in locals_in(operand):
            found |= {r.name for r in self.facts.roots.get(name, {s.Local(name)}) if isinstance(r, s.Local)}
        return frozenset(found & self.sizes.keys())


def own_memory(function: s.Function, module: s.Module, facts: Facts) -> Mapping[str, s.Line]:
    """The allocas that are no variables, and are used. Raises InputError for those that are not accepted."""
    lines = [line for block in function.blocks for line in block.lines]
    used = {n for line in lines if lifetime_of(line.instruction) is None for n in _read_by(line.instruction)}
    made = {
        line.result: line
        for line in lines
        if isinstance(line.instruction, s.Alloca) and line.result in used and line.result not in facts.slots
    }
    if not made:
        return {}
    entry = {line.result for line in function.blocks[0].lines}
    sizes = {name: _size(line, name in entry, module) for name, line in made.items() if name is not None}
    marked = frozenset(name for name in sizes if is_marked(function, name))
    work = _Work(sizes, marked, facts, module)
    for line in lines:
        _check_uses(line, work)
    _check_reads(function, work)
    return {name: line for name, line in made.items() if name is not None}


def is_marked(function: s.Function, name: str) -> bool:
    """Whether it is said where the life of an alloca begins."""
    return any(lifetime_of(line.instruction) == name for block in function.blocks for line in block.lines)


def _read_by(instruction: s.Instruction) -> Iterator[str]:
    return locals_in(*(getattr(instruction, f) for f in instruction.__struct_fields__))


def _refused(what: str, span: Span | None, hint: str) -> Exception:
    return s.refused("SA744", f"{what} is not accepted", span, hint)


def _size(line: s.Line, is_first: bool, module: s.Module) -> int:
    assert isinstance(line.instruction, s.Alloca)
    try:
        size = size_of(line.instruction.type, module)[0]
    except NoLayout:
        size = _MOST_BYTES + 1
    if size > _MOST_BYTES or line.instruction.count is not None or not is_first:
        what = "memory of the function's own whose size varies, or is large,"
        raise _refused(what, line.span, f"at most {_MOST_BYTES} bytes, in the first block, of integers and pointers")
    return size


def _check_uses(line: s.Line, work: _Work) -> None:
    """Raises InputError where an address is kept, or used in another way than to access, move, or hand it on."""
    if _TAIL.match(line.text) and any(work.roots(s.Local(name)) for name in _read_by(line.instruction)):
        # What is called so must not access memory of the caller's (LangRef, `call`).
        hint = "leave out `tail`"
        raise _refused("a tail call that gets the address of memory of the function's own", line.span, hint)
    match line.instruction:
        case s.Load(_, pointer, volatile, order) | s.Store(_, pointer, volatile, order) if work.roots(pointer):
            if volatile or order is not None:
                hint = "access it plainly, or use a variable of the module"
                raise _refused("an atomic or volatile access of memory of the function's own", line.span, hint)
    match line.instruction:
        case s.Store(s.Typed(_, value), s.Local(slot)) if slot in work.facts.slots or not work.roots(value):
            return
        case s.Load() | s.Offset() | s.Select() | s.Phi() | s.Compare() | s.Alloca():
            return
        case s.Call() as call if not callee_of(call).startswith("llvm.") or lifetime_of(call) is not None:
            return
        case other if any(work.roots(s.Local(name)) for name in _read_by(other)):
            what = "memory of the function's own whose address is kept, returned, or made a number,"
            raise _refused(what, line.span, "access it, or give its address to a function")
        case _:
            return


def _check_reads(function: s.Function, work: _Work) -> None:
    """Raises InputError where memory may be read that has no value, or used while it does not live."""
    spans = list[Span]()

    def after(line: s.Line, here: set[str]) -> None:
        call = line.instruction
        name = lifetime_of(call)
        if name in work.marked and isinstance(call, s.Call):
            starts = callee_of(call).startswith("llvm.lifetime.start")
            here.difference_update({_DEAD + name} if starts else ())
            here.update(_bytes(name, range(work.sizes[name])) if starts else {_DEAD + name})
        elif isinstance(call, s.Call):
            # Others write values, or what they read has none: then nothing is said.
            for own in work.roots(tuple(a.operand for a in call.arguments)):
                here.difference_update(_bytes(own, range(work.sizes[own])))
        elif isinstance(call, s.Store) and len(roots := work.roots(call.pointer)) == 1:
            here.difference_update(_bytes(next(iter(roots)), _touched(call.pointer, call.value.type, work)))

    def is_wrong(line: s.Line, here: Collection[str]) -> str | None:
        instruction = line.instruction
        match instruction:
            case s.Load(pointer=used) | s.Store(pointer=used):
                names = work.roots(used)
            case s.Call(arguments=arguments) if lifetime_of(instruction) is None:
                names = work.roots(tuple(a.operand for a in arguments))
            case _:
                return None
        wrong = [n for n in sorted(names) if _DEAD + n in here]
        if isinstance(instruction, s.Load):
            read = _touched(instruction.pointer, instruction.type, work)
            wrong += [n for n in sorted(names) if any(b in here for b in _bytes(n, read or range(work.sizes[n])))]
        spans.extend([line.span] if wrong else [])
        return wrong[0] if wrong else None

    start = {b for name, size in work.sizes.items() for b in _bytes(name, range(size))}
    changing(function, frozenset(start | {_DEAD + n for n in work.marked}), after, is_wrong)
    if spans:
        what = "memory of the function's own that may be used before it has a value, or while it does not live,"
        raise _refused(what, spans[0], "give all of it a value where it is declared")


#: What is put before the name of an alloca that does not live.
_DEAD = "dead "


def _bytes(name: str, places: range) -> set[str]:
    return {f"{place} {name}" for place in places}


def _touched(pointer: s.Operand, kind: s.Type, work: _Work) -> range:
    """The bytes that an access is of, none if they are not known."""
    try:
        place, size = place_of(pointer, work.facts.moves, work.module), size_of(kind, work.module)[0]
    except NoLayout:
        return range(0)
    base = place.base
    if place.index is not None or not isinstance(base, s.Local) or base.name in work.facts.distant:
        return range(0)
    return range(place.offset, place.offset + size)
