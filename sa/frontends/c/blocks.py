"""`memset`, `memcpy` and their like: of whole objects with constant sizes, of scalars with any; a scalar a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.allocation import without_wide_casts
from sa.frontends.c.body import Body, InMemory, emit, fresh, seen_as, temporary
from sa.frontends.c.caveats import OVERLAP
from sa.frontends.c.expressions import NOTHING, constant, static_type, value
from sa.frontends.c.externs import between
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.operations import decide, demand, load, store
from sa.frontends.c.types import (
    CHAR,
    INT,
    LONG,
    Array,
    CType,
    Function,
    Int,
    Pointer,
    Void,
    cell_count,
    cells_of,
    is_scalar,
    size_of,
)
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Fail, Set, Step
from sa.terms import build
from sa.terms.term import Term, Var


def _target(body: Body, node: Any) -> tuple[Term, CType]:
    """What a pointer points to, whatever it is cast to."""
    pointer = value(body, _uncast(node))
    if not isinstance(pointer.type, Pointer) or isinstance(pointer.type.to, Void | Function):
        raise Unsupported("SA716", "what this points to is not known here", "assign the fields or elements instead")
    return number(pointer), pointer.type.to


def _uncast(node: Any) -> Any:
    return _uncast(node.expr) if isinstance(node, c_ast.Cast) else node


def _both(body: Body, one: Any, two: Any) -> tuple[tuple[Term, CType], tuple[Term, CType]]:
    """What two pointers point to: where that of one is not known, it is what the other one points to."""
    pointers = [value(body, _uncast(node)) for node in (one, two)]
    known = [p.type.to for p in pointers if isinstance(p.type, Pointer) and not isinstance(p.type.to, Void | Function)]
    if len(known) == 1 and all(isinstance(p.type, Pointer) for p in pointers):
        seen_as(body.file, known[0])
        known *= 2
    if len(known) != 2:
        raise Unsupported("SA716", "what this points to is not known here", "assign the fields or elements instead")
    return (number(pointers[0]), known[0]), (number(pointers[1]), known[1])


def _cells(body: Body, kind: CType, size: Any) -> list[CType]:
    """The scalars that so many bytes are, from an object of the type on."""
    number_of_bytes, each = constant(body, size), size_of(kind)
    if number_of_bytes % each:
        raise Unsupported("SA716", f"{number_of_bytes} bytes are not a multiple of the size of an object, {each}")
    return [inner for _, inner in cells_of(Array(kind, number_of_bytes // each))]


def _count(body: Body, kind: CType, size: Any) -> Term | None:
    """How many scalars of the type a size is that is not constant; None if it is constant. Raises Unsupported."""
    try:
        constant(body, size)
    except Unsupported:
        pass
    else:
        return None
    if not is_scalar(kind):
        raise Unsupported("SA716", "a size that is not constant, of what is no scalar", "copy the fields in a loop")
    size = without_wide_casts(body, size)
    if size_of(kind) == 1:
        return number(value(body, size))
    if isinstance(size, c_ast.UnaryOp) and size.op == "sizeof":
        whole = static_type(body, size.expr)
        if isinstance(whole, Array) and whole.counted is not None and size_of(whole.of) == size_of(kind):
            return whole.counted.number
    if isinstance(size, c_ast.BinaryOp) and size.op == "*":
        for one, other in ((size.left, size.right), (size.right, size.left)):
            if isinstance(one, c_ast.UnaryOp) and one.op == "sizeof" and constant(body, one) == size_of(kind):
                return number(value(body, other))
    raise Unsupported("SA716", "a size that is no number of elements", "write the number times `sizeof`")


def _each(body: Body, count: Term, act: Callable[[Var], None]) -> None:
    """Do something for each number below a count."""
    body.file.moves = True
    index, most = temporary(body, LONG), temporary(body, LONG)
    emit(body, Set(most, count))
    # A size has no sign: what is below 0 is larger than any object.
    on, off = fresh(body), fresh(body)
    decide(body, build.le(build.ZERO, most), on, off)
    body.steps.append(Step(off, Fail("index"), fresh(body), body.origin))
    body.here = on
    emit(body, Set(index, build.ZERO))
    head, inside, after = body.here, fresh(body), fresh(body)
    decide(body, build.lt(index, most), inside, after)
    body.here = inside
    act(index)
    emit(body, Set(index, build.add(index, build.ONE)), head)
    body.here = after


def _place(body: Body, address: Term, kind: CType) -> InMemory:
    """A scalar of which the bytes are accessed, which is no atomic access whatever its type is."""
    atomic = isinstance(kind, Int | Pointer) and kind.atomic and not is_alone(body)
    return InMemory(address, replace(kind, atomic=False) if atomic else kind)


def _set_to(body: Body, where: Term, kinds: Sequence[CType], byte: int) -> None:
    for offset, kind in enumerate(kinds):
        if byte % 256 and not (isinstance(kind, Int) and kind.bits == 8 and kind.name != "_Bool"):
            raise Unsupported("SA716", "bytes that are not 0 in an object of a larger type")
        store(body, _place(body, build.add(where, build.integer(offset)), kind), Value(build.integer(byte % 256), INT))


def _filled(body: Body, arguments: Sequence[Any]) -> Value:
    """`memset` with constants."""
    where, kind = _target(body, arguments[0])
    byte = constant(body, arguments[1])
    if (count := _count(body, kind, arguments[2])) is not None:
        _each(body, count, lambda index: _set_to(body, build.add(where, index), [kind], byte))
    else:
        kinds = _cells(body, kind, arguments[2])
        body.file.moves |= len(kinds) > cell_count(kind)
        _set_to(body, where, kinds, byte)
    return Value(where, Pointer(kind))


def _cleared(body: Body, arguments: Sequence[Any]) -> Value:
    where, kind = _target(body, arguments[0])
    _set_to(body, where, _cells(body, kind, arguments[1]), 0)
    return NOTHING


def _apart(body: Body, one: Term, other: Term, count: Term, more: Term | None = None) -> None:
    """Undefined where so many scalars from two addresses on overlap, of the other one perhaps `more` (C11 7.24.2.1).

    Alone, where objects lie is not known: of two pointers of which not both are into one named object it is taken.
    """
    bases = [[v for v in term.free if v.name.startswith("&")] for term in (one, other)]
    if all(len(b) == 1 for b in bases):
        if bases[0] != bases[1]:
            return
        one, other = (build.sub(term, bases[0][0]) for term in (one, other))
    elif is_alone(body):
        body.file.granted[OVERLAP] = None
        return
    counts = count, count if more is None else more
    before, behind = build.le(build.add(one, counts[0]), other), build.le(build.add(other, counts[1]), one)
    demand(body, build.lor(before, behind, *(build.le(c, build.ZERO) for c in counts)), "undefined")


def _texts_apart(body: Body, arguments: Sequence[Any]) -> Value:
    """The same of letters from two addresses on, each with its number, as the library says it."""
    one, count, other, more = (number(value(body, a)) for a in arguments)
    _apart(body, one, other, count, more)
    return NOTHING


def _copied(body: Body, arguments: Sequence[Any], apart: bool = True) -> Value:
    """`memcpy` and `memmove` with a constant size, a scalar a step; all of them are read first."""
    (to, kind), (source, other) = _both(body, arguments[0], arguments[1])
    if other != kind:
        seen_as(body.file, kind)
    if (count := _count(body, kind, arguments[2])) is not None:

        def one(index: Var) -> None:
            found = load(body, _place(body, build.add(source, index), kind))
            store(body, _place(body, build.add(to, index), kind), found)

        if apart:
            _apart(body, to, source, count)
        _each(body, count, one)
        return Value(to, Pointer(kind))
    kinds = _cells(body, kind, arguments[2])
    body.file.moves |= len(kinds) > cell_count(kind)
    if apart:
        _apart(body, to, source, build.integer(len(kinds)))
    found = [load(body, _place(body, build.add(source, build.integer(n)), k)) for n, k in enumerate(kinds)]
    for offset, (inner, new) in enumerate(zip(kinds, found, strict=True)):
        store(body, _place(body, build.add(to, build.integer(offset)), inner), new)
    return Value(to, Pointer(kind))


def _moved(body: Body, arguments: Sequence[Any]) -> Value:
    """`memmove`, where all is read first."""
    constant(body, arguments[2])
    return _copied(body, arguments, apart=False)


def _bytes_below(one: Term, two: Term, size: int) -> Term:
    """Whether the first byte in memory that differs, the lowest one of a number, is less in the first number."""
    below: Term = build.FALSE
    for place in reversed(range(size)):
        a, b = (build.mod(build.div(v, 256**place), 256) if size > 1 else v for v in (one, two))
        below = build.lor(build.lt(a, b), build.land(build.eq(a, b), below))
    return below


def _compared(body: Body, arguments: Sequence[Any]) -> Value:
    """`memcmp` of objects of one type: 0, or the sign that the first bytes that differ have. All are read.

    Of larger scalars the sign may be any, but where programs are compared: what is chosen there has to be seen.
    """
    (one, kind), (two, other) = _both(body, arguments[0], arguments[1])
    if size_of(kind) != size_of(other) or [type(k) for _, k in cells_of(kind)] != [type(k) for _, k in cells_of(other)]:
        raise Unsupported("SA716", "objects of different types are compared", "compare their fields or elements")
    if sum(size_of(k) for _, k in cells_of(kind)) != size_of(kind):
        raise Unsupported("SA716", "bytes between the fields are compared", "compare the fields")
    seen_as(body.file, CHAR)
    exact = body.file.choices.visible
    less, more = between(body, -(2**31), -1), between(body, 1, 2**31 - 1)
    sign = between(body, 0, 1)

    def step(result: Term, index: Term, left: CType, right: CType) -> Term:
        pair = [number(load(body, _place(body, build.add(w, index), k))) for w, k in ((one, left), (two, right))]
        if exact or size_of(left) == 1:
            pair = [build.mod(v, 2 ** (8 * size_of(left))) for v in pair]
            below = _bytes_below(pair[0], pair[1], size_of(left))
        else:
            below = build.eq(number(sign), build.ZERO)
        differs = build.land(build.eq(result, build.ZERO), build.ne(*pair))
        return build.ite(differs, build.ite(below, number(less), number(more)), result)

    if (count := _count(body, kind, arguments[2])) is not None:
        result = temporary(body, INT)
        emit(body, Set(result, build.ZERO))
        _each(body, count, lambda index: emit(body, Set(result, step(result, index, kind, other))))
        return Value(result, INT)
    term: Term = build.ZERO
    pairs = zip(_cells(body, kind, arguments[2]), _cells(body, other, arguments[2]), strict=True)
    for place, (left, right) in enumerate(pairs):
        term = step(term, build.integer(place), left, right)
    return Value(term, INT)


BLOCKS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "memset": _filled,
    "memcpy": _copied,
    "memmove": _moved,
    "memcmp": _compared,
    "bcmp": _compared,
    "bzero": _cleared,
    "__sacheck_apart": _texts_apart,
}
