"""What programs read from outside as numbers, and texts that they write for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit, fresh, meaning
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import value
from sa.frontends.c.externs import QUIET, anything, between
from sa.frontends.c.operations import decide, store
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.types import Array, Float, Int, Pointer
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


def _printed(first: int) -> Callable[[Body, Sequence[Any]], Value]:
    """What writes a text from its arguments from the `first` one on."""
    return lambda body, arguments: _written(body, arguments, first)


def _written(body: Body, arguments: Sequence[Any], first: int) -> Value:
    """A text that is made to be printed and never looked at: what it is does not matter. Raises Unsupported."""
    name = arguments[0].name if isinstance(arguments[0], c_ast.ID) else None
    own = body.file.bodies[body.name].body
    if name is None or not _is_array_of(own, name) or not _is_only_printed(own, name):
        hint = "only texts that are printed and not looked at otherwise are accepted"
        raise Unsupported("SA716", "what this writes is not known here", hint)
    if first == 2 and not _has_room(body, name, arguments[1]):
        raise Unsupported("SA716", f"that `{name}` is long enough is not known here", "use `snprintf`")
    for argument in arguments[first:]:
        if not (isinstance(argument, c_ast.Constant) and "string" in argument.type):
            value(body, argument)
    return between(body, -1, 2**31 - 1)


#: How many letters a number can need that is written so.
_LENGTHS = {"c": 1, "d": 11, "i": 11, "u": 10, "x": 8, "ld": 20, "lu": 20, "lx": 16, "zu": 20, "%": 1}
_FORMAT = re.compile(r"%(%|c|[dixu]|l[dux]|zu)?")


def _has_room(body: Body, name: str, form: Any) -> bool:
    """Whether an array has room for a text of a form, whatever numbers it has."""
    place = meaning(body, name)
    if not (isinstance(place, InMemory) and isinstance(place.type, Array) and isinstance(form, c_ast.Constant)):
        return False
    letters = "".join(map(chr, letters_of(form)))
    ways = [m.group(1) for m in _FORMAT.finditer(letters)]
    if any(w not in _LENGTHS for w in ways):
        return False
    return len(_FORMAT.sub("", letters)) + sum(_LENGTHS[w] for w in ways) < (place.type.size or 0)


def _is_array_of(node: Any, name: str) -> bool:
    """Whether a name is declared in a function's body, and only as arrays that live as long as it."""
    found = list[bool]()
    for here in nodes_of(node):
        if isinstance(here, c_ast.Decl) and here.name == name:
            found.append(isinstance(here.type, c_ast.ArrayDecl) and not here.storage)
    return bool(found) and all(found)


#: What may be done with a text that only is to be printed.
_PRINTING = QUIET | {"snprintf", "sprintf"}


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


_CHAR = c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["char"])))


def _duplicated(body: Body, arguments: Sequence[Any]) -> Value:
    """`strdup`; of a text as it stands there it is known how much room its copy has."""
    text, call = arguments[0], body.file.call
    if not (isinstance(text, c_ast.Constant) and "string" in text.type):
        return call(body, c_ast.FuncCall(c_ast.ID("__sacheck_strdup"), c_ast.ExprList([text])))
    room = c_ast.Constant("int", str(len(letters_of(text)) + 1))
    size = c_ast.BinaryOp("*", room, c_ast.UnaryOp("sizeof", _CHAR))
    made = c_ast.FuncCall(c_ast.ID("malloc"), c_ast.ExprList([size]))
    return call(body, c_ast.FuncCall(c_ast.ID("strcpy"), c_ast.ExprList([made, text])))


TEXTS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "scanf": _scanned(1),
    "fscanf": _scanned(2),
    "snprintf": _printed(3),
    "sprintf": _printed(2),
    "strdup": _duplicated,
}
