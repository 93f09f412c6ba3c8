"""`memset`, `memcpy` and their like: with constant sizes, of whole objects, a scalar a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory
from sa.frontends.c.expressions import NOTHING, constant, value
from sa.frontends.c.operations import load, store
from sa.frontends.c.types import INT, Array, CType, Function, Int, Pointer, Void, cells_of, size_of
from sa.frontends.c.values import Unsupported, Value, number
from sa.terms import build
from sa.terms.term import Term


def _target(body: Body, node: Any) -> tuple[Term, CType]:
    """What a pointer points to, whatever it is cast to."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    pointer = value(body, node)
    if not isinstance(pointer.type, Pointer) or isinstance(pointer.type.to, Void | Function):
        raise Unsupported("SA716", "what this points to is not known here", "assign the fields or elements instead")
    return number(pointer), pointer.type.to


def _cells(body: Body, kind: CType, size: Any) -> list[CType]:
    """The scalars that so many bytes are, from an object of the type on."""
    number_of_bytes, each = constant(body, size), size_of(kind)
    if number_of_bytes % each:
        raise Unsupported("SA716", f"{number_of_bytes} bytes are no number of objects of {each} bytes")
    return [inner for _, inner in cells_of(Array(kind, number_of_bytes // each))]


def _set_to(body: Body, where: Term, kinds: Sequence[CType], byte: int) -> None:
    for offset, kind in enumerate(kinds):
        if byte % 256 and not (isinstance(kind, Int) and kind.bits == 8 and kind.name != "_Bool"):
            raise Unsupported("SA716", "bytes that are not 0 in an object of a larger type")
        store(body, InMemory(build.add(where, build.integer(offset)), kind), Value(build.integer(byte), INT))


def _filled(body: Body, arguments: Sequence[Any]) -> Value:
    """`memset` with constants."""
    where, kind = _target(body, arguments[0])
    _set_to(body, where, _cells(body, kind, arguments[2]), constant(body, arguments[1]))
    return Value(where, Pointer(kind))


def _cleared(body: Body, arguments: Sequence[Any]) -> Value:
    where, kind = _target(body, arguments[0])
    _set_to(body, where, _cells(body, kind, arguments[1]), 0)
    return NOTHING


def _copied(body: Body, arguments: Sequence[Any]) -> Value:
    """`memcpy` and `memmove` with a constant size, a scalar a step; all of them are read first."""
    to, kind = _target(body, arguments[0])
    source, _ = _target(body, arguments[1])
    kinds = _cells(body, kind, arguments[2])
    found = [load(body, InMemory(build.add(source, build.integer(n)), k)) for n, k in enumerate(kinds)]
    for offset, (inner, one) in enumerate(zip(kinds, found, strict=True)):
        store(body, InMemory(build.add(to, build.integer(offset)), inner), one)
    return Value(to, Pointer(kind))


BLOCKS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "memset": _filled,
    "memcpy": _copied,
    "memmove": _copied,
    "bzero": _cleared,
}
