"""Functions that are defined nowhere: what they may do, and what the outside sees of their calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InRegister, converted, emit, fresh, temporary, warn
from sa.frontends.c.caveats import undefined
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import NOTHING, value
from sa.frontends.c.formats import WRITING, is_text
from sa.frontends.c.library import near
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.types import INT, CType, Float, Function, Int, Pointer, Struct, input_range, is_scalar
from sa.frontends.c.values import Unsupported, Value, number, undecided
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Begin, End, Fail, Havoc, Range, Set
from sa.terms import build
from sa.terms.term import Term


def outside(body: Body, name: str, kind: Function | None, arguments: Sequence[Any]) -> Value:
    """A function that is defined nowhere: its result is arbitrary, and it must not touch the program's variables."""
    if name in WRITING and any(is_text(a) and "%n" in a.value for a in arguments):
        raise Unsupported("SA716", f"`{name}` writes through a pointer here (`%n`)", "count without it")
    if name.startswith("__builtin_"):
        raise Unsupported("SA716", f"what `{name}` does is not known here", "write it in C")
    if body.file.choices.visible:
        return _shown(body, name, kind, arguments)
    values = [value(body, a) for a in arguments if not is_text(a)]
    if any(isinstance(v.type, Pointer) and v.term is not build.ZERO for v in values):
        raise Unsupported("SA716", f"`{name}` is not defined, and takes an address", _instead(body, name))
    result = INT if kind is None else kind.result
    if isinstance(result, Struct):
        raise Unsupported("SA716", f"`{name}` is not defined, and returns a structure", "define it")
    if isinstance(result, Pointer):
        raise Unsupported("SA716", f"`{name}` is not defined, and returns an address", "define it")
    if not name.startswith("rand"):
        body.file.granted[undefined(name)] = None
        warn(body.file, None, "SA731", f"`{name}` is not defined: it may return anything and changes nothing")
    return anything(body, result) if is_scalar(result) else NOTHING


def _instead(body: Body, name: str) -> str:
    """What helps where a function is not defined."""
    meant = near(name, (n for n in body.file.bodies if not n.startswith("__")))
    return "define it" if meant is None else f"did you mean `{meant}`?"


def _shown(body: Body, name: str, kind: Function | None, arguments: Sequence[Any]) -> Value:
    """A call that the outside sees, with its arguments, and with the result that the outside chooses."""
    values, given = list[Term](), list[str]()
    declared = () if kind is None or kind.parameters is None else kind.parameters
    for argument, wanted in zip_longest(arguments, declared[: len(arguments)]):
        if is_text(argument):
            values.append(_text(argument))
            continue
        found = value(body, argument)
        if isinstance(found.type, Float):
            raise undecided()
        if isinstance(wanted, Int) and isinstance(found.type, Int):
            found = converted(body, found, wanted)
        escapes = is_alone(body) and isinstance(found.type, Pointer)
        if not isinstance(found.type, Int) and number(found) is not build.integer(0) and not escapes:
            raise Unsupported("SA716", f"`{name}` is not defined, and takes an address", _instead(body, name))
        if wanted is None:
            # Nothing says what the function takes: what it is given counts.
            given.append("long" if _is_wide(found.type) else "int")
        values.append(number(found))
    result = INT if kind is None else kind.result
    if isinstance(result, Pointer | Struct | Float):
        raise Unsupported("SA716", f"`{name}` is not defined, and returns no number", "define it")
    if is_alone(body):
        # What comes back is known after whatever the call did to the variables.
        body.file.hands_on = True
        emit(body, Begin())
        emit(body, Show("_".join(("call", name, str(len(values)), *given)), tuple(values), Sync.CALL))
        emit(body, End())
        if name in body.file.endless:
            # It is undefined to return from it (C11 6.7.4).
            emit(body, Fail("undefined"))
            body.here = fresh(body)
        emit(body, Begin())
    made = anything(body, result) if is_scalar(result) else NOTHING
    if is_alone(body):
        if is_scalar(result):
            emit(body, Show(f"result_of_{name}", (number(made),)))
        emit(body, End())
        return made
    open_ = kind is None or kind.parameters is None or kind.variadic
    action = "_".join((name, str(len(values)), *given)) if open_ else f"{name}_"
    emit(body, Show(action, (*values, number(made)) if is_scalar(result) else tuple(values)))
    return made


def _text(node: c_ast.Constant) -> Term:
    """A number for a text, another one for each kind of letters, which no integer of C is. Raises Unsupported."""
    kind = node.value.split('"', 1)[0]
    plain = node.value.replace("\\\\", "")
    if "\\u" in plain or "\\U" in plain or (kind and "\\" in node.value):
        raise Unsupported("SA716", "strings with these escapes are not compared", "write the letters as they are")
    letters = bytes(c % 256 for c in letters_of(node))
    return build.integer(-(2**64) - int.from_bytes(b"\1" + kind.encode().rjust(2) + letters, "big"))


def _is_wide(kind: CType) -> bool:
    return not isinstance(kind, Int) or kind.bits > 32


def anything(body: Body, kind: CType) -> Value:
    """Any value of a type."""
    if isinstance(kind, Float):
        return Value(build.ZERO, kind)
    range_ = input_range(kind)
    var = temporary(body, kind, range_)
    emit(body, Havoc(var, range_))
    return Value(var, kind)


def unread(body: Body, arguments: Sequence[Any]) -> Value:
    """What `va_arg` stands for. Raises Unsupported."""
    raise Unsupported("SA719", "arguments behind `...` cannot be read", "give the function its arguments by name")


def assembler(body: Body, arguments: Sequence[Any]) -> Value:
    """What inline assembly stands for. Raises Unsupported."""
    raise Unsupported("SA717", "inline assembly is not accepted", "use atomic functions, or write C")


def jumping(body: Body, arguments: Sequence[Any]) -> Value:
    """What jumps between functions stand for. Raises Unsupported."""
    raise Unsupported("SA717", "jumps between functions are not accepted", "return a value that says what happened")


def signalled(body: Body, arguments: Sequence[Any]) -> Value:
    """What functions for signals stand for. Raises Unsupported."""
    raise Unsupported("SA717", "signals are not accepted", "let a thread do what the handler does")


def cancelled(body: Body, arguments: Sequence[Any]) -> Value:
    """What `pthread_cancel` stands for. Raises Unsupported."""
    raise Unsupported("SA716", "threads that are cancelled are not accepted", "let the thread end by a flag")


def cleaned(body: Body, arguments: Sequence[Any]) -> Value:
    """What `pthread_cleanup_push` says beside its macro: that there is something to be done at the end of a thread."""
    body.file.cleans = True
    return NOTHING


def named(body: Body, found: Value) -> c_ast.ID:
    """A name for a value that is a number or a pointer, so that it may be given to a function of the library."""
    var = temporary(body, found.type)
    emit(body, Set(var, number(found)))
    body.scopes[-1][var.name] = InRegister(var, found.type)
    return c_ast.ID(var.name)


def between(body: Body, low: int, high: int) -> Value:
    """Any number between two."""
    var = temporary(body, INT, Range(low, high))
    emit(body, Havoc(var, Range(low, high)))
    return Value(var, INT)
