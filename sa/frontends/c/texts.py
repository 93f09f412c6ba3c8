"""What programs read from outside as numbers, and texts that they write for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit, fresh
from sa.frontends.c.expressions import value
from sa.frontends.c.operations import decide, store
from sa.frontends.c.outside import QUIET, anything, between
from sa.frontends.c.types import INT, Float, Int, Pointer
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Skip
from sa.terms import build


def _scanned(first: int) -> Callable[[Body, Sequence[Any]], Value]:
    """Numbers from outside: the result says where how many pointers point there is any value of the type then."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        read = between(body, -1, len(arguments) - first)
        for number_before, argument in enumerate(arguments[first:]):
            to = value(body, argument)
            if not isinstance(to.type, Pointer) or not isinstance(to.type.to, Int | Pointer | Float):
                raise Unsupported("SA716", "this cannot be read from outside", "read into variables that are numbers")
            if isinstance(to.type.to, Int) and to.type.to.bits == 8:
                raise Unsupported("SA716", "letters that are read from outside are not accepted", "read numbers")
            on, off = fresh(body), fresh(body)
            decide(body, build.lt(build.integer(number_before), number(read)), on, off)
            body.here = on
            store(body, InMemory(number(to), to.type.to), anything(body, to.type.to))
            emit(body, Skip(), off)
        return read

    return handler


def _printed(body: Body, arguments: Sequence[Any]) -> Value:
    """A text that is made to be printed and never looked at: what it is does not matter. Raises Unsupported."""
    name = arguments[0].name if isinstance(arguments[0], c_ast.ID) else None
    own = body.file.bodies[body.name].body
    if name is None or not _is_array_of(own, name) or not _is_only_printed(own, name):
        hint = "only texts that are printed and not looked at otherwise are accepted"
        raise Unsupported("SA716", "what this writes is not known here", hint)
    for argument in arguments[3:]:
        if not (isinstance(argument, c_ast.Constant) and "string" in argument.type):
            value(body, argument)
    return anything(body, INT)


def _is_array_of(node: Any, name: str) -> bool:
    """Whether a name is declared in a function's body, and only as arrays that live as long as it."""
    found = list[bool]()
    pending = [node]
    while pending:
        here = pending.pop()
        if isinstance(here, c_ast.Decl) and here.name == name:
            found.append(isinstance(here.type, c_ast.ArrayDecl) and not here.storage)
        pending.extend(child for _, child in here.children())
    return bool(found) and all(found)


#: What may be done with a text that only is to be printed.
_PRINTING = QUIET | {"snprintf"}


def _is_only_printed(node: Any, name: str) -> bool:
    """Whether a name of a function's body is used as a whole argument of printing functions, and in `sizeof`, only."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=called)) if called in _PRINTING:
            inner = node.args.exprs if node.args is not None else []
            return all(_is_only_printed(e, name) for e in inner if not (isinstance(e, c_ast.ID) and e.name == name))
        case c_ast.UnaryOp(op="sizeof"):
            return True
        case c_ast.ID():
            return bool(node.name != name)
        case _:
            return all(_is_only_printed(child, name) for _, child in node.children())


TEXTS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "scanf": _scanned(1),
    "fscanf": _scanned(2),
    "snprintf": _printed,
}
