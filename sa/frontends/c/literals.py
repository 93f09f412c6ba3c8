"""Literals, and expressions that are one formula."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Body, Constant, InMemory, InRegister, emit, fresh, meaning, object_of
from sa.frontends.c.caveats import NAMED, outside_texts
from sa.frontends.c.constants import letters_of, literal
from sa.frontends.c.operations import decide
from sa.frontends.c.types import CHAR, Array, Float, Pointer
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import ANY, Cell, Fail, Halt, Object, Storage, base
from sa.frontends.reading import is_overflow_passed
from sa.terms import build
from sa.terms.term import Term, Var

#: How many letters an argument of the program, or a variable of the environment, has at most.
MOST_OUTSIDE = 15
#: The object that arguments point to of which it is not known which one they are.
ARGUMENTS = "__arguments"

_MAY_OVERFLOW = ("+", "-", "*")
_UNDEFINED = ("/", "%", "<<", ">>")


def literal_value(body: Body, node: c_ast.Constant) -> Value:
    """The value of a literal; a string is a pointer."""
    if "string" in node.type:
        return Value(base(string(body, node)), Pointer(CHAR))
    if any(word in node.type for word in ("float", "double")):
        bits = {"float": 32, "double": 64}.get(node.type, 128)
        return Value(build.ZERO, Float(node.type, bits))
    found, kind = literal(node)
    return Value(build.integer(found), kind)


def string(body: Body, node: c_ast.Constant) -> str:
    """The name of an object that holds a string literal."""
    file = body.file
    if id(node) in file.static:
        return file.static[id(node)][1]
    letters = [*letters_of(node), 0]
    file.strings += 1
    name = f"__string{file.strings}"
    file.static[id(node)] = (node, name)
    cells = {i: build.integer(c) for i, c in enumerate(letters)}
    file.objects[name] = object_of(name, Array(CHAR, len(letters)), Storage.STATIC, body.origin, cells, True)
    return name


def is_plain(body: Body, node: Any) -> bool:
    """Whether an expression has neither effects nor accesses of memory: it is one formula."""
    match node:
        case c_ast.Constant():
            return "string" not in node.type
        case c_ast.ID():
            return isinstance(meaning(body, node.name), InRegister | Constant)
        case c_ast.UnaryOp(op="-") if not is_overflow_passed(body.file.choices):
            return False
        case c_ast.UnaryOp(op=("!" | "-" | "+" | "~")):
            return is_plain(body, node.expr)
        case c_ast.BinaryOp(op=op):
            partial = _UNDEFINED if is_overflow_passed(body.file.choices) else (*_UNDEFINED, *_MAY_OVERFLOW)
            return op not in partial and is_plain(body, node.left) and is_plain(body, node.right)
        case c_ast.Cast():
            return is_plain(body, node.expr)
        case _:
            return False


def fixed_value(body: Body, found: object) -> Value | None:
    """The value of a variable that keeps the constant which initialises it."""
    match found:
        case InRegister(var):
            return body.constants.get(var)
        case InMemory(Var() as address):
            return body.file.constants.get(address)
        case _:
            return None


def is_argument(body: Body, node: Any) -> bool:
    """Whether an expression is an element of what `main` was called with. Raises Unsupported where it may be another.

    That is where its second parameter is moved.
    """
    if not isinstance(node, c_ast.ArrayRef) or not isinstance(node.name, c_ast.ID) or len(body.scopes) < 2:
        return False
    if body.file.opens_arguments:
        return False
    name, function = node.name.name, body.file.bodies.get(body.name)
    if body.name != "main" or body.file.choices.entry != "main" or function is None:
        return False
    known, declared = body.scopes[0].get(name), function.decl.type.args
    second = declared is not None and len(declared.params) > 1 and getattr(declared.params[1], "name", None) == name
    known = body.scopes[1].get(name) if known is None else known
    if not (second and meaning(body, name) is known and isinstance(known, InRegister)):
        return False
    if name in body.assigned:
        raise Unsupported("SA716", "which argument this is is not known here", f"do not move `{name}`, count an index")
    return known.type == Pointer(Pointer(CHAR))


def argument(body: Body, node: c_ast.ArrayRef, index: Value) -> tuple[Value, Term, Term]:
    """A text that the program was called with, by its index, where there is one, and where there is none.

    Which one it is has to be known where it is looked at. Behind the last one there is a null pointer (C11 5.1.2.2.1).
    """
    if isinstance(node.subscript, c_ast.Constant):
        found = outside_text(body, f"argument {node.subscript.value}")
    else:
        if ARGUMENTS not in body.file.objects:
            cell = Cell("", ANY, "argument", build.ZERO)
            body.file.objects[ARGUMENTS] = Object(ARGUMENTS, (cell,), Storage.STATIC, body.origin)
        found = Value(base(ARGUMENTS), Pointer(CHAR))
    count, at = body.number_of_arguments, number(index)
    if count is None:
        return found, build.TRUE, build.TRUE
    if at is build.ZERO:
        body.file.granted[NAMED] = None
        return found, build.lt(build.ZERO, count), build.TRUE
    given = build.ite(build.lt(at, count), number(found), build.ZERO)
    return Value(given, found.type), build.TRUE, build.land(build.le(build.ZERO, at), build.le(at, count))


def argument_there(body: Body, node: c_ast.ArrayRef, index: Value) -> Value:
    """The same; the run ends where it has no name, and an index behind all of them is wrong."""
    found, named, inside = argument(body, node, index)
    for holds, otherwise in ((named, Halt()), (inside, Fail("index"))):
        if holds is not build.TRUE:
            on, off = fresh(body), fresh(body)
            decide(body, holds, on, off)
            body.here = off
            emit(body, otherwise)
            body.here = on
    return found


def outside_text(body: Body, name: str, kept: bool = False) -> Value:
    """A text from outside of the program, of a limited length; one that is `kept` may not be changed."""
    body.file.granted[outside_texts(MOST_OUTSIDE)] = None
    if name not in body.file.objects:
        made = object_of(name, Array(CHAR, MOST_OUTSIDE + 1), Storage.STATIC, body.origin, None, kept)
        last = replace(made.cells[-1], initial=build.ZERO)
        body.file.objects[name] = replace(made, cells=(*made.cells[:-1], last))
    return Value(base(name), Pointer(CHAR))
