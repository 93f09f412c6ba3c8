"""Calls: functions that the module does not define are visible, with their arguments and results; intrinsics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Begin, End, Havoc, Range, Set
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of, is_defined, overflowing
from sa.frontends.llvm.body import (
    EXIT,
    UNDEF,
    Body,
    Leaf,
    Pair,
    Plain,
    Value,
    bit,
    bits_of,
    canonical,
    emit,
    fresh,
    refused,
    register,
    undefined,
)
from sa.frontends.llvm.counting import overflow
from sa.frontends.llvm.memory import shown
from sa.frontends.llvm.values import any_value, definite, typed
from sa.terms import build

#: What may be said of a function that is called, and of a call: nothing follows from it that is not modelled.
_HARMLESS = frozenset({
    "nounwind", "nofree", "norecurse", "nobuiltin", "builtin", "noinline", "cold", "hot", "mustprogress", "uwtable",
    "noundef", "signext", "zeroext", "dso_local", "local_unnamed_addr", "unnamed_addr", "noreturn", "nocallback",
    "optsize", "minsize", "noredzone", "nonlazybind", "fastcc", "ccc",
})  # fmt: skip

#: Functions of the library, of which LLVM knows what they do.
_LIBRARY = re.compile(
    r"(str|mem|wcs|wmem|stp)\w*|\w*alloc|free|\w*printf\w*|\w*scanf\w*|f?(put|get)[cs]\w*|(put|get)w?char\w*|ffs\w*|l*abs"
    r"|is(digit|ascii)|to(ascii|upper|lower)|ato(i|l|ll|f)|_Z\w+|f(open|close|read|write|seek|tell|flush|error|eof)\w*"
    r"|b(cmp|copy|zero)|exit|abort|_exit|qsort|(set|long)jmp|__\w+"
)

#: What may be said of an argument.
_ARGUMENT = frozenset({"noundef", "signext", "zeroext", "inreg", "noext"})


def called(body: Body, name: str, call: s.Call) -> None:
    """A call. Raises InputError."""
    callee = callee_of(call)
    if (operation := overflowing(call)) is not None:
        _overflow(body, name, operation, call)
        return
    if callee.startswith("llvm."):
        _intrinsic(body, callee, call)
        return
    words = _checked(body, callee, call)
    given = [_argument(body, argument) for argument in call.arguments]
    emit(body, Begin())
    values = tuple(value.term if bits is None else shown(body, value, bits) for value, bits in given)
    emit(body, Show(f"call_{callee}", values, Sync.CALL))
    emit(body, End())
    if "noreturn" in words:
        undefined(body, build.TRUE, "a return from what does not return")
    if isinstance(call.type, s.VoidType):
        return
    bits = bits_of(call.type, body)
    low, high = canonical(bits)
    emit(body, Begin())
    made = register(body, f"%{name}", Range(low, high), f"%{name}")
    emit(body, Havoc(made, Range(low, high)))
    if is_defined(call, body.unit.module):
        emit(body, Show(f"result_of_{callee}", (made,)))
        body.known[name] = Plain(made, None)
    else:
        kind = register(body, f"kind.%{name}", Range(0, UNDEF), f"kind of %{name}")
        emit(body, Havoc(kind, Range(0, UNDEF)))
        emit(body, Show(f"result_of_{callee}", (made, kind)))
        body.known[name] = Leaf(made, kind, bits)
    emit(body, End())


def _checked(body: Body, callee: str, call: s.Call) -> tuple[str, ...]:
    """What is said of a call. Raises InputError if it is not visible, or more is known of it than is modelled."""
    module = body.unit.module
    declared = module.declared.get(callee)
    if declared is None:
        raise refused(body, "a call through a pointer, or of a function whose declaration is not read,")
    if _LIBRARY.fullmatch(callee):
        hint = "call a function of another name: LLVM knows what this one does"
        raise refused(body, f"a call of `@{callee}`, a function of the library,", hint)
    if call.variadic or declared.variadic:
        raise refused(body, "a call with any number of arguments", "call a function of a known type")
    groups = (word for group in call.groups for word in module.groups.get(group, ()))
    words = (*declared.words, *declared.attributes, *call.attributes, *call.result, *groups)
    for word in words:
        if not word.startswith('"') and word.partition("(")[0] not in _HARMLESS:
            raise refused(body, f"a call of a function that is `{word}`", "leave out the attribute in both files")
    for argument, parameter in zip(call.arguments, declared.parameters, strict=False):
        for word in (*argument.attributes, *parameter.attributes):
            if word not in _ARGUMENT and not (word == "nonnull" and argument.operand in body.shapes):
                raise refused(body, f"an argument that is `{word}`", "leave out the attribute in both files")
    return words


def _argument(body: Body, argument: s.Argument) -> tuple[Value, int | None]:
    """An argument, and its width if it may be poison. Raises InputError where it may be `undef`."""
    assert argument.operand is not None
    value = s.Typed(argument.type, argument.operand)
    if isinstance(argument.type, s.PointerType):
        if isinstance(value.operand, s.Poison):
            raise refused(body, "a pointer that is poison", "use `null`")
        return typed(body, value), None
    if "noundef" in argument.attributes:
        return Value(definite(body, value, "an argument that must not be poison")), None
    name = argument.operand.name if isinstance(argument.operand, s.Local) else ""
    if isinstance(argument.operand, s.Undef) or name in body.facts.may_undef:
        raise refused(body, "an argument that may be `undef`", "freeze it")
    return typed(body, value), bits_of(argument.type, body)


def _overflow(body: Body, name: str, operation: str, call: s.Call) -> None:
    """`llvm.sadd.with.overflow` and the like: a number, and whether it overflows, poison where an operand is."""
    if name in body.facts.may_undef:
        raise refused(body, "what overflows of a value that may be `undef`", "freeze it")
    one, two = (a.operand for a in call.arguments)
    if not isinstance(call.arguments[0].type, s.IntType) or one is None or two is None:
        raise refused(body, f"`@{callee_of(call)}`", "use integers")
    bits = bits_of(call.arguments[0].type, body)
    a, b = (typed(body, s.Typed(s.IntType(bits), operand)) for operand in (one, two))
    number, wrong = overflow(operation, a.term, b.term, bits, body.registers)
    parts = list[Plain]()
    for place, term, width in ((0, number, bits), (1, bit(wrong), 1)):
        var = register(body, f"%{name}.{place}", Range(*canonical(width)), f"%{name}.{place}")
        emit(body, Set(var, term))
        poison = None
        if name in body.facts.may_poison:
            poison = register(body, f"poison.%{name}.{place}", Range(0, 1), f"%{name} is poison")
            emit(body, Set(poison, bit(build.lor(a.poison, b.poison))))
        parts.append(Plain(var, poison))
    body.known[name] = Pair(*parts)


def _intrinsic(body: Body, callee: str, call: s.Call) -> None:
    """An intrinsic without a value. Raises InputError."""
    match callee.split(".")[1:]:
        case ["donothing"] | ["experimental", "noalias", "scope", "decl"]:
            return
        case ["trap"]:
            # The program ends: what is in memory is not seen any more.
            emit(body, Begin())
            emit(body, Show("trap", (), Sync.NONE))
            emit(body, End(), EXIT)
            body.here = fresh(body)
        case ["assume"] if call.arguments[0].operand is not None:
            operand = call.arguments[0].operand
            holds = definite(body, s.Typed(s.IntType(1), operand), "an assumption of poison")
            undefined(body, build.eq(holds, build.ZERO), "an assumption that does not hold")
        case ["lifetime", *_]:
            slot = call.arguments[-1].operand
            known = body.known.get(slot.name) if isinstance(slot, s.Local) else None
            if not isinstance(slot, s.Local) or slot.name not in body.facts.slots:
                raise refused(body, "the lifetime of memory that is no variable")
            if isinstance(known, Leaf):
                any_value(body, known)
        case _:
            raise refused(body, f"`@{callee}`", "docs/LLVM.md has a table of what is")


def called_in(function: s.Function) -> Iterator[s.Call]:
    """The calls of a function."""
    instructions = (line.instruction for block in function.blocks for line in block.lines)
    yield from (i for i in instructions if isinstance(i, s.Call))
