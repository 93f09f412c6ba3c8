"""Statements as steps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pycparser import c_ast

from sa.automata.automaton import Origin
from sa.frontends.c.body import (
    EXIT,
    RETURNED,
    Alias,
    Body,
    InMemory,
    InRegister,
    at,
    complain,
    converted,
    emit,
    fresh,
    object_of,
    without_value,
)
from sa.frontends.c.controlling import is_of_case, may_be_constant
from sa.frontends.c.declare import is_constant, type_of
from sa.frontends.c.expressions import NOTHING, branch, constant, evaluated, taken, value
from sa.frontends.c.initial import completed, constant_values, first_values, initialise
from sa.frontends.c.jumps import past
from sa.frontends.c.observable_accesses import end_of_life, survivor
from sa.frontends.c.operations import decide, store
from sa.frontends.c.scopes import block
from sa.frontends.c.types import (
    Array,
    CType,
    Function,
    Int,
    Struct,
    Void,
    cell_count,
    input_range,
    is_scalar,
    plain,
    promoted,
    range_of,
    rows_of,
    words_of,
)
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.c.variable_length import computed_array, set_extent, with_extent
from sa.frontends.flow.graph import Fail, Havoc, Live, Op, Register, Set, Skip, Storage, base
from sa.terms import build
from sa.terms.name import unused
from sa.terms.term import Int as Number

#: What an object may have: scalars, and variables that are made of them.
MOST_CELLS, MOST_VARIABLES = 2**16, 1024

_WITH_BLOCKS = (c_ast.Compound, c_ast.If, c_ast.While, c_ast.DoWhile, c_ast.For, c_ast.Switch)


def statement(body: Body, node: Any) -> Value:
    """Translate a statement; what is not accepted is noted, and translation goes on behind it.

    An expression has a value, all others have none.
    """
    # Of an empty block the parser only knows where the next statement begins.
    if not isinstance(node, c_ast.Compound) or node.block_items:
        body.origin = at(body, node)
    before, result = frozenset(body.objects), NOTHING
    try:
        result = _statement(body, node)
    except Unsupported as wrong:
        complain(body.file, node, wrong)
    if isinstance(node, _WITH_BLOCKS):
        end_of_life(body, before)
    return result


def _statement(body: Body, node: Any) -> Value:
    match node:
        case None | c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.StaticAssert() | c_ast.AttributeDeclaration():
            pass
        case c_ast.Typedef():
            body.scopes[-1][node.name] = Alias(type_of(body, node.type, constant), is_constant(body, node.type))
        case c_ast.Compound():
            _block(body, node)
        case c_ast.Decl():
            declare(body, node)
        case c_ast.DeclList():
            for one in node.decls:
                statement(body, one)
        case c_ast.If():
            _if(body, node)
        case c_ast.While():
            _while(body, node)
        case c_ast.DoWhile():
            _do(body, node)
        case c_ast.For():
            with block(body):
                _for(body, node)
        case c_ast.Switch():
            _switch(body, node)
        case c_ast.Case() | c_ast.Default():
            _case(body, node)
        case c_ast.Return():
            _return(body, node)
        case c_ast.Break():
            if not body.breaks:
                raise Unsupported("SA719", "`break` outside of loops and `switch`", "leave it out")
            _jump(body, body.breaks[-1])
        case c_ast.Continue():
            if not body.continues:
                raise Unsupported("SA719", "`continue` outside of loops", "leave it out")
            end_of_life(body, body.rounds[-1])
            _jump(body, body.continues[-1])
        case c_ast.Goto():
            _jump(body, past(body, node, _label(body, node.name)))
        case c_ast.Label():
            return _labelled(body, node)
        case c_ast.AttributedStatement():
            return statement(body, node.stmt)
        case _:
            return value(body, node)
    return NOTHING


def _block(body: Body, node: c_ast.Compound) -> None:
    _enter(body)
    with block(body):
        for inner in node.block_items or ():
            statement(body, inner)
    _leave(body)


def _enter(body: Body) -> None:
    for known in (body.scopes, body.tags, body.enumerations):
        known.append({})


def _leave(body: Body) -> None:
    for known in (body.scopes, body.tags, body.enumerations):
        known.pop()


def enclosed(body: Body, node: c_ast.Compound) -> Value:
    """Statements in an expression, as GNU C has them: the value is that of the last one, if it is an expression."""
    before, result = frozenset(body.objects), NOTHING
    _enter(body)
    with block(body):
        for inner in node.block_items or ():
            result = statement(body, inner)
    _leave(body)
    return survivor(body, result, before)


def _jump(body: Body, target: int) -> None:
    """On to a node; what follows in the text cannot be reached from here."""
    emit(body, Skip(), target)
    body.here = fresh(body)


def _label(body: Body, name: str) -> int:
    if name not in body.labels:
        body.labels[name] = fresh(body)
    return body.labels[name]


def _labelled(body: Body, node: c_ast.Label) -> Value:
    emit(body, Skip(), _label(body, node.name))
    if node.name == "ERROR" and isinstance(node.stmt, c_ast.Goto) and node.stmt.name == "ERROR":
        # How errors were said before `reach_error`: the label of a loop without anything in it.
        emit(body, Fail("reached"))
    return statement(body, node.stmt)


def declare(body: Body, node: c_ast.Decl) -> None:
    """A declaration in a function. Raises Unsupported."""
    if node.name is None:
        type_of(body, node.type, constant)
        return
    kind = computed_array(body, node) or completed(body, type_of(body, node.type, constant), node.init)
    if isinstance(kind, Function) or "extern" in node.storage:
        outer = body.file.names.get(node.name)
        if isinstance(kind, Function):
            outer = body.file.names.setdefault(node.name, kind)
        if outer is None:
            raise Unsupported("SA719", f"`{node.name}` is declared nowhere else", "declare it outside of the function")
        body.scopes[-1][node.name] = outer
        return
    whole(kind, node.name)
    where = at(body, node)
    if "static" in node.storage:
        body.scopes[-1][node.name] = InMemory(base(_static(body, node, kind, where)), kind, "index")
        return
    skipped = any(node is d for declared in body.jumps.values() for d in declared)
    body.valueless[id(node)] = local(body, node.name, kind, where, node.init, skipped, is_constant(body, node.type))
    made = body.scopes[-1][node.name]
    if (node.init is None or skipped) and isinstance(made, InMemory):
        without_value(body, made, node.type)
    if (
        node.init is not None
        and not skipped
        and keeps(body, body.assigned, node, kind)
        and isinstance(made, InRegister)
    ):
        before = body.steps[-1].op
        if isinstance(before, Set) and before.var is made.var and isinstance(before.term, Number):
            body.constants[made.var] = Value(before.term, plain(kind))


def _static(body: Body, node: c_ast.Decl, kind: CType, where: Origin) -> str:
    """The one object of a static variable, which all copies of its function share."""
    if id(node) in body.file.static:
        return body.file.static[id(node)][1]
    name = f"{body.name}.{node.name}"
    name = name if name not in body.file.objects else f"{name}_{len(body.file.objects)}"
    body.file.static[id(node)] = (node, name)
    initial = first_values(body, kind, node.init) if node.init is not None else {}
    storage = Storage.THREAD if "_Thread_local" in node.storage else Storage.STATIC
    body.file.objects[name] = object_of(name, kind, storage, where, initial, is_constant(body, node.type))
    return name


def keeps(body: Body, assigned: Collection[str], node: c_ast.Decl, kind: CType) -> bool:
    """Whether a variable keeps what initialises it: by its type, or because it is not among the names assigned to."""
    if not isinstance(kind, Int) or kind.atomic or kind.volatile or kind.name == "_Bool":
        return False
    return is_constant(body, node.type) or node.name not in assigned


def whole(kind: CType, name: str) -> None:
    """Raises Unsupported for objects that are too large or not complete."""
    if isinstance(kind, Void):
        raise Unsupported("SA710", f"`{name}` has no type")
    if isinstance(kind, Array) and kind.size is None:
        raise Unsupported("SA711", f"the array `{name}` has no size", "give it a constant size")
    if cell_count(kind) > MOST_CELLS:
        raise Unsupported("SA711", f"`{name}` has more than {MOST_CELLS} elements", "make it smaller")
    rows = list(rows_of(kind))
    variables = cell_count(kind) - sum((row.count - 1) * len(row.paths) for row in rows)
    if variables > MOST_VARIABLES:
        raise Unsupported("SA711", f"`{name}` has more than {MOST_VARIABLES} fields and arrays", "make it smaller")


def local(
    body: Body, name: str, kind: CType, where: Origin, init: Any, skipped: bool = False, kept: bool = False
) -> Op:
    """A variable of an activation, which may be `kept`; its initialiser may be skipped.

    The step by which it has no value is told.
    """
    own = unused(name, {v.name for v in body.registers} | body.objects.keys())
    if is_scalar(kind) and name not in body.addressed:
        var = build.variable(own)
        body.registers[var] = Register(var, range_of(kind), where, words=words_of(kind))
        body.scopes[-1][name] = InRegister(var, kind)
        first = init.exprs[0] if isinstance(init, c_ast.InitList) else init
        made = None if init is None else taken(body, first, kind)
        unset = Havoc(var, input_range(kind), unset=True)
        emit(body, unset if made is None else Set(var, number(converted(body, made, kind))))
        return unset
    place = InMemory(base(own), kind, "index")
    body.scopes[-1][name] = place
    if skipped and init is not None and cell_count(kind) > MOST_VARIABLES:
        raise Unsupported("SA719", f"a jump leads past the values of `{name}`, which is large", "declare it before")
    constants = constant_values(body, kind, init) if init is not None and not skipped and any(rows_of(kind)) else None
    here = with_extent(object_of(own, kind, Storage.AUTO, where, constants, kept), kind)
    body.objects[own] = here
    emit(body, Live(own))
    set_extent(body, here, kind)
    if init is not None and constants is None:
        initialise(body, place, init, own if kept else None)
    return Live(own)


def _if(body: Body, node: c_ast.If) -> None:
    yes, no, after = fresh(body), fresh(body), fresh(body)
    branch(body, node.cond, yes, no)
    for start, inner in ((yes, node.iftrue), (no, node.iffalse)):
        body.here = start
        statement(body, inner)
        emit(body, Skip(), after)


def _while(body: Body, node: c_ast.While) -> None:
    head, inside, after = fresh(body), fresh(body), fresh(body)
    emit(body, Skip(), head)
    _rounds(body, node.cond, inside, after)
    _round(body, node.stmt, inside, head, after)
    emit(body, Skip(), head)
    body.here = after


def _rounds(body: Body, condition: Any, inside: int, after: int) -> None:
    """Begin another round of a loop where its controlling expression holds."""
    again = fresh(body)
    branch(body, condition, again, after)
    body.here = again
    ends = not body.file.choices.endless and not may_be_constant(body, condition)
    emit(body, Skip(again=ends), inside)


def _round(body: Body, node: Any, start: int, again: int, after: int) -> None:
    body.breaks.append(after)
    body.continues.append(again)
    body.here = start
    body.rounds.append(frozenset(body.objects))
    statement(body, node)
    body.breaks.pop()
    body.continues.pop()
    body.rounds.pop()


def _do(body: Body, node: c_ast.DoWhile) -> None:
    inside, test, after = fresh(body), fresh(body), fresh(body)
    emit(body, Skip(), inside)
    _round(body, node.stmt, inside, test, after)
    emit(body, Skip(), test)
    body.origin = at(body, node.cond)
    _rounds(body, node.cond, inside, after)
    body.here = after


def _for(body: Body, node: c_ast.For) -> None:
    body.scopes.append({})
    where = body.origin
    if node.init is not None:
        statement(body, node.init)
    head, inside, again, after = (fresh(body) for _ in range(4))
    emit(body, Skip(), head)
    body.origin = where
    if node.cond is None:
        emit(body, Skip(), inside)
    else:
        _rounds(body, node.cond, inside, after)
    _round(body, node.stmt, inside, again, after)
    emit(body, Skip(), again)
    body.origin = where
    if node.next is not None:
        evaluated(body, node.next)
    emit(body, Skip(), head)
    body.here = after
    body.scopes.pop()


def _switch(body: Body, node: c_ast.Switch) -> None:
    found = value(body, node.cond)
    found = converted(body, found, promoted(found.type))
    tests, after = body.here, fresh(body)
    where = body.origin
    body.here = fresh(body)
    body.breaks.append(after)
    body.cases.append([])
    statement(body, node.stmt)
    emit(body, Skip(), after)
    body.breaks.pop()
    cases = body.cases.pop()
    body.here, body.origin = tests, where
    other = after
    for expression, target in cases:
        if expression is None:
            other = target
            continue
        following = fresh(body)
        decide(body, is_of_case(body, found, expression), target, following)
        body.here = following
    emit(body, Skip(), other)
    body.here = after


def _case(body: Body, node: Any) -> None:
    if not body.cases:
        raise Unsupported("SA719", "a case without a `switch`")
    target = fresh(body)
    body.cases[-1].append((node.expr if isinstance(node, c_ast.Case) else None, past(body, node, target)))
    emit(body, Skip(), target)
    for inner in node.stmts or ():
        statement(body, inner)


def _return(body: Body, node: c_ast.Return) -> None:
    if node.expr is not None:
        found = taken(body, node.expr, body.returns)
        if body.result is not None and body.returns is not None and is_scalar(body.returns):
            made = converted(body, found, body.returns)
            emit(body, Set(body.result, number(made)))
        elif body.result is not None and isinstance(body.returns, Struct) and isinstance(found.type, Struct):
            emit(body, Live(RETURNED))
            store(body, InMemory(base(RETURNED), body.returns), found)
            emit(body, Set(body.result, base(RETURNED)))
        elif body.returns is not None and not isinstance(body.returns, Void):
            raise Unsupported("SA719", "what is returned here is not of the function's type")
    _jump(body, EXIT)
