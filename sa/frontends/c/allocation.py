"""`malloc` and `calloc`: what is allocated is said by a `sizeof`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, emit, object_of, temporary
from sa.frontends.c.expressions import constant, static_type
from sa.frontends.c.statements import whole
from sa.frontends.c.types import Array, CType, Pointer, Struct, size_of
from sa.frontends.c.values import Unsupported, Value
from sa.frontends.flow.graph import Allocate, Storage


def allocate(body: Body, arguments: Sequence[Any], zero: bool) -> Value:
    """`malloc(size)`, or `calloc(number, size)` where it is to be `zero`. Memory is never short. Raises Unsupported."""
    size = c_ast.BinaryOp("*", arguments[0], arguments[1]) if zero else arguments[0]
    kind, number = _fitting(body, size) or _what(body, size)
    whole_kind = kind if number == 1 else Array(kind, number)
    whole(whole_kind, "what is allocated")
    name = f"heap{len(body.objects) + 1}"
    while name in body.objects or any(v.name == name for v in body.registers):
        name += "_"
    body.objects[name] = object_of(body.file, name, whole_kind, Storage.HEAP, body.origin, {} if zero else None)
    var = temporary(body, Pointer(kind))
    emit(body, Allocate(var, name))
    return Value(var, Pointer(kind))


def _fitting(body: Body, node: Any) -> tuple[CType, int] | None:
    """As many objects as there is room for, of the type that the pointer which takes the address points to."""
    kind = body.wanted
    if kind is None or (isinstance(kind, Struct) and kind.fields is None):
        return None
    try:
        room = constant(body, node)
    except Unsupported:
        return None
    if room < size_of(kind):
        raise Unsupported("SA715", f"{room} bytes are too few for what is pointed to, which has {size_of(kind)}")
    return kind, room // size_of(kind)


def _what(body: Body, node: Any) -> tuple[CType, int]:
    """The type and the number of what has this size."""
    match node:
        case c_ast.UnaryOp(op="sizeof"):
            return static_type(body, node.expr), 1
        case c_ast.BinaryOp(op="*"):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, c_ast.UnaryOp) and one.op == "sizeof":
                    try:
                        number = constant(body, other)
                    except Unsupported:
                        hint = "allocate a constant number of elements"
                        raise Unsupported("SA715", "an allocation of a size that is not constant", hint) from None
                    return static_type(body, one.expr), number
            raise Unsupported("SA715", "an allocation without `sizeof`", "say what is allocated with `sizeof`")
        case c_ast.Cast():
            return _what(body, node.expr)
        case _:
            raise Unsupported("SA715", "an allocation without `sizeof`", "say what is allocated with `sizeof`")
