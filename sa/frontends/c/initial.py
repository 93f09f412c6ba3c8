"""Initialisers (C11 6.7.9): which expression each scalar of an object gets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, Part, converted, emit, object_of
from sa.frontends.c.constants import letters_of
from sa.frontends.c.controlling import ends_of, may_be_constant
from sa.frontends.c.declare import type_of
from sa.frontends.c.expressions import constant, static_type, value
from sa.frontends.c.operations import store
from sa.frontends.c.types import (
    INT,
    LONG,
    VOID,
    Array,
    CType,
    Int,
    Pointer,
    Struct,
    bits_of,
    cell_count,
    cells_of,
    is_scalar,
    offset_of,
)
from sa.frontends.c.unions import leaves
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Live, Step, Storage, Store, base
from sa.terms import build
from sa.terms.term import Int as Number
from sa.terms.term import Term


def completed(body: Body, kind: CType, init: Any) -> CType:
    """The type with the size that its initialiser gives an array without one."""
    if not isinstance(kind, Array) or kind.size is not None or init is None:
        return kind
    if isinstance(init, c_ast.Constant):
        return Array(kind.of, len(_letters(init)))
    width = max(1, cell_count(kind.of))
    most = max((offset for offset, _, _ in scalars(body, Array(kind.of, 2**20), init)), default=-1)
    return Array(kind.of, -(-(most + 1) // width))


def _letters(init: c_ast.Constant) -> list[int]:
    return [*letters_of(init), 0]


def scalars(body: Body, kind: CType, init: Any, offset: int = 0) -> Iterator[tuple[int, CType, Any]]:
    """The expressions of an initialiser with the offsets and types of the scalars that they are for."""
    if isinstance(kind, Struct) and kind.opaque and isinstance(init, c_ast.InitList):
        yield from _of_library(body, kind, list(_flat(init)), offset)
        return
    if isinstance(kind, Struct) and kind.members is not None and kind.fields is not None:
        try:
            bits = _united(body, kind, init)
        except Unsupported:
            # Its bits are not known here: the whole union is one item.
            if not isinstance(init, c_ast.InitList):
                raise
            yield offset, kind, init
        else:
            yield offset, kind.fields[0][1], c_ast.Constant("unsigned long int", f"{bits}UL")
        return
    if isinstance(kind, Array) and isinstance(init, c_ast.Constant) and "string" in init.type:
        for number_, letter in enumerate(_letters(init)[: kind.size]):
            yield offset + number_, kind.of, c_ast.Constant("int", str(letter))
        return
    if is_scalar(kind):
        if isinstance(init, c_ast.InitList):
            init = init.exprs[0] if init.exprs else c_ast.Constant("int", "0")
        yield offset, kind, init
        return
    if not isinstance(init, c_ast.InitList):
        raise Unsupported("SA719", "this initialiser is not accepted")
    yield from _listed(body, kind, list(init.exprs), offset)


def _of_library(body: Body, kind: Struct, items: list[Any], offset: int) -> Iterator[tuple[int, CType, Any]]:
    """The members that an initialiser of a library's structure gives values, with what they get. Raises Unsupported.

    Zeros for more members than there are here, as files have them that were preprocessed elsewhere, say that it is new.
    """
    kinds = [inner for _, inner in cells_of(kind)]
    if len(items) <= len(kinds):
        yield from ((offset + i, inner, e) for i, (inner, e) in enumerate(zip(kinds, items, strict=False)))
    elif any(constant(body, item) for item in items):
        hint = "use the macro of the header, or initialise it by a call"
        raise Unsupported("SA719", "the meaning of this initialiser is not known", hint)


def _united(body: Body, kind: Struct, init: Any) -> int:
    """The number that a union is at first. Raises Unsupported."""
    bits = 0
    for start, kind_, expression in _parts(body, kind, init):
        made = number(converted(body, Value(build.integer(constant(body, expression)), LONG), kind_))
        assert isinstance(made, Number)
        bits += made.value % 2 ** bits_of(kind_) << start
    return bits


def _parts(body: Body, kind: Struct, init: Any) -> Iterator[tuple[int, CType, Any]]:
    """The expressions of a union's initialiser, with the first bits and types of what they are for."""
    hint = "assign its members instead"
    if not isinstance(init, c_ast.InitList) or len(init.exprs) > 1 or not kind.members:
        raise Unsupported("SA712", "this initialiser of a union is not accepted", hint)
    item: Any = init.exprs[0] if init.exprs else c_ast.InitList([])
    chosen = kind.members[0][1]
    if isinstance(item, c_ast.NamedInitializer):
        named, item = item.name, item.expr
        chosen = dict(kind.members).get(named[0].name if isinstance(named[0], c_ast.ID) else "", VOID)
        if len(named) > 1 or chosen == VOID:
            raise Unsupported("SA712", "this initialiser of a union is not accepted", hint)
    found = list(leaves(chosen))
    for place, _, expression in scalars(body, chosen, item):
        yield (*found[place], expression)


def _only(kind: CType, init: c_ast.InitList) -> tuple[CType, Any]:
    """The expression for a union that begins with an address, as the number that all its bytes are."""
    assert isinstance(kind, Struct) and kind.members and kind.fields  # no other type has a list as its one item
    item, chosen = init.exprs[0], kind.members[0][1]
    if isinstance(item, c_ast.NamedInitializer):
        chosen = dict(kind.members)[item.name[0].name] if len(item.name) == 1 else VOID
        item = item.expr
    if not isinstance(chosen, Pointer) or isinstance(item, c_ast.InitList):
        raise Unsupported("SA719", "this initialiser is not constant")
    return kind.fields[0][1], item


def _flat(init: c_ast.InitList) -> Iterator[Any]:
    for inner in init.exprs:
        if isinstance(inner, c_ast.InitList):
            yield from _flat(inner)
        else:
            yield inner


def _listed(body: Body, kind: CType, items: list[Any], offset: int) -> Iterator[tuple[int, CType, Any]]:
    """The items of a list in braces."""
    position = 0
    while items:
        item = items.pop(0)
        if isinstance(item, c_ast.NamedInitializer):
            item, *others = _each(body, item)
            items[:0] = others
            position = _designated(body, kind, item.name[0])
            if len(item.name) > 1:
                rest = c_ast.NamedInitializer(item.name[1:], item.expr)
                start, inner = _part(kind, position)
                # What follows goes on inside of it (C11 6.7.9, paragraph 17).
                inside = items[: _following(body, inner, item.name[1:], items)]
                del items[: len(inside)]
                yield from _inside(body, inner, [rest, *inside], offset + start)
                position += 1
                continue
            item = item.expr
        start, inner = _part(kind, position)
        if is_scalar(inner) or isinstance(item, c_ast.InitList) or _is_text(inner, item):
            yield from scalars(body, inner, item, offset + start)
        elif isinstance(inner, Struct) and inner.members is not None and not _is_whole(body, item):
            raise Unsupported("SA712", "an initialiser of a union without braces", "put it into braces")
        elif isinstance(inner, Struct | Array) and not _is_whole(body, item):
            # Braces were left out: the list goes on inside.
            count = sum(1 for _ in cells_of(inner))
            taken = [item, *items[: count - 1]]
            del items[: count - 1]
            yield from _listed(body, inner, taken, offset + start)
        else:
            yield offset + start, inner, item
        position += 1


def _inside(body: Body, kind: CType, items: list[Any], offset: int) -> Iterator[tuple[int, CType, Any]]:
    """The items of a list that goes on inside of an object."""
    if isinstance(kind, Struct) and kind.members is not None:
        return scalars(body, kind, c_ast.InitList(items), offset)
    return _listed(body, kind, items, offset)


def _following(body: Body, kind: CType, names: Sequence[Any], items: Sequence[Any]) -> int:
    """How many items without a name belong to an object behind the part that names designate. Raises Unsupported."""
    here, inner = 0, kind
    if isinstance(kind, Struct) and kind.members is not None:
        return 0
    for name in names:
        ends = ends_of(getattr(name, "expr", name))
        position = _designated(body, inner, name) if ends is None else constant(body, ends[1])
        start, inner = _part(inner, position)
        here += start
    room = sum(1 for _ in cells_of(kind)) - here - (1 if is_scalar(inner) else sum(1 for _ in cells_of(inner)))
    unnamed = list(takewhile(lambda i: not isinstance(i, c_ast.NamedInitializer), items))[:room]
    if any(isinstance(i, c_ast.InitList) for i in unnamed):
        hint = "name the part that they are for"
        raise Unsupported("SA712", "braces behind a designator of a part are not accepted", hint)
    return len(unnamed)


#: So many elements a range of an initialiser may name.
_MOST_NAMED = 1 << 16


def _each(body: Body, item: c_ast.NamedInitializer) -> list[c_ast.NamedInitializer]:
    """`[A ... B] = e` of GNU C as one initialiser for each element. Raises Unsupported."""
    name, *inner = item.name
    ends = ends_of(getattr(name, "expr", name))
    if ends is None:
        return [item]
    first, last = (constant(body, end) for end in ends)
    if not first <= last < first + _MOST_NAMED:
        raise Unsupported("SA719", "a range of no element, or of too many")
    if not may_be_constant(body, item.expr):
        # It is evaluated once for all elements.
        raise Unsupported("SA719", "an initialiser of a range that is not constant", "assign the elements in a loop")
    made = (c_ast.Constant("int", str(number_)) for number_ in range(first, last + 1))
    return [c_ast.NamedInitializer([number_, *inner], item.expr) for number_ in made]


def _is_text(kind: CType, item: Any) -> bool:
    return isinstance(kind, Array) and isinstance(item, c_ast.Constant) and "string" in item.type


def _is_whole(body: Body, item: Any) -> bool:
    return isinstance(static_type(body, item), Struct)


def _designated(body: Body, kind: CType, name: Any) -> int:
    if isinstance(kind, Struct):
        names = [n for n, _ in kind.fields or ()]
        if isinstance(name, c_ast.ID) and name.name in names:
            return names.index(name.name)
        raise Unsupported("SA719", "this designator is not accepted")
    return constant(body, name.expr if hasattr(name, "expr") else name)


def _part(kind: CType, position: int) -> tuple[int, CType]:
    """The offset and type of an element or field."""
    if isinstance(kind, Array):
        return position * cell_count(kind.of), kind.of
    if not isinstance(kind, Struct) or kind.fields is None:
        raise Unsupported("SA719", "an initialiser of a type that is not complete")
    if position >= len(kind.fields):
        raise Unsupported("SA719", "too many initialisers")
    name, inner = kind.fields[position]
    found = offset_of(kind, name)
    assert found is not None
    return found[0], inner


def first_values(body: Body, kind: CType, init: Any) -> dict[int, Term]:
    """The values that a static object begins with. Raises Unsupported."""
    found = dict[int, Term]()
    for offset, inner, expression in scalars(body, kind, init):
        before = len(body.steps)
        if isinstance(expression, c_ast.InitList):
            inner, expression = _only(inner, expression)
        made = number(converted(body, value(body, expression), inner))
        if len(body.steps) != before or any(not v.name.startswith("&") for v in made.free):
            raise Unsupported("SA719", "this initialiser is not constant")
        found[offset] = made
    return found


def constant_values(body: Body, kind: CType, init: Any) -> dict[int, Term] | None:
    """The values of an initialiser if all of them are constant: a large array gets them at once."""
    steps, here, registers = len(body.steps), body.here, dict(body.registers)
    try:
        return first_values(body, kind, init)
    except Unsupported:
        del body.steps[steps:]
        body.here, body.registers = here, registers
        return None


def initialise(body: Body, where: InMemory, init: Any, kept: str | None = None) -> None:
    """Initialise an object of a function, which may be `kept` and has this name then."""
    before = len(body.steps)
    _initialise(body, where, init)
    if kept is not None:
        body.steps[before:] = [_first(s, kept) for s in body.steps[before:]]


def _first(step: Step, name: str) -> Step:
    """The step, which gives the object its first value if it is a store there."""
    if not isinstance(step.op, Store) or base(name) not in step.op.address.free:
        return step
    return replace(step, op=replace(step.op, first=True))


def _initialise(body: Body, where: InMemory, init: Any) -> None:
    """Give an object its first values: what its initialiser does not mention is 0."""
    if isinstance(where.type, Struct) and not isinstance(init, c_ast.InitList):
        store(body, where, value(body, init))
        return
    if isinstance(where.type, Struct) and where.type.members is not None and where.type.fields is not None:
        # What the initialiser does not speak of is 0.
        unit = where.type.fields[0][1]
        assert isinstance(unit, Int)
        store(body, InMemory(where.address, unit, where.wrong), Value(build.ZERO, INT))
        for start, kind, expression in _parts(body, where.type, init):
            store(body, InMemory(where.address, kind, where.wrong, None, Part(start, unit)), value(body, expression))
        return
    written = {offset: (kind, e) for offset, kind, e in scalars(body, where.type, init)}
    covered = 0
    for offset, (_, kind) in enumerate(cells_of(where.type)):
        target = InMemory(build.add(where.address, build.integer(offset)), kind, where.wrong)
        found = written.get(offset)
        if found is not None and isinstance(found[0], Struct):
            _initialise(body, InMemory(target.address, found[0], where.wrong), found[1])
            covered = offset + cell_count(found[0])
        if offset < covered:
            continue
        store(body, target, Value(build.integer(0), INT) if found is None else value(body, found[1]))


def literal(body: Body, node: c_ast.CompoundLiteral) -> InMemory:
    """The object of a compound literal (C11 6.5.2.5); in a function it lives as long as the activation."""
    kind = completed(body, type_of(body, node.type, constant), node.init)
    if len(body.scopes) == 1 and body.name == "?":
        raise Unsupported("SA719", "a compound literal outside of functions is not accepted", "use a variable")
    name = f"__literal{len(body.objects) + 1}"
    body.objects[name] = object_of(name, kind, Storage.AUTO, body.origin, None)
    place = InMemory(base(name), kind)
    emit(body, Live(name))
    initialise(body, place, node.init)
    return place
