"""Places that are read and written, and operators: what needs no look at the parser's tree."""

from __future__ import annotations

from sa.frontends.c.body import Body, InMemory, InRegister, Place, bounds_in, emit, fresh, temporary
from sa.frontends.c.types import (
    INT,
    Array,
    CType,
    Function,
    Int,
    Pointer,
    Struct,
    Void,
    cell_count,
    cells_of,
    is_scalar,
    key_of,
    plain,
    usual,
)
from sa.frontends.c.values import Result, Unsupported, Value, binary, compared, convert, number
from sa.frontends.flow.graph import Fail, Load, Set, Step, Store, Test
from sa.terms import build
from sa.terms.term import Term


def moved(pointer: Value, index: Value, sign: int) -> Term:
    """The address of an element at a distance."""
    assert isinstance(pointer.type, Pointer)
    return build.add(number(pointer), build.scale(sign * cell_count(pointer.type.to), number(index)))


def load(body: Body, where: Place) -> Value:
    """The value at a place; the address of one that is no scalar."""
    if isinstance(where, InRegister):
        return Value(where.var, plain(where.type))
    match where.type:
        case Array(of, _):
            return Value(where.address, Pointer(of))
        case Function():
            return Value(where.address, Pointer(where.type))
        case Struct():
            return Value(where.address, where.type)
        case Void():
            raise Unsupported("SA714", "a `void *` that is followed", "cast it to what it points to")
    var = temporary(body, where.type)
    emit(body, Load(var, where.address, key_of(where.type), where.wrong))
    return Value(var, plain(where.type))


def store(body: Body, where: Place, new: Value) -> Value:
    """Assign to a place, and the value that it has then."""
    if isinstance(where.type, Struct):
        assert isinstance(where, InMemory)
        _copy(body, where, new)
        return new
    if not is_scalar(where.type):
        raise Unsupported("SA719", "this cannot be assigned to")
    made = convert(new, where.type, bounds_in(body))
    if isinstance(where, InRegister):
        emit(body, Set(where.var, number(made)))
        return Value(where.var, plain(where.type))
    emit(body, Store(where.address, number(made), key_of(where.type), where.wrong))
    return Value(made.term, plain(where.type))


def _copy(body: Body, where: InMemory, new: Value) -> None:
    """Assign a structure, a scalar a step."""
    loaded = list[Value]()
    kinds = [kind for _, kind in cells_of(where.type)]
    for offset, kind in enumerate(kinds):
        loaded.append(load(body, InMemory(build.add(number(new), build.integer(offset)), kind, where.wrong)))
    for offset, kind in enumerate(kinds):
        store(body, InMemory(build.add(where.address, build.integer(offset)), kind, where.wrong), loaded[offset])


def checked(body: Body, result: Result) -> Value:
    """A result whose undefined cases are steps that go wrong, as far as the user wants them to be."""
    if result.undefined is not build.FALSE:
        _demand(body, build.lnot(result.undefined), "undefined")
    if result.overflows is not build.FALSE and body.file.choices.overflow == "check":
        _demand(body, build.lnot(result.overflows), "overflow")
    return result.value


def _demand(body: Body, formula: Term, what: str) -> None:
    on, wrong = fresh(body), fresh(body)
    source = body.here
    body.steps.append(Step(source, Test(build.lnot(formula)), wrong, body.origin))
    body.steps.append(Step(wrong, Fail(what), fresh(body), body.origin))
    emit(body, Test(formula), on)


def operation(body: Body, op: str, one: Value, two: Value) -> Value:
    """A binary operator other than `&&` and `||`."""
    pointers = isinstance(one.type, Pointer), isinstance(two.type, Pointer)
    if op in ("==", "!=", "<", "<=", ">", ">=") and any(pointers):
        return Value(compared(op, number(one), number(two)), INT)
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
    if not isinstance(one.type, Int) or not isinstance(two.type, Int):
        raise Unsupported("SA719", f"`{op}` of these operands")
    return checked(body, binary(op, one, two, bounds_in(body), body.file.choices.overflow == "wrap"))


def joined(one: Value, two: Value) -> CType:
    """The type of `?:` with these operands."""
    if isinstance(one.type, Int) and isinstance(two.type, Int):
        return usual(one.type, two.type)
    return one.type if not isinstance(one.type, Int) else two.type
