"""Arrays of blocks whose size is computed (C11 6.7.6.2)."""

from __future__ import annotations

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Body, converted, emit, fresh, temporary
from sa.frontends.c.declare import type_of
from sa.frontends.c.expressions import constant, value
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.operations import decide, demand
from sa.frontends.c.types import LONG, MOST_SIZED, Array, Counted, CType, cell_count, rows_of
from sa.frontends.c.values import Unsupported, number
from sa.frontends.flow.graph import ANY, Cell, Halt, Object, Set, Store, base
from sa.frontends.flow.layout import EXTENT
from sa.terms import build

_SIZE = "the size of an array whose size is not constant is not accepted here"


def computed_array(body: Body, node: c_ast.Decl) -> Array | None:
    """The type of an array whose size is computed at its declaration; None for any other. Raises Unsupported.

    It has at most as many elements as memory of a computed size has: what needs more is not looked at.
    """
    declared = node.type
    if (
        not isinstance(declared, c_ast.ArrayDecl)
        or declared.dim is None
        or node.storage
        or _is_constant(body, declared)
    ):
        return None
    if is_alone(body):
        what = "an array whose size is not constant is not supported when functions are compared alone"
        raise Unsupported("SA718", what, "give it a constant size")
    if node.init is not None:
        raise Unsupported("SA711", "an array with first values whose size is not constant", "assign its elements")
    of, count = type_of(body, declared.type, constant), temporary(body, LONG)
    emit(body, Set(count, number(converted(body, value(body, declared.dim), LONG))))
    demand(body, build.lt(build.ZERO, count), "undefined")
    most = MOST_SIZED // max(1, cell_count(of))
    fits, larger = fresh(body), fresh(body)
    decide(body, build.le(count, build.integer(most)), fits, larger)
    body.here = larger
    emit(body, Halt())
    body.here = fits
    body.file.sized = MOST_SIZED
    return Array(of, most, Counted(count, Unsupported("SA711", _SIZE, "multiply `sizeof` of an element")))


def elements(whole: CType, kind: CType) -> int:
    """How many elements that are told apart in memory one of an array is, whose number is computed.

    It is the `whole` object or its last member. Of arrays of arrays the innermost elements are told apart, and of small
    objects the scalars. Raises Unsupported.
    """
    rows = list(rows_of(whole))
    if not rows and isinstance(whole, Array):
        return max(1, cell_count(kind))
    innermost = kind
    while isinstance(innermost, Array):
        innermost = innermost.of
    if len(rows) != 1 or len(rows[0].paths) != cell_count(innermost):
        what = "a computed number of objects that have large arrays in them is not accepted"
        raise Unsupported("SA715", what, "give the arrays at most 64 elements")
    return cell_count(kind) // max(1, cell_count(innermost))


def _is_constant(body: Body, declared: c_ast.ArrayDecl) -> bool:
    try:
        constant(body, declared.dim)
    except Unsupported:
        return False
    return True


def with_extent(made: Object, kind: CType) -> Object:
    """The object with a cell for the number of its elements, where that is computed."""
    if not isinstance(kind, Array) or kind.counted is None:
        return made
    return replace(made, cells=(*made.cells, Cell(".__extent", ANY, EXTENT, build.ZERO, True)))


def set_extent(body: Body, made: Object, kind: CType) -> None:
    """Store the number of its elements, where that is computed."""
    if isinstance(kind, Array) and kind.counted is not None:
        place = build.add(base(made.name), build.integer(len(made.cells) - 1))
        emit(body, Store(place, build.scale(elements(kind, kind.of), kind.counted.number), EXTENT, "index"))
