"""Calls of functions that the module defines, replaced by what these do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sa.base.source import Span
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of
from sa.frontends.llvm.attributes import HARMLESS, OF_PARAMETERS
from sa.frontends.llvm.constants import INTERPOSABLE
from sa.frontends.llvm.operands import Part, mapped, with_targets
from sa.frontends.llvm.read import function_of

#: More lines than these are too many for a function with all that it calls.
MOST_LINES = 3000


def inlined(module: s.Module, name: str, above: tuple[str, ...] = ()) -> s.Function:
    """A function without calls of others that the module defines. Raises InputError for recursion, and what is long."""
    function = function_of(module, name)
    number = 0
    while (found := _call_in(function, module)) is not None:
        block, place = found
        call = function.blocks[block].lines[place].instruction
        assert isinstance(call, s.Call)
        callee, span = callee_of(call), function.blocks[block].lines[place].span
        if callee in (name, *above):
            raise s.refused("SA744", f"`@{callee}` calls itself, which is not accepted", span, "write a loop")
        called = inlined(module, callee, (*above, name))
        if not INTERPOSABLE.isdisjoint(called.signature.words):
            message = f"a call of `@{callee}`, which another module may define otherwise, is not accepted"
            raise s.refused("SA744", message, span, "declare it only")
        _check(call, called.signature, module, span)
        number += 1
        function = _spliced(function, block, place, _renamed(called, f"{callee}.{number}."))
        if sum(len(b.lines) for b in function.blocks) > MOST_LINES:
            raise s.refused("SA744", f"`@{name}` is too long with all that it calls", function.signature.span)
    return function


def _check(call: s.Call, signature: s.Signature, module: s.Module, span: Span) -> None:
    """Raises InputError where more is promised of a function or a call than is modelled."""
    groups = (word for group in call.groups for word in module.groups.get(group, ()))
    words = [*signature.words, *signature.attributes, *call.attributes, *call.result, *groups]
    wrong = [w for w in words if not w.startswith('"') and w.partition("(")[0] not in HARMLESS]
    given = (w for part in (*signature.parameters, *call.arguments) for w in part.attributes)
    wrong += [w for w in given if not w.startswith('"') and w not in OF_PARAMETERS]
    if wrong or call.variadic or signature.variadic:
        what = f"that is `{wrong[0]}`" if wrong else "of any number of arguments"
        message = f"a call of a function of this module {what} is not accepted"
        raise s.refused("SA744", message, span, "leave out the attribute in both files")


def _call_in(function: s.Function, module: s.Module) -> tuple[int, int] | None:
    """The first call of a function that the module defines: its block, and its line in there."""
    for number, block in enumerate(function.blocks):
        for place, line in enumerate(block.lines):
            if isinstance(line.instruction, s.Call) and callee_of(line.instruction) in module.defined:
                return number, place
    return None


def _renamed(function: s.Function, prefix: str) -> s.Function:
    """The function with other names for its registers and blocks."""

    def local(part: Part) -> Part:
        return mapped(part, lambda operand: s.Local(prefix + operand.name))

    blocks = []
    progress = {"mustprogress": ""} if "mustprogress" in function.signature.attributes else {}
    for block in function.blocks:
        lines = tuple(
            replace(
                line,
                result=None if line.result is None else prefix + line.result,
                instruction=with_targets(local(line.instruction), lambda name: prefix + name),
                attachments={**line.attachments, **progress},
            )
            for line in block.lines
        )
        blocks.append(s.Block(prefix + block.name, lines))
    parameters = tuple(replace(p, operand=local(p.operand)) for p in function.signature.parameters)
    return s.Function(replace(function.signature, parameters=parameters), tuple(blocks))


def _spliced(function: s.Function, number: int, place: int, called: s.Function) -> s.Function:
    """The function with another one in place of a call. What is behind the call is a block of its own."""
    block = function.blocks[number]
    line = block.lines[place]
    call = line.instruction
    assert isinstance(call, s.Call)
    given = dict[str, s.Operand]()
    checks = list[s.Instruction]()
    for argument, parameter in zip(call.arguments, called.signature.parameters, strict=True):
        if argument.operand is not None and isinstance(parameter.operand, s.Local):
            given[parameter.operand.name] = argument.operand
            if "noundef" in (*argument.attributes, *parameter.attributes):
                checks.append(s.Defined(s.Typed(argument.type, argument.operand)))
    inner = [mapped(b, lambda operand: given.get(operand.name, operand)) for b in called.blocks]
    memory = [own for own in inner[0].lines if isinstance(own.instruction, s.Alloca)]
    end = f"{inner[0].name}end"
    whole = "noundef" in (*call.result, *called.signature.result_attributes)
    returns = list[tuple[s.Operand, str]]()
    middle = [_returning(b, end, whole, returns) for b in inner]
    middle[0] = s.Block(middle[0].name, tuple(x for x in middle[0].lines if not isinstance(x.instruction, s.Alloca)))
    checks += [_begins(own.result or "") for own in memory]
    entering = [_at(line.span, line.text, i) for i in (*checks, s.Jump(inner[0].name))]
    first = s.Block(block.name, (*block.lines[:place], *entering))
    result = [replace(line, instruction=s.Phi(call.type, tuple(returns)))] if line.result is not None else []
    last = s.Block(end, (*result, *block.lines[place + 1 :]))
    outside = [
        _behind(b, block.name, end) for b in (*function.blocks[:number], first, last, *function.blocks[number + 1 :])
    ]
    at = next(n for n, b in enumerate(outside) if b.name == end)
    blocks = [*outside[:at], *middle, *outside[at:]]
    blocks[0] = s.Block(blocks[0].name, (*memory, *blocks[0].lines))
    return s.Function(function.signature, tuple(blocks))


def _returning(block: s.Block, end: str, whole: bool, returns: list[tuple[s.Operand, str]]) -> s.Block:
    """A block that goes on at the end of a call where it returned; what it returned is noted."""
    last = block.lines[-1]
    if not isinstance(last.instruction, s.Return):
        return block
    value = last.instruction.value
    made = list[s.Instruction]()
    if value is not None:
        returns.append((value.operand, block.name))
        made += [s.Defined(value)] if whole else []
    return s.Block(block.name, (*block.lines[:-1], *(_at(last.span, last.text, i) for i in (*made, s.Jump(end)))))


def _behind(block: s.Block, old: str, new: str) -> s.Block:
    """A block that comes behind another one than before."""
    lines: Sequence[s.Line] = [
        replace(line, instruction=s.Phi(phi.type, tuple((v, new if b == old else b) for v, b in phi.incoming)))
        if isinstance(phi := line.instruction, s.Phi)
        else line
        for line in block.lines
    ]
    return s.Block(block.name, tuple(lines))


def _at(span: Span, text: str, instruction: s.Instruction) -> s.Line:
    nothing: Mapping[str, str] = {}
    return s.Line(None, instruction, nothing, span, text)


def _begins(name: str) -> s.Call:
    """That an alloca begins to live, without a value."""
    argument = s.Argument(s.PointerType(), (), s.Local(name))
    return s.Call(s.VoidType(), False, s.Global("llvm.lifetime.start.p0"), (), (argument,), (), ())
