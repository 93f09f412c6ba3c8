"""What is declared alike in both files: calls, variables, and the functions that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of, globals_in, is_defined
from sa.frontends.llvm.calls import called_in
from sa.frontends.llvm.unit import Side


def calls_alike(sides: Sequence[Side]) -> None:
    """Raises InputError where what is seen of a call is not the same in both files."""
    known = dict[str, object]()
    for side in sides:
        for call in called_in(side.function):
            if not callee_of(call):
                # What it is called with is seen, and so are the types.
                continue
            if any(callee_of(call) in other.module.defined for other in sides):
                message = f"`@{callee_of(call)}` is called here, and defined in the other file"
                raise s.refused("SA744", message, side.function.signature.span, "define it in both files")
            kinds = [a.type for a in call.arguments]
            shape = call.type, is_defined(call, side.module), [] if call.variadic else kinds
            if known.setdefault(callee_of(call), shape) != shape:
                message = f"`@{callee_of(call)}` is declared in several ways"
                raise s.refused("SA405", message, side.function.signature.span, "declare it alike in both files")


def begun_alike(sides: tuple[Side, Side]) -> None:
    """Raises InputError where a variable is declared otherwise in the other file."""
    first, second = (side.module.variables for side in sides)
    for name, variable in second.items():
        other = first.get(name, variable)
        told = [(v.type, v.constant, "thread_local" in v.words) for v in (variable, other)]
        values = {repr(v.first) for v in (variable, other) if v.first is not None}
        if told[0] != told[1] or len(values) > 1:
            message = f"`@{name}` has another type or first value in the other file"
            raise s.refused("SA405", message, variable.span, "declare it alike in both files")


def typed_alike(one: s.Signature, two: s.Signature) -> None:
    """Raises InputError where functions have other types."""
    given = [[(p.type, [w for w in p.attributes if w.startswith("byval")]) for p in x.parameters] for x in (one, two)]
    types = [(x.result, x.variadic, parameters) for x, parameters in zip((one, two), given, strict=True)]
    if types[0] != types[1]:
        message = f"`@{two.name}` has another type in the other file"
        raise s.refused("SA405", message, two.span, "declare it alike in both files")
    if two.variadic:
        raise s.refused("SA744", "variadic functions are not accepted", two.span)


def spoken_of(side: Side) -> Iterator[str]:
    """The functions of which a function has pointers, beside those that it calls."""
    for line in (line for block in side.function.blocks for line in block.lines):
        parts: tuple[object, ...] = (line.instruction,)
        if isinstance(line.instruction, s.Call):
            parts = line.instruction.arguments, line.instruction.bundles
        yield from (g.name for g in globals_in(*parts) if g.name in side.module.declared)
