"""Functions that allocate for their callers, as `void *xmalloc(size_t n)`: what it is for, each call says.

A call gets a copy of the function for the type that its caller takes the address as, and for the constants that sizes
are computed of. A type that is not what the program makes of the memory is no wrong answer: who then uses it as another
type reaches a bound of the translation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, Copy, InRegister, meaning
from sa.frontends.c.declare import type_of
from sa.frontends.c.expressions import constant, static_type
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.types import CType, Function, Int, Pointer, Void, plain, size_of
from sa.frontends.c.values import Unsupported, Value
from sa.terms.term import Int as Number
from sa.terms.term import Term

#: What allocates, and which arguments say how much.
WORDS: Mapping[str, tuple[int, ...]] = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,)}

#: How many copies of a function there are at most; further calls have the function itself.
MOST_COPIES = 16


def allocators(bodies: Mapping[str, c_ast.FuncDef]) -> Mapping[str, tuple[int, ...]]:
    """The functions that allocate, also by calls of each other, and which of their parameters say how much."""
    calls = {name: tuple(_calls(node)) for name, node in bodies.items()}
    found = dict[str, tuple[int, ...]]()
    while True:
        known = {**WORDS, **found}
        more = {
            name: _mentioned(bodies[name], [c.args.exprs[i] for c in inner for i in known[c.name.name] if _has(c, i)])
            for name, inner in ((n, [c for c in cs if c.name.name in known]) for n, cs in calls.items())
            if inner
        }
        if more == found:
            return found
        found = more


def copy_for(body: Body, name: str, kind: Function, given: Sequence[Term]) -> str:
    """The function that is called here: the one of this name, or its copy for what is known of this call."""
    sizes = body.file.allocators.get(name)
    if sizes is None:
        return name
    node, declared = body.file.bodies[name], kind.parameters or ()
    names = [p.name for p in parameters_of(node)]
    constants = tuple(
        (names[i], Value(given[i], plain(own)))
        for i in sizes
        if i < len(given) and isinstance(own := declared[i], Int) and isinstance(given[i], Number)
    )
    wanted = body.wanted if is_any_memory(kind) else None
    if not constants and wanted is None:
        return name
    made, copies = Copy(name, wanted, constants), body.file.copies
    known = [key for key, other in copies.items() if other.function == name]
    for key in known:
        if copies[key] == made:
            return key
    if len(known) >= MOST_COPIES:
        return name
    key = f"{name}@{len(known) + 1}"
    copies[key] = made
    return key


def used_as(body: Body, call: c_ast.FuncCall) -> CType | None:
    """What the function makes elsewhere of a `void *` variable that takes the result of a call, if that is one type.

    Letters do not count beside another type: any memory may be looked at as letters.
    """
    function = body.file.bodies.get(body.name)
    nodes = [] if function is None else list(nodes_of(function.body))
    names = {name for name, given in map(_assigned, nodes) if name is not None and without_casts(given) is call}
    taken = [kind for node in nodes for kind, given in _uses(body, node) if _is_one_of(given, names)]
    found = {kind for one in taken if (kind := _pointed(body, one, nodes)) is not None}
    telling = {kind for kind in found if size_of(kind) > 1} or found
    return telling.pop() if len(telling) == 1 else None


def _assigned(node: Any) -> tuple[str | None, Any]:
    """The variable that a node gives a value, and the expression whose value it is."""
    match node:
        case c_ast.Decl(name=name, init=init) if init is not None:
            return name, init
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=given):
            return name, given
        case _:
            return None, None


def _uses(body: Body, node: Any) -> Iterable[tuple[Any, Any]]:
    """The types, or expressions of the types, that some expressions are taken as."""
    match node:
        case c_ast.Cast(to_type=kind, expr=given):
            return ((kind, given),)
        case c_ast.Decl(type=kind, init=given) if given is not None:
            return ((kind, given),)
        case c_ast.Assignment(op="=", lvalue=place, rvalue=given):
            return ((place, given),)
        case c_ast.FuncCall(name=c_ast.ID(name=name), args=args) if args is not None:
            kind = meaning(body, name)
            return zip((kind.parameters or ()) if isinstance(kind, Function) else (), args.exprs, strict=False)
        case _:
            return ()


def _pointed(body: Body, kind: Any, nodes: Iterable[Any]) -> CType | None:
    """What a type, or an expression of it, points to, if that is known here and is an object."""
    if isinstance(kind, c_ast.ID):
        kind = next((n.type for n in nodes if isinstance(n, c_ast.Decl) and n.name == kind.name), kind)
    try:
        if isinstance(kind, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef | c_ast.UnaryOp):
            kind = static_type(body, kind)
        elif isinstance(kind, c_ast.Node):
            kind = type_of(body, kind, constant)
    except Unsupported:
        return None
    return kind.to if isinstance(kind, Pointer) and not isinstance(kind.to, Void | Function) else None


def _is_one_of(node: Any, names: Collection[str]) -> bool:
    node = without_casts(node)
    return isinstance(node, c_ast.ID) and node.name in names


def without_casts(node: Any) -> Any:
    """The expression of which casts are made."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def have_constants(body: Body, copied: Copy) -> None:
    """The parameters that have constants in a copy are these, if nothing is assigned to them."""
    for name, known in copied.constants:
        if name not in body.assigned and isinstance(own := body.scopes[-1][name], InRegister):
            body.constants[own.var] = known


def is_any_memory(kind: object) -> bool:
    """Whether a function returns an address of what only its caller knows the type of."""
    return isinstance(kind, Function) and isinstance(kind.result, Pointer) and isinstance(kind.result.to, Void)


def parameters_of(node: c_ast.FuncDef) -> list[c_ast.Decl]:
    """The parameters of a function."""
    declared = node.decl.type.args.params if node.decl.type.args is not None else []
    return [p for p in declared if isinstance(p, c_ast.Decl)]


def _calls(node: c_ast.FuncDef) -> Iterable[c_ast.FuncCall]:
    return (n for n in nodes_of(node.body) if isinstance(n, c_ast.FuncCall) and isinstance(n.name, c_ast.ID))


def _has(call: c_ast.FuncCall, index: int) -> bool:
    return call.args is not None and index < len(call.args.exprs)


def _mentioned(node: c_ast.FuncDef, sizes: Iterable[Any]) -> tuple[int, ...]:
    """The parameters that some expressions mention."""
    said = {n.name for size in sizes for n in nodes_of(size) if isinstance(n, c_ast.ID)}
    return tuple(i for i, p in enumerate(parameters_of(node)) if p.name in said)
