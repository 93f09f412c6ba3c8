"""Distances of fields from the start of a structure: `offsetof`, and `&((T *) 0)->field` as it was written before.

Objects are made of scalars and not of bytes, so that a distance has two measures. A pointer to bytes that is moved by
one of these forms, as `container_of` does, is moved by scalars.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct as Record
from pycparser import c_ast

from sa.frontends.c.body import Body
from sa.frontends.c.declare import Constants, type_of
from sa.frontends.c.types import Array, CType, Int, Pointer, Struct, Void, byte_of, cell_count, offset_of, size_of
from sa.frontends.c.values import Unsupported, Value, number
from sa.terms import build


class Distance(Record, frozen=True):
    """How far a field is from the start, in bytes and in scalars."""

    bytes: int
    cells: int


def distance_of(body: Body, node: Any, constant: Constants) -> Distance | None:
    """The distance that an expression says by a field; None if it is no such expression. Raises Unsupported."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name == "offsetof":
        kind = type_of(body, node.args.exprs[0], constant)
        return _along(body, kind, node.args.exprs[1], constant)[0]
    if isinstance(node, c_ast.UnaryOp) and node.op == "&":
        return _from_null(body, node.expr, constant)
    return None


def _from_null(body: Body, node: Any, constant: Constants) -> Distance | None:
    """The distance of `((T *) 0)->field`, with more behind it."""
    if isinstance(node, c_ast.StructRef) and node.type == "->" and _is_null(node.name):
        kind = type_of(body, node.name.to_type, constant)
        if isinstance(kind, Pointer):
            return _along(body, kind.to, node.field, constant)[0]
    if isinstance(node, c_ast.StructRef) and node.type == "." and (outer := _from_null(body, node.name, constant)):
        raise Unsupported("SA714", f"a field of a field {outer.bytes} bytes behind null", "use `offsetof`")
    return None


def _is_null(node: Any) -> bool:
    return (
        isinstance(node, c_ast.Cast) and isinstance(node.expr, c_ast.Constant) and node.expr.value in ("0", "0L", "0UL")
    )


def _along(body: Body, kind: CType, node: Any, constant: Constants) -> tuple[Distance, CType]:
    """The distance of what a designator means from the start of an object of the type, and its type."""
    match node:
        case c_ast.ID():
            if isinstance(kind, Struct) and kind.members is None and (found := offset_of(kind, node.name)) is not None:
                return Distance(byte_of(kind, node.name), found[0]), found[1]
        case c_ast.StructRef():
            outer, inner = _along(body, kind, node.name, constant)
            here, last = _along(body, inner, node.field, constant)
            return Distance(outer.bytes + here.bytes, outer.cells + here.cells), last
        case c_ast.ArrayRef():
            outer, inner = _along(body, kind, node.name, constant)
            if isinstance(inner, Array):
                index = constant(body, node.subscript)
                step = Distance(index * size_of(inner.of), index * cell_count(inner.of))
                return Distance(outer.bytes + step.bytes, outer.cells + step.cells), inner.of
        case _:
            pass
    raise Unsupported("SA719", "`offsetof` of what is no field")


def by_field(op: str, pointer: Value, distance: Distance) -> Value | None:
    """A pointer to bytes moved by the distance of a field, as `container_of` does."""
    if op not in ("+", "-") or not isinstance(pointer.type, Pointer) or not isinstance(pointer.type.to, Int | Void):
        return None
    if isinstance(pointer.type.to, Int) and pointer.type.to.bits != 8:
        return None
    return Value(build.add(number(pointer), build.integer(distance.cells * (1 if op == "+" else -1))), pointer.type)
