"""The body of a function of the IR as steps: block by block, with the assignments of `phi` on the edges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.automata.components import postorder
from sa.frontends.flow.graph import Fail, Live, Node, Range, Set, Skip, Test
from sa.frontends.llvm import memory, unresolved
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.addresses import placed
from sa.frontends.llvm.analysis import Facts, successors
from sa.frontends.llvm.body import (
    UNDEF,
    Again,
    Body,
    Leaf,
    Pair,
    Plain,
    assigned,
    bits_of,
    emit,
    fresh,
    named,
    refused,
    register,
    temporary,
)
from sa.frontends.llvm.calls import called
from sa.frontends.llvm.debug import compiled_from
from sa.frontends.llvm.memory import fenced
from sa.frontends.llvm.own import is_marked
from sa.frontends.llvm.resolved import is_resolved
from sa.frontends.llvm.returns import returned
from sa.frontends.llvm.uses import any_value, definite, divides, frozen, moved, not_poison
from sa.frontends.llvm.values import as_canonical, computed
from sa.terms import build
from sa.terms.term import Term

#: What may be attached to an instruction without a meaning for what it does.
_IGNORED = frozenset({
    "dbg", "prof", "srcloc", "annotation", "unpredictable", "nosanitize", "heapallocsite", "DIAssignID", "llvm.loop",
    "llvm.access.group", "tbaa", "tbaa.struct", "mustprogress",
})  # fmt: skip


class Visible(Struct, frozen=True):
    """What others see beside what is shown.

    `commits`: what is returned is chosen once the function is seen to return; `announces`: so are arguments of calls;
    `strangers`: pointers that are given on the way have addresses.
    """

    commits: bool
    announces: bool
    strangers: bool


class _Flow(Struct, frozen=True):
    """Where blocks begin, and the order in which they are reached first: what goes back begins another round."""

    starts: Mapping[str, Node]
    order: Mapping[str, int]
    blocks: Mapping[str, s.Block]
    visible: Visible


def translated(body: Body, facts: Facts, visible: Visible) -> None:
    """All blocks of a function. Raises InputError."""
    blocks = in_order(body.function)
    flow = _Flow(
        {b.name: fresh(body) for b in blocks},
        {b.name: n for n, b in enumerate(blocks)},
        {b.name: b for b in blocks},
        visible,
    )
    for name, kind in facts.slots.items():
        _variable(body, name, kind)
        known = body.known[name]
        if isinstance(known, Leaf):
            any_value(body, known)
    for line in (line for b in blocks for line in b.lines):
        if isinstance(line.instruction, s.Phi) and line.result is not None:
            body.origin = Origin(line.span, line.text)
            _variable(body, line.result, line.instruction.type)
    emit(body, Skip(), flow.starts[blocks[0].name])
    for block in blocks:
        body.here = flow.starts[block.name]
        for line in block.lines:
            body.origin = Origin(line.span, line.text, tuple(compiled_from(body.unit.module, line)))
            _instruction(body, line, block, flow)
            if flow.visible.strangers:
                placed(body, line)


def in_order(function: s.Function) -> list[s.Block]:
    """The blocks that are reached, in reverse postorder: definitions come before their uses."""
    blocks = {b.name: b for b in function.blocks}
    order, _ = postorder(function.blocks[0].name, {name: successors(block) for name, block in blocks.items()})
    return [blocks[name] for name in reversed(order)]


def _variable(body: Body, name: str, kind: s.Type) -> None:
    """A register of the IR that gets its value elsewhere, or an alloca that is one here."""
    bits = bits_of(kind, body)
    var = named(body, name, bits)
    if name in body.facts.may_undef:
        undef = register(body, f"kind.%{name}", Range(0, UNDEF), f"kind of %{name}")
        body.known[name] = Leaf(var, undef, bits)
        return
    poison = None
    if name in body.facts.may_poison:
        poison = register(body, f"poison.%{name}", Range(0, 1), f"%{name} is poison")
    body.known[name] = Plain(var, poison)


def _instruction(body: Body, line: s.Line, block: s.Block, flow: _Flow) -> None:
    name, instruction = line.result or "", line.instruction
    _attached(body, line)
    match instruction:
        case s.Binary() | s.Compare() | s.Cast() | s.Select():
            _plain(body, name, instruction)
        case s.Freeze(value):
            assigned(body, name, frozen(body, value), bits_of(value.type, body))
        case s.Phi():
            return
        case s.Alloca(_, count):
            if count is not None and not isinstance(count.operand, s.Number):
                raise refused(body, "memory of the function's own whose size varies", "use an array")
            if name in body.facts.own and not is_marked(body.function, name):
                emit(body, Live(f"%{name}"))
        case s.Load(kind, s.Local(slot)) if slot in body.facts.slots:
            _variable(body, name, kind)
            _moved(body, name, s.Typed(kind, s.Local(slot)))
            if "noundef" in line.attachments:
                definite(body, s.Typed(kind, s.Local(name)), "a load that must not be poison")
        case s.Store(value, s.Local(slot)) if slot in body.facts.slots:
            _moved(body, slot, value)
        case s.Load() | s.Store() | s.Update() | s.Exchange():
            _accessed(body, name, line, instruction)
        case s.Fence(order):
            fenced(body, order)
        case s.Defined(value):
            not_poison(body, value)
        case s.Insert():
            raise refused(body, "`insertvalue` of this", "insert integers and pointers")
        case s.Extract():
            _extracted(body, name, instruction)
        case s.Offset():
            # It means something where an access has its place.
            return
        case s.Call():
            called(body, name, instruction, flow.visible.announces)
        case s.Return() | s.Jump() | s.Branch() | s.Switch() | s.Unreachable():
            _ended(body, instruction, block, flow)
        case _:
            assert_never(instruction)


def _accessed(body: Body, name: str, line: s.Line, access: s.Load | s.Store | s.Update | s.Exchange) -> None:
    """An access of memory: of objects that are known, or of what may be any."""
    known = is_resolved(access.pointer, body.facts, body.unit.module)
    match access:
        case s.Load():
            load = memory.loaded if known else unresolved.loaded
            load(body, name, access, "noundef" in line.attachments, _ranges(body, line))
        case s.Store():
            (memory.stored if known else unresolved.stored)(body, access)
        case s.Update():
            (memory.updated if known else unresolved.updated)(body, name, access)
        case s.Exchange():
            (memory.exchanged if known else unresolved.exchanged)(body, name, access)


def _attached(body: Body, line: s.Line) -> None:
    """Raises InputError for what is attached and may have a meaning."""
    allowed = _IGNORED
    if isinstance(line.instruction, s.Load):
        pointer = line.instruction.pointer
        variable = isinstance(pointer, s.Local) and pointer.name in body.facts.slots
        allowed |= {"noundef"} if variable else {"noundef", "range", "nonnull"}
    if other := sorted(line.attachments.keys() - allowed):
        raise refused(body, f"`!{other[0]}` at an instruction", "leave it out, or strip it in both files")


def _ranges(body: Body, line: s.Line) -> list[tuple[int, int]]:
    """What `!range` and `!nonnull` say: pairs of the first value and the one behind the last. Raises InputError."""
    if "nonnull" in line.attachments:
        # All values from 1 round to 0.
        return [(1, 0)]
    named = line.attachments.get("range")
    if named is None:
        return []
    text = body.unit.module.metadata.get(named, named)
    numbers = [int(number) for number in re.findall(r"i\d+ (-?\d+)", text)]
    if not numbers or len(numbers) % 2:
        raise refused(body, "this `!range`", "leave it out in both files")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _plain(body: Body, name: str, instruction: s.Binary | s.Compare | s.Cast | s.Select) -> None:
    """An instruction without effects, other than what is undefined in a division."""
    if isinstance(instruction, s.Binary) and instruction.operation in ("udiv", "sdiv", "urem", "srem"):
        divides(body, instruction)
    if name in body.facts.may_undef:
        body.known[name] = Again(instruction)
        return
    match instruction:
        case s.Compare():
            bits = 1
        case s.Cast(to=to):
            bits = bits_of(to, body)
        case s.Select(yes=yes):
            bits = bits_of(yes.type, body)
        case s.Binary(type=kind):
            bits = bits_of(kind, body)
    assigned(body, name, computed(body, instruction, name in body.facts.distant), bits)


def _moved(body: Body, name: str, value: s.Typed) -> None:
    known = body.known[name]
    assert isinstance(known, Plain | Leaf)
    moved(body, value, known, name in body.facts.distant)


def _extracted(body: Body, name: str, extract: s.Extract) -> None:
    value = extract.value.operand
    known = body.known.get(value.name) if isinstance(value, s.Local) else None
    if not isinstance(known, Pair) or extract.path not in ((0,), (1,)):
        raise refused(
            body, "`extractvalue` of this", "it is accepted for what `cmpxchg` and `llvm.*.with.overflow` give"
        )
    body.known[name] = known.found if extract.path == (0,) else known.done


def _ended(
    body: Body, instruction: s.Return | s.Jump | s.Branch | s.Switch | s.Unreachable, block: s.Block, flow: _Flow
) -> None:
    """The end of a block."""
    match instruction:
        case s.Return(value):
            returned(body, value, flow.visible.commits)
        case s.Jump(target):
            _goes(body, build.TRUE, block, target, flow)
        case s.Branch(condition, yes, no):
            holds = build.eq(definite(body, condition, "a branch on poison"), build.ONE)
            here = body.here
            for formula, target in ((holds, yes), (build.lnot(holds), no)):
                body.here = here
                _goes(body, formula, block, target, flow)
        case s.Switch(value, default, cases):
            found, bits, here = definite(body, value, "a switch on poison"), bits_of(value.type, body), body.here
            numbers = [(build.eq(found, build.integer(as_canonical(n, bits))), target) for n, target in cases]
            others = build.land(*(build.lnot(f) for f, _ in numbers))
            for formula, target in (*numbers, (others, default)):
                body.here = here
                _goes(body, formula, block, target, flow)
        case s.Unreachable():
            emit(body, Fail("unreachable"))


def _goes(body: Body, formula: Term, block: s.Block, target: str, flow: _Flow) -> None:
    """A way to a block, with the values of its `phi`, which are all taken at once."""
    if formula is not build.TRUE:
        emit(body, Test(formula))
    taken = [
        (line.result or "", s.Typed(phi.type, _from(phi, block.name)))
        for line in flow.blocks[target].lines
        if isinstance(phi := line.instruction, s.Phi)
    ]
    if len(taken) == 1:
        _moved(body, *taken[0])
    else:
        _at_once(body, taken)
    back = flow.order[target] <= flow.order[block.name]
    emit(body, Skip(again=back and _makes_progress(body, block)), flow.starts[target])


def _from(phi: s.Phi, block: str) -> s.Operand:
    return next(value for value, name in phi.incoming if name == block)


def _at_once(body: Body, taken: Sequence[tuple[str, s.Typed]]) -> None:
    """Values by way of other registers."""
    copies = list[tuple[Plain | Leaf, Plain | Leaf]]()
    for name, value in taken:
        known = body.known[name]
        assert isinstance(known, Plain | Leaf)
        copy = _copy(body, known)
        moved(body, value, copy, name in body.facts.distant)
        copies.append((known, copy))
    for known, copy in copies:
        emit(body, Set(known.var, copy.var))
        if isinstance(known, Leaf) and isinstance(copy, Leaf):
            emit(body, Set(known.kind, copy.kind))
        elif isinstance(known, Plain) and isinstance(copy, Plain) and known.poison and copy.poison:
            emit(body, Set(known.poison, copy.poison))


def _copy(body: Body, known: Plain | Leaf) -> Plain | Leaf:
    var = temporary(body, body.registers[known.var].range)
    if isinstance(known, Leaf):
        return Leaf(var, temporary(body, Range(0, UNDEF)), known.bits)
    return Plain(var, None if known.poison is None else temporary(body, Range(0, 1)))


def _makes_progress(body: Body, block: s.Block) -> bool:
    """Whether the loop that a block goes round is taken to end (LangRef, `mustprogress`)."""
    if not {"mustprogress", "willreturn"}.isdisjoint(body.function.signature.attributes):
        return True
    if "mustprogress" in block.lines[-1].attachments:
        # It is said of the function that this is a part of.
        return True
    metadata = body.unit.module.metadata
    said = metadata.get(block.lines[-1].attachments.get("llvm.loop", ""), "")
    return any('!"llvm.loop.mustprogress"' in metadata.get(n, "") for n in re.findall(r"!\d+", said))
