"""`malloc`, `calloc`, `realloc`: what is allocated is said by a `sizeof`, or by the pointer that takes the address."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.base.source import position
from sa.frontends.c.allocators import without_casts
from sa.frontends.c.body import Body, InMemory, converted, emit, fresh, object_of, temporary, without_value
from sa.frontends.c.caveats import MALLOC
from sa.frontends.c.expressions import NOTHING, constant, static_type, value
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.operations import decide, load, store
from sa.frontends.c.statements import whole
from sa.frontends.c.types import (
    LONG,
    MOST_SIZED,
    ULONG,
    Array,
    CType,
    Function,
    Pointer,
    Struct,
    Void,
    cell_count,
    cells_of,
    size_of,
)
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.c.variable_length import elements
from sa.frontends.flow.graph import ANY, Allocate, Cell, Fail, Halt, Room, Set, Storage, Store, base
from sa.frontends.flow.heap import GROWN, PARTLY
from sa.frontends.flow.layout import EXTENT
from sa.frontends.flow.lives import Free, Freeable
from sa.terms import build

#: The same where arrays grow: each scalar is a variable then, and a run that needs more is noticed.
MOST_GROWN = 8


def allocate(body: Body, arguments: Sequence[Any], zero: bool) -> Value:
    """`malloc(size)`, or `calloc(number, size)` where it is to be `zero`. Memory is never short. Raises Unsupported."""
    body.file.granted[MALLOC] = None
    size = c_ast.BinaryOp("*", arguments[0], arguments[1]) if zero else arguments[0]
    if (sized := _sized(body, size)) is not None:
        return _with_extent(body, *sized, zero)
    kind, several = _fitting(body, size) or _what(body, size)
    last = flexible(kind)
    if last is not None:
        whole_kind: CType = lengthened(kind, (constant(body, size) - size_of(kind)) // max(1, size_of(last)))
    else:
        whole_kind = kind if several == 1 else Array(kind, several)
    whole(whole_kind, "what is allocated")
    name = _unused(body)
    made = object_of(name, whole_kind, Storage.HEAP, body.origin, {} if zero else None)
    body.objects[name] = replace(made, told=_told(body, zero))
    if not zero:
        without_value(body, InMemory(base(name), whole_kind))
    var = temporary(body, Pointer(kind))
    emit(body, Allocate(var, name))
    return Value(var, Pointer(kind))


def reallocate(body: Body, arguments: Sequence[Any]) -> Value:
    """`realloc(pointer, size)`: a new object with what both have room for. Raises Unsupported."""
    if is_alone(body):
        hint = "compare what is done before it"
        raise Unsupported("SA718", "`realloc` is not supported when functions are compared alone", hint)
    body.file.frees = True
    node = arguments[0].expr if isinstance(arguments[0], c_ast.Cast) else arguments[0]
    old = value(body, node)
    if body.wanted is None and isinstance(old.type, Pointer) and not isinstance(old.type.to, Void):
        body.wanted = old.type.to
    new = allocate(body, arguments[1:], False)
    if number(old) is build.ZERO:
        return new
    # What cannot be freed is not copied first.
    emit(body, Freeable(number(old)))
    assert isinstance(new.type, Pointer)
    kind, before, after = new.type.to, temporary(body, LONG), temporary(body, LONG)
    emit(body, Room(before, number(old)))
    emit(body, Room(after, number(new)))
    kinds = [inner for _, inner in cells_of(kind)]
    index = temporary(body, LONG)
    emit(body, Set(index, build.ZERO))
    head, inside, end = body.here, fresh(body), fresh(body)
    decide(body, build.land(build.lt(index, before), build.lt(index, after)), inside, end)
    body.here = inside
    for distance, inner in enumerate(kinds):
        at = build.add(index, build.integer(distance))
        found = load(body, InMemory(build.add(number(old), at), inner))
        store(body, InMemory(build.add(number(new), at), inner), found)
    emit(body, Set(index, build.add(index, build.integer(len(kinds)))), head)
    body.here = end
    emit(body, Free(number(old)))
    return new


def flexible(kind: CType) -> CType | None:
    """The type of the elements of a structure's last member, if that is an array without a size."""
    last = kind.fields[-1][1] if isinstance(kind, Struct) and kind.fields else None
    return last.of if isinstance(last, Array) and last.size is None else None


def lengthened(kind: CType, count: int) -> Struct:
    """The structure with so many elements in its last member."""
    assert isinstance(kind, Struct) and kind.fields
    name, last = kind.fields[-1]
    assert isinstance(last, Array)
    return Struct(kind.tag, (*kind.fields[:-1], (name, Array(last.of, count))), gaps=kind.gaps, aligned=kind.aligned)


def _sized(body: Body, size: Any) -> tuple[CType, Value] | None:
    """The type of what there is a number of that is not constant, and that number."""
    try:
        constant(body, size)
    except Unsupported:
        pass
    else:
        return None
    size = without_wide_casts(body, size)
    if isinstance(size, c_ast.BinaryOp) and size.op == "*":
        for one, other in ((size.left, size.right), (size.right, size.left)):
            one = without_wide_casts(body, one)
            if isinstance(one, c_ast.UnaryOp) and one.op == "sizeof":
                kind = static_type(body, one.expr)
                size_of(kind)  # raises what a size that is computed is refused for
                return kind, value(body, other)
    if body.wanted is None or not _is_complete(body.wanted):
        return None
    if flexible(body.wanted) is not None:
        return _behind(body, body.wanted, size)
    return body.wanted, _divided(body, value(body, size), size_of(body.wanted))


def _divided(body: Body, size: Value, each: int) -> Value:
    """How many objects of a size there is room for. That something is left over is a bound of the translation."""
    if each == 1:
        return size
    amount = number(converted(body, size, ULONG))
    even, odd = fresh(body), fresh(body)
    decide(body, build.eq(build.mod(amount, each), build.ZERO), even, odd)
    body.here = odd
    emit(body, Fail(PARTLY))
    body.here = even
    return Value(build.div(amount, each), ULONG)


def _behind(body: Body, kind: CType, size: Any) -> tuple[CType, Value] | None:
    """A structure whose last member has no size, and the number of its elements, of which the size speaks."""
    last, terms = flexible(kind), _summands(body, size)
    assert last is not None
    heads = [t for t in terms if _is_constant(body, t, size_of(kind))]
    others = [t for t in terms if not heads or t is not heads[0]]
    if not heads or not others:
        return None
    if len(others) == 1 and isinstance(product := without_wide_casts(body, others[0]), c_ast.BinaryOp):
        for each, count in ((product.left, product.right), (product.right, product.left)):
            if product.op == "*" and _is_constant(body, each, size_of(last)):
                return kind, value(body, count)
    return kind, _divided(body, value(body, reduce(lambda x, y: c_ast.BinaryOp("+", x, y), others)), size_of(last))


def _summands(body: Body, node: Any) -> list[Any]:
    """The expressions of which one is the sum."""
    node = without_wide_casts(body, node)
    if isinstance(node, c_ast.BinaryOp) and node.op == "+":
        return [*_summands(body, node.left), *_summands(body, node.right)]
    return [node]


def _is_complete(kind: CType) -> bool:
    return not isinstance(kind, Void | Function) and not (isinstance(kind, Struct) and kind.fields is None)


def _is_constant(body: Body, node: Any, wanted: int) -> bool:
    try:
        return constant(body, node) == wanted
    except Unsupported:
        return False


def without_wide_casts(body: Body, node: Any) -> Any:
    """An expression without casts to types that every size fits into."""
    while isinstance(node, c_ast.Cast) and size_of(static_type(body, node)) == size_of(ULONG):
        node = node.expr
    return node


def _with_extent(body: Body, kind: CType, count: Value, zero: bool) -> Value:
    """An array of as many elements as a number says, of at most MOST_SIZED: what more there is, is not looked at."""
    last = flexible(kind)
    each = max(1, cell_count(kind if last is None else last))
    grows = body.file.reallocates and last is None
    most = (MOST_GROWN if grows else MOST_SIZED) // each
    body.file.sized = body.file.sized if grows else MOST_SIZED
    wanted = number(count)
    fits = build.land(build.le(build.ZERO, wanted), build.le(wanted, build.integer(most)))
    on, off = fresh(body), fresh(body)
    decide(body, fits, on, off)
    body.here = off
    emit(body, Fail(GROWN) if grows else Halt())
    body.here = on
    name = _unused(body)
    whole_kind = Array(kind, most) if last is None else lengthened(kind, most)
    made = object_of(name, whole_kind, Storage.HEAP, body.origin, {} if zero else None)
    if not zero:
        without_value(body, InMemory(base(name), whole_kind))
    extent = Cell(".__extent", ANY, EXTENT, build.ZERO, True)
    body.objects[name] = replace(made, cells=(*made.cells, extent), told=_told(body, zero))
    var = temporary(body, Pointer(kind))
    emit(body, Allocate(var, name))
    length = build.scale(elements(whole_kind, kind if last is None else last), wanted)
    emit(body, Store(build.add(var, build.integer(len(made.cells))), length, EXTENT, "index"))
    return Value(var, Pointer(kind))


def _unused(body: Body) -> str:
    name = f"heap{len(body.objects) + 1}"
    while name in body.objects or any(v.name == name for v in body.registers):
        name += "_"
    return name


def _told(body: Body, zero: bool) -> str:
    """What an object is called in runs: `malloc@7`, after the line that makes it."""
    span = body.origin.span
    line = "" if span is None else f"@{position(span.source, span.start).line}"
    return f"{'calloc' if zero else 'malloc'}{line}"


def _fitting(body: Body, node: Any) -> tuple[CType, int] | None:
    """As many objects as there is room for, of the type that the pointer which takes the address points to."""
    kind = body.wanted
    if kind is None or not _is_complete(kind) or _says_another(body, node, kind):
        return None
    try:
        room = constant(body, node)
    except Unsupported:
        return None
    if room < size_of(kind):
        raise Unsupported("SA715", f"{room} bytes are too few for what is pointed to, which has {size_of(kind)}")
    return kind, room // size_of(kind)


def _says_another(body: Body, node: Any, kind: CType) -> bool:
    """Whether a size is that of another structure, of which what is pointed to may be a part."""
    node = without_wide_casts(body, node)
    parts = (node.left, node.right) if isinstance(node, c_ast.BinaryOp) and node.op == "*" else (node,)
    named = [static_type(body, p.expr) for p in parts if isinstance(p, c_ast.UnaryOp) and p.op == "sizeof"]
    return any(isinstance(n, Struct) and n != kind for n in named)


def _what(body: Body, node: Any) -> tuple[CType, int]:
    """The type and the number of what has this size, which is constant."""
    node = without_casts(node)
    factors = (
        ((node.left, node.right), (node.right, node.left)) if isinstance(node, c_ast.BinaryOp) else ((node, None),)
    )
    for one, other in factors:
        if isinstance(one, c_ast.UnaryOp) and one.op == "sizeof" and (other is None or node.op == "*"):
            return static_type(body, one.expr), 1 if other is None else constant(body, other)
    hint = "assign it to a pointer that has a type, or give its size with `sizeof`"
    raise Unsupported("SA715", "what this memory is for is not known", hint)


def free(body: Body, arguments: Sequence[Any]) -> Value:
    """`free(pointer)`. Raises Unsupported where a function is compared alone."""
    if is_alone(body):
        hint = "compare what is done before it"
        raise Unsupported("SA718", "`free` is not supported when functions are compared alone", hint)
    emit(body, Free(number(value(body, arguments[0]))))
    body.file.frees = True
    return NOTHING
