"""Expressions: their steps, in an order that C allows (left to right), and their values."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import (
    Body,
    Constant,
    InMemory,
    InRegister,
    Place,
    at,
    complain,
    converted,
    emit,
    fresh,
    meaning,
    temporary,
    untouched,
)
from sa.frontends.c.constants import letters_of
from sa.frontends.c.declare import type_of
from sa.frontends.c.generic import selected
from sa.frontends.c.gnu import OMITTED
from sa.frontends.c.literals import argument_there, fixed_value, is_argument, is_plain, literal_value
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.offsets import by_field, distance_of
from sa.frontends.c.operations import changed, checked, decide, inside, joined, load, moved, operation, store, strides
from sa.frontends.c.types import (
    CHAR,
    INT,
    ULONG,
    VOID,
    Array,
    CType,
    Float,
    Function,
    Int,
    Pointer,
    Struct,
    Void,
    alignment,
    is_scalar,
    plain,
    promoted,
    synchronises,
)
from sa.frontends.c.unions import element, member
from sa.frontends.c.values import Unsupported, Value, inverted, negated, number, sized, truth
from sa.frontends.flow.graph import Begin, End, Node, Set, Skip, code
from sa.terms import build
from sa.terms.term import Int as Number

_LOGICAL = ("&&", "||")
NOTHING = Value(build.integer(0), VOID)


def value(body: Body, node: Any) -> Value:
    """The value of an expression; arrays and functions are pointers to them. Raises Unsupported."""
    match node:
        case c_ast.Constant():
            return literal_value(body, node)
        case c_ast.ArrayRef() if is_argument(body, node):
            return argument_there(body, node, value(body, node.subscript))
        case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.CompoundLiteral():
            return _named(body, node)
        case c_ast.UnaryOp():
            return _unary(body, node)
        case c_ast.BinaryOp(op=op) if op in _LOGICAL:
            return _logical(body, node)
        case c_ast.BinaryOp():
            one = value(body, node.left)
            if (distance := distance_of(body, node.right, constant)) is not None and (
                found := by_field(node.op, one, distance)
            ):
                return found
            return operation(body, node.op, one, value(body, node.right))
        case c_ast.Assignment():
            return _assignment(body, node)
        case c_ast.TernaryOp():
            return _choice(body, node)
        case c_ast.Cast():
            return _cast(body, node)
        case c_ast.FuncCall():
            before, body.origin = body.origin, at(body, node)
            result = body.file.call(body, node)
            body.origin = before
            return result
        case c_ast.ExprList():
            return [value(body, one) for one in node.exprs][-1]
        case c_ast.Compound():
            return body.file.enclosed(body, node)
        case c_ast.GenericSelection():
            return value(body, selected(body, node))
        case _:
            raise Unsupported("SA719", f"this expression is not accepted ({type(node).__name__})")


def taken(body: Body, node: Any, kind: CType | None) -> Value:
    """The value of an expression that an object of a type takes, or a cast to it."""
    before = body.wanted
    if isinstance(kind, Pointer) and not isinstance(kind.to, Void | Function):
        body.wanted = kind.to
    elif not isinstance(kind, Pointer):
        body.wanted = None
    result = value(body, node)
    body.wanted = before
    return result


def constant(body: Body, node: Any) -> int:
    """The value of a constant expression. Raises Unsupported."""
    with untouched(body) as made:
        found = value(body, node)
    term = number(found)
    if made or not isinstance(term, Number) or isinstance(found.type, Float):
        raise Unsupported("SA719", "this is not a constant expression")
    return term.value


def place(body: Body, node: Any) -> Place:
    """The place that an lvalue means. Raises Unsupported."""
    match node:
        case c_ast.ID():
            found = meaning(body, node.name)
            if isinstance(found, InRegister | InMemory):
                return found
            raise Unsupported("SA719", f"`{node.name}` is not a variable")
        case c_ast.ArrayRef():
            return _element(body, node)
        case c_ast.StructRef():
            return _field(body, node)
        case c_ast.UnaryOp(op="*", expr=c_ast.UnaryOp(op="&", expr=inner)):
            return place(body, inner)
        case c_ast.UnaryOp(op="*"):
            pointer = value(body, node.expr)
            if isinstance(pointer.type, Pointer):
                return InMemory(number(pointer), pointer.type.to)
            raise Unsupported("SA719", "this is not a pointer")
        case c_ast.Cast() | c_ast.TernaryOp():
            raise Unsupported("SA719", "this is not an lvalue")
        case c_ast.CompoundLiteral():
            return body.file.literal(body, node)
        case _:
            found_value = value(body, node)
            if isinstance(found_value.type, Struct):
                return InMemory(number(found_value), found_value.type)
            raise Unsupported("SA719", "this is not an lvalue")


def _element(body: Body, node: c_ast.ArrayRef, address: bool = False) -> Place:
    """An element, or its `address` alone. Of an array in another object it is said that the index is not outside."""
    if isinstance(node.name, c_ast.ArrayRef | c_ast.StructRef) and not is_argument(body, node.name):
        outer = place(body, node.name)
        if isinstance(outer, InMemory) and outer.part is not None and isinstance(outer.type, Array):
            return element(outer, constant(body, node.subscript))
        if isinstance(outer, InMemory) and isinstance(outer.type, Array):
            return inside(body, outer, value(body, node.subscript), address)
        pointer = load(body, outer)
    else:
        pointer = value(body, node.name)
    index = value(body, node.subscript)
    if not isinstance(pointer.type, Pointer):
        pointer, index = index, pointer
    if not isinstance(pointer.type, Pointer):
        raise Unsupported("SA719", "this is not an array")
    if number(index) is not build.ZERO:
        body.file.moves |= not (isinstance(node.name, c_ast.ID) and isinstance(place(body, node.name).type, Array))
        strides(body, pointer)
    return InMemory(moved(pointer, index, 1), pointer.type.to, "index")


def _field(body: Body, node: c_ast.StructRef) -> Place:
    outer: Place | None = None
    if node.type == "->":
        pointer = value(body, node.name)
        if not isinstance(pointer.type, Pointer):
            raise Unsupported("SA719", "this is not a pointer to a structure")
        address, kind, wrong, among = number(pointer), pointer.type.to, "pointer", None
    else:
        outer = place(body, node.name)
        if not isinstance(outer, InMemory):
            raise Unsupported("SA719", "this is not a structure")
        address, kind, wrong, among = outer.address, outer.type, outer.wrong, outer.among
    part = None if node.type == "->" or not isinstance(outer, InMemory) else outer.part
    found = member(InMemory(address, kind, wrong, among, part), node.field.name)
    if found is None:
        raise Unsupported("SA719", f"there is no field `{node.field.name}` here")
    return found


def _named(body: Body, node: Any) -> Value:
    if isinstance(node, c_ast.ID):
        found = meaning(body, node.name)
        if isinstance(found, Constant):
            return Value(build.integer(found.value), INT)
        if isinstance(found, Function):
            if node.name not in body.file.bodies:
                raise Unsupported("SA716", f"`{node.name}` is not defined, and its address is taken", "define it")
            body.file.addressed[node.name] = None
            if node.name not in body.file.wanted:
                body.file.wanted.append(node.name)
            return Value(code(node.name), Pointer(found))
        if found is None:
            # The compiler knows it: its declaration was refused.
            raise Unsupported("SA719", f"`{node.name}` is not known", follows=True)
        if (known := fixed_value(body, found)) is not None:
            return known
    where = place(body, node)
    body.file.parts |= isinstance(where.type, Array) and not isinstance(node, c_ast.ID)
    return load(body, where)


def _unary(body: Body, node: c_ast.UnaryOp) -> Value:
    match node.op:
        case "&":
            return address_of(body, node.expr)
        case "*":
            return _named(body, node)
        case "!":
            return Value(build.lnot(truth(value(body, node.expr))), INT)
        case "-":
            return checked(body, negated(value(body, node.expr), body.registers, body.file.choices.overflow == "wrap"))
        case "+":
            inner = value(body, node.expr)
            return converted(body, inner, promoted(inner.type))
        case "~":
            return inverted(value(body, node.expr), body.registers)
        case "sizeof":
            return sized(static_type(body, node.expr))
        case "_Alignof":
            return Value(build.integer(alignment(static_type(body, node.expr))), ULONG)
        case "++" | "--" | "p++" | "p--":
            return _stepped(body, node)
        case _:
            raise Unsupported("SA719", f"the operator `{node.op}` is not accepted")


def address_of(body: Body, node: Any) -> Value:
    """The value of `&e`."""
    if isinstance(node, c_ast.ID) and isinstance(meaning(body, node.name), Function):
        return value(body, node)
    where = _element(body, node, address=True) if isinstance(node, c_ast.ArrayRef) else place(body, node)
    if isinstance(where, InRegister):
        raise Unsupported("SA714", "the address of this is not known")
    if where.part is not None:
        raise Unsupported("SA712", "the address of a part of a union", "use the union itself")
    outer = node.name if isinstance(node, c_ast.ArrayRef) else node
    inner = isinstance(outer, c_ast.ArrayRef | c_ast.StructRef)
    body.file.parts |= inner and not (isinstance(where.type, Struct) and where.type.opaque)
    return Value(where.address, Pointer(where.type))


def static_type(body: Body, node: Any) -> CType:
    """The type of an expression or type name, which is not evaluated."""
    if isinstance(node, c_ast.Typename):
        return type_of(body, node, constant)
    if isinstance(node, c_ast.Constant) and "string" in node.type:
        return Array(CHAR, len(letters_of(node)) + 1)
    with untouched(body):
        if isinstance(node, c_ast.ID | c_ast.ArrayRef | c_ast.StructRef) or (
            isinstance(node, c_ast.UnaryOp) and node.op == "*"
        ):
            return place(body, node).type
        return value(body, node).type


def _stepped(body: Body, node: c_ast.UnaryOp) -> Value:
    """`++` and `--`: on an atomic place one step."""
    where = place(body, node.expr)
    whole = isinstance(where, InMemory) and synchronises(where.type)
    if isinstance(where, InMemory) and whole and is_alone(body):
        return changed(body, where, node.op[-1], Value(build.integer(1), INT), node.op.startswith("p"))
    if whole:
        emit(body, Begin())
    old = load(body, where)
    if node.op.startswith("p") and isinstance(where, InRegister):
        kept = temporary(body, where.type)
        emit(body, Set(kept, number(old)))
        old = Value(kept, old.type)
    one = Value(build.integer(1), INT)
    new = store(body, where, operation(body, node.op[-1], old, one))
    if whole:
        emit(body, End())
    return old if node.op.startswith("p") else new


def _assignment(body: Body, node: c_ast.Assignment) -> Value:
    before, body.origin = body.origin, at(body, node)
    if node.op == "=":
        # The right side first, as gcc and clang do.
        new = taken(body, node.rvalue, static_type(body, node.lvalue))
        result = store(body, place(body, node.lvalue), new)
    else:
        new = value(body, node.rvalue)
        where = place(body, node.lvalue)
        whole = isinstance(where, InMemory) and synchronises(where.type)
        if isinstance(where, InMemory) and whole and is_alone(body):
            body.origin = before
            return changed(body, where, node.op[:-1], new, False)
        if whole:
            emit(body, Begin())
        old = load(body, where)
        result = store(body, where, operation(body, node.op[:-1], old, new))
        if whole:
            emit(body, End())
    body.origin = before
    return result


def _cast(body: Body, node: c_ast.Cast) -> Value:
    kind = type_of(body, node.to_type, constant)
    if isinstance(kind, Int) and (distance := distance_of(body, node.expr, constant)) is not None:
        return converted(body, Value(build.integer(distance.bytes), ULONG), plain(kind))
    inner = taken(body, node.expr, kind)
    if isinstance(kind, Void):
        return NOTHING
    if not is_scalar(kind):
        raise Unsupported("SA714", "a cast to this type is not accepted")
    return converted(body, inner, plain(kind))


def branch(body: Body, node: Any, yes: Node, no: Node) -> None:
    """Go to `yes` where a condition holds and to `no` where it does not; nothing is here afterwards."""
    match node:
        case c_ast.UnaryOp(op="!"):
            branch(body, node.expr, no, yes)
        case c_ast.BinaryOp(op=op) if op in _LOGICAL and not is_plain(body, node):
            middle = fresh(body)
            if op == "&&":
                branch(body, node.left, middle, no)
            else:
                branch(body, node.left, yes, middle)
            body.here = middle
            branch(body, node.right, yes, no)
        case c_ast.BinaryOp(op=op) if op in _LOGICAL:
            one, two = truth(value(body, node.left)), truth(value(body, node.right))
            decide(body, build.land(one, two) if op == "&&" else build.lor(one, two), yes, no)
        case _:
            decide(body, truth(value(body, node)), yes, no)


def _logical(body: Body, node: c_ast.BinaryOp) -> Value:
    if is_plain(body, node):
        one, two = truth(value(body, node.left)), truth(value(body, node.right))
        return Value(build.land(one, two) if node.op == "&&" else build.lor(one, two), INT)
    yes, no, after = fresh(body), fresh(body), fresh(body)
    result = temporary(body, Int("_Bool", 1, False))
    branch(body, node, yes, no)
    for start, outcome in ((yes, 1), (no, 0)):
        body.here = start
        emit(body, Set(result, build.integer(outcome)), after)
    return Value(build.ne(result, build.integer(0)), INT)


def _choice(body: Body, node: c_ast.TernaryOp) -> Value:
    same = isinstance(node.iftrue, c_ast.ID) and node.iftrue.name == OMITTED
    parts = (node.cond, node.cond if same else node.iftrue, node.iffalse)
    if all(is_plain(body, p) for p in parts):
        condition, one, two = (value(body, p) for p in parts)
        kind = joined(one, two)
        a, b = converted(body, one, kind), converted(body, two, kind)
        return Value(build.ite(truth(condition), number(a), number(b)), kind)
    yes, no, after = fresh(body), fresh(body), fresh(body)
    ends = list[tuple[Value, Node]]()
    if same:
        ends.append((value(body, node.cond), yes))
        decide(body, truth(ends[0][0]), yes, no)
    else:
        branch(body, node.cond, yes, no)
    for start, inner in ((yes, node.iftrue), (no, node.iffalse))[len(ends) :]:
        body.here = start
        ends.append((value(body, inner), body.here))
    kind = joined(ends[0][0], ends[1][0])
    if not (is_scalar(kind) or isinstance(kind, Struct)):
        for _, end in ends:
            body.here = end
            emit(body, Skip(), after)
        return NOTHING
    # What a structure is known by is its address.
    result = temporary(body, Pointer(kind) if isinstance(kind, Struct) else kind)
    for found, end in ends:
        body.here = end
        emit(body, Set(result, number(found if isinstance(kind, Struct) else converted(body, found, kind))), after)
    return Value(result, kind)


def evaluated(body: Body, node: Any) -> Value | None:
    """The value of an expression; what is not accepted is noted, and there is none then."""
    try:
        return value(body, node)
    except Unsupported as wrong:
        complain(body.file, node, wrong)
        return None
