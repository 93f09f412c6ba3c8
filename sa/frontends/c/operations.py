"""Places that are read and written, and operators: what needs no look at the parser's tree."""

from __future__ import annotations

from collections.abc import Callable

from sa.frontends.c.body import Body, InMemory, InRegister, Place, converted, emit, fresh, object_of, temporary
from sa.frontends.c.observable_accesses import chosen, is_alone, loaded, order_of, read_to_update, stored, updated
from sa.frontends.c.types import (
    INT,
    Array,
    CType,
    Float,
    Function,
    Int,
    Pointer,
    Struct,
    Void,
    cell_count,
    cells_of,
    input_range,
    is_scalar,
    is_whole,
    key_of,
    plain,
    synchronises,
    usual,
)
from sa.frontends.c.unions import read, write
from sa.frontends.c.values import Result, Unsupported, Value, binary, number, undecided
from sa.frontends.flow.actions import Show
from sa.frontends.flow.bits import comparison
from sa.frontends.flow.graph import (
    Begin,
    Divide,
    End,
    Fail,
    Halt,
    Havoc,
    Live,
    Load,
    Node,
    Op,
    Set,
    Skip,
    Step,
    Storage,
    Store,
    Stride,
    Test,
    base,
)
from sa.frontends.flow.heap import END as END_OF_ARRAY
from sa.frontends.flow.orders import BOTH, Order
from sa.frontends.reading import is_overflow_left_out
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Int as Number
from sa.terms.term import Term, Var


def moved(pointer: Value, index: Value, sign: int) -> Term:
    """The address of an element at a distance."""
    assert isinstance(pointer.type, Pointer)
    return build.add(number(pointer), build.scale(sign * cell_count(pointer.type.to), number(index)))


def strides(body: Body, pointer: Value) -> None:
    """Say by what a pointer to a scalar is moved, for an object is made of scalars and not of bytes."""
    assert isinstance(pointer.type, Pointer)
    kinds, address = [kind for _, kind in cells_of(pointer.type.to)], number(pointer)
    if isinstance(pointer.type.to, Struct | Array) and not is_alone(body):
        return
    key = key_of(kinds[0]) if kinds else "int8"
    named = [body.file.objects.get(v.name.removeprefix("&")) for v in address.free]
    if not (len(named) == 1 and named[0] is not None and all(cell.key == key for cell in named[0].cells)):
        emit(body, Stride(address, key))


def load(body: Body, where: Place) -> Value:
    """The value at a place; the address of one that is no scalar."""
    if isinstance(where, InRegister):
        body.reads.add((body.here, where.var))
        _note_qualified(body, where)
        return Value(where.var, plain(where.type))
    if where.part is not None:
        return read(body, where)
    match where.type:
        case Array(of, _):
            return Value(where.address, Pointer(of))
        case Function():
            return Value(where.address, Pointer(where.type))
        case Struct():
            found = Value(where.address, where.type)
            return kept(body, found, where.order) if is_whole(where.type) else found
        case Void():
            raise Unsupported("SA714", "a `void *` that is followed", "cast it to what it points to")
    if (order := order_of(body, where)) is not None:
        return loaded(body, where, order)
    var = temporary(body, where.type)
    if (outside := _outside(body, where)) is not None:
        # What it reads is the outside's choice.
        range_ = input_range(where.type)
        emit(body, Havoc(var, range_))
        emit(body, Show(f"read_{outside}", (var,)))
        return Value(var, plain(where.type))
    acquiring = _ordered(where, lambda order: Order(acquires=order.acquires))
    emit(body, Load(var, where.address, key_of(where.type), where.wrong, where.among, acquiring))
    return Value(var, plain(where.type))


def touch(body: Body, pointer: Value) -> None:
    """Read the first scalar of what a pointer leads to, which goes wrong where there is none or it has ended."""
    kind = pointer.type.to if isinstance(pointer.type, Pointer) else pointer.type
    first = next((scalar for _, scalar in cells_of(kind)), None) if not isinstance(kind, Void | Function) else None
    if first is not None:
        load(body, InMemory(number(pointer), first))


def _ordered(where: InMemory, part: Callable[[Order], Order]) -> Order | None:
    """A part of the order of an access: that of what has an atomic type is `seq_cst` unless another one is said."""
    if where.order is None and not synchronises(where.type):
        return None
    return part(where.order or BOTH)


def _note_qualified(body: Body, where: InRegister) -> None:
    kind = where.type
    if synchronises(kind) or (isinstance(kind, Int | Float | Pointer) and kind.volatile):
        emit(body, Skip(qualified=True))


def _outside(body: Body, where: InMemory) -> str | None:
    """The name of a volatile place, if what is done with it is visible. Raises Unsupported."""
    if not body.file.choices.visible or not isinstance(where.type, Int | Float | Pointer) or not where.type.volatile:
        return None
    if isinstance(where.type, Float):
        raise undecided()
    const, parts = linear_parts(where.address)
    names = [v.name.removeprefix("&") for v in parts if isinstance(v, Var) and v.name.startswith("&")]
    if len(parts) != 1 or len(names) != 1:
        hint = "access the object by its name"
        raise Unsupported("SA716", "a volatile access through a pointer is not compared", hint)
    return f"{names[0]}_{const}" if const else names[0]


def store(body: Body, where: Place, new: Value) -> Value:
    """Assign to a place, and the value that it has then."""
    if isinstance(where, InMemory) and where.part is not None:
        return write(body, where, new)
    if isinstance(where.type, Struct):
        assert isinstance(where, InMemory)
        _copy(body, where, new)
        return new
    if not is_scalar(where.type):
        raise Unsupported("SA719", "this cannot be assigned to")
    made = converted(body, new, where.type)
    if isinstance(where, InRegister):
        emit(body, Set(where.var, number(made)))
        _note_qualified(body, where)
        return Value(where.var, plain(where.type))
    if (order := order_of(body, where)) is not None:
        stored(body, where, order, number(made))
        return Value(made.term, plain(where.type))
    if (outside := _outside(body, where)) is not None:
        emit(body, Show(f"write_{outside}", (number(made),)))
        return Value(made.term, plain(where.type))
    releasing = _ordered(where, lambda order: Order(False, order.releases, order.updates))
    emit(body, Store(where.address, number(made), key_of(where.type), where.wrong, where.among, releasing))
    return Value(made.term, plain(where.type))


def _copy(body: Body, where: InMemory, new: Value, order: Order | None = None) -> None:
    """Assign a structure, a scalar a step. It is read in an `order` if it is atomic."""
    kinds = [kind for _, kind in cells_of(where.type)]
    found = scalars(body, InMemory(number(new), new.type, where.wrong, order=order))
    if is_whole(where.type):
        emit(body, Begin())
    for offset, (kind, one) in enumerate(zip(kinds, found, strict=True)):
        address = build.add(where.address, build.integer(offset))
        store(body, InMemory(address, kind, where.wrong, order=where.order), one)
    if is_whole(where.type):
        emit(body, End())


def scalars(body: Body, where: InMemory) -> list[Value]:
    """What the scalars of a structure are, those of an atomic one all at once."""
    if is_whole(where.type):
        emit(body, Begin())
    cells = enumerate(kind for _, kind in cells_of(where.type))
    places = [
        InMemory(build.add(where.address, build.integer(n)), kind, where.wrong, order=where.order) for n, kind in cells
    ]
    found = [load(body, place) for place in places]
    if is_whole(where.type):
        emit(body, End())
    return found


def kept(body: Body, structure: Value, order: Order | None = None) -> Value:
    """A copy of a structure that nobody else changes; that of an atomic one, read in an `order`, is not atomic."""
    name = f"__kept{len(body.objects) + 1}"
    kind = plain(structure.type)
    body.objects[name] = object_of(name, kind, Storage.AUTO, body.origin, None)
    emit(body, Live(name))
    _copy(body, InMemory(base(name), kind), structure, order)
    return Value(base(name), kind)


def checked(body: Body, result: Result) -> Value:
    """A result whose undefined cases are steps that go wrong, as far as the user wants them to be."""
    if result.undefined is not build.FALSE:
        demand(body, build.lnot(result.undefined), "undefined")
    body.file.signed |= (result.wraps or result.overflows is not build.FALSE) and not body.hidden
    if result.overflows is not build.FALSE and body.file.choices.overflow == "check":
        demand(body, build.lnot(result.overflows), "overflow")
    elif result.overflows is not build.FALSE and is_overflow_left_out(body.file.choices):
        _split(body, build.lnot(result.overflows), Halt())
    if result.divided is None:
        return result.value
    var = temporary(body, result.value.type)
    emit(body, Divide(var, *result.divided))
    return Value(var, result.value.type)


def demand(body: Body, formula: Term, what: str) -> None:
    """Go wrong where a formula does not hold."""
    if formula is not build.TRUE:
        _split(body, formula, Fail(what))


def _split(body: Body, formula: Term, otherwise: Op) -> None:
    """Go on where a formula holds."""
    on, off = fresh(body), fresh(body)
    body.steps.append(Step(body.here, Test(build.lnot(formula)), off, body.origin))
    body.steps.append(Step(off, otherwise, fresh(body), body.origin))
    emit(body, Test(formula), on)


def operation(body: Body, op: str, one: Value, two: Value) -> Value:
    """A binary operator other than `&&` and `||`."""
    pointers = isinstance(one.type, Pointer), isinstance(two.type, Pointer)
    if op in ("==", "!=", "<", "<=", ">", ">=") and any(pointers):
        # What the library compares are addresses of its own objects: that two of them differ is no assumption.
        known = body.hidden or any(isinstance(v.term, Number) for v in (one, two))
        body.file.addresses |= all(pointers) and not known
        body.file.compared |= all(pointers) and not known
        if all(pointers) and not known:
            body.file.compares = body.file.compares or body.origin
            body.file.recasts |= one.type != two.type
        body.file.placed |= all(pointers) and not known and op not in ("==", "!=")
        body.file.numbers |= not all(pointers) and build.ZERO not in (one.term, two.term)
        return Value(comparison(op, number(one), number(two)), INT)
    if op in ("+", "-"):
        for pointer in (one, two):
            if isinstance(pointer.type, Pointer):
                body.file.moves = True
                strides(body, pointer)
    match op, pointers:
        case "+", (True, False):
            return Value(moved(one, two, 1), one.type)
        case "+", (False, True):
            return Value(moved(two, one, 1), two.type)
        case "-", (True, False):
            return Value(moved(one, two, -1), one.type)
        case "-", (True, True):
            assert isinstance(one.type, Pointer)
            size = cell_count(one.type.to)
            return Value(build.div(build.sub(number(one), number(two)), size), Int("long", 64, True))
    if not isinstance(one.type, Int | Float) or not isinstance(two.type, Int | Float):
        raise Unsupported("SA719", f"`{op}` of these operands")
    if op not in ("==", "!="):
        for operand in (one, two):
            # The address of an object is a number, but none to count with: objects have no bytes here.
            if isinstance(operand.type, Int) and operand.type.bits == 64 and not isinstance(operand.term, Number):
                emit(body, Stride(number(operand), "none"))
    return checked(body, binary(op, one, two, body.registers, body.file.choices.overflow == "wrap"))


def changed(body: Body, where: InMemory, op: str, operand: Value, old_one: bool) -> Value:
    """An operator on an atomic place where a function is compared alone: one visible update."""
    kind = plain(where.type)
    old = Value(read_to_update(body, where), kind)
    kept, first = temporary(body, where.type), len(body.steps)
    emit(body, Set(kept, number(converted(body, operation(body, op, old, operand), kind))))
    _read_before(body, where, number(old), first)
    updated(body, where, "seq_cst", number(old), kept)
    return old if old_one else Value(kept, kind)


def _read_before(body: Body, where: InMemory, old: Term, first: int) -> None:
    """Whatever goes wrong from a step on goes wrong behind an update that leaves any value.

    What was read is the environment's choice, so that nobody may choose to go wrong before it is seen.
    """
    wrong, here = [s for s in body.steps[first:] if isinstance(s.op, Fail)], body.here
    body.steps[first:] = [s for s in body.steps[first:] if not isinstance(s.op, Fail)]
    for step in wrong:
        body.here = step.source
        updated(body, where, "seq_cst", old, chosen(body, where.type))
        emit(body, step.op)
    body.here = here


def joined(one: Value, two: Value) -> CType:
    """The type of `?:` with these operands."""
    if isinstance(one.type, Int) and isinstance(two.type, Int):
        return usual(one.type, two.type)
    for kind in (one.type, two.type):
        if isinstance(kind, Float):
            return kind
    return one.type if not isinstance(one.type, Int) else two.type


def decide(body: Body, formula: Term, yes: Node, no: Node) -> None:
    """The two ways on."""
    for case, target in ((formula, yes), (build.lnot(formula), no)):
        if case is not build.FALSE:
            body.steps.append(Step(body.here, Test(case), target, body.origin))


def inside(body: Body, outer: InMemory, index: Value, address: bool = False) -> InMemory:
    """An element of an array in another object, whose index is not outside.

    If only its `address` is taken that may be the end of the array (C11 6.5.3.2). What follows there is another object.
    """
    assert isinstance(outer.type, Array)
    first = Value(outer.address, Pointer(outer.type.of))
    at_index, size = number(index), outer.type.size
    if size is None:
        # What is behind the last element ends the object, but what is before the first one is another member.
        demand(body, build.le(build.ZERO, at_index), "index")
        return InMemory(moved(first, index, 1), outer.type.of, "index")
    end = build.eq(at_index, build.integer(size))
    if address and end is build.TRUE:
        body.file.parts = body.file.moves = True
        strides(body, first)
        return InMemory(moved(first, index, 1), outer.type.of, "index")
    if address:
        demand(body, build.lnot(end), END_OF_ARRAY)
    demand(body, build.land(build.le(build.ZERO, at_index), build.lt(at_index, build.integer(size))), "index")
    starts, stride = outer.among or (outer.address, (0,)), cell_count(outer.type.of)
    if isinstance(at_index, Number):
        step = at_index.value * stride
        offsets = tuple(o + step for o in starts[1])
    else:
        offsets = tuple(o + k * stride for o in starts[1] for k in range(size))
    return InMemory(moved(first, index, 1), outer.type.of, "index", (starts[0], offsets))
