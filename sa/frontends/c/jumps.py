"""Declarations that jumps lead past: what they declare is there, and has no value (C11 6.2.4p6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from sa.frontends.c.body import Body, emit, fresh
from sa.frontends.flow.graph import Skip

Scope = tuple[c_ast.Decl, ...]


class _Seen(Struct):
    """Which declarations are in scope where, by labels and `goto`s; and what leads past some, by its identity."""

    labels: dict[str, Scope] = field(default_factory=dict)
    gotos: list[tuple[c_ast.Goto, Scope]] = field(default_factory=list)
    past: dict[int, Scope] = field(default_factory=dict)


def jumps(function: Any) -> Mapping[int, Scope]:
    """By `id` of a `goto`, `case` or `default` of a function the variables whose declarations the jump leads past."""
    seen = _Seen()
    _visit(function, (), (), seen)
    for node, scope in seen.gotos:
        seen.past[id(node)] = _entered(seen.labels.get(node.name, ()), scope)
    return {n: declared for n, declared in seen.past.items() if declared}


def _entered(there: Scope, here: Scope) -> Scope:
    return tuple(d for d in there if not any(d is e for e in here))


def _visit(node: Any, scope: Scope, switch: Scope, seen: _Seen) -> Scope:
    """What is in scope behind a node; `switch` is what is at the beginning of the `switch` around it."""
    match node:
        case None:
            return scope
        case c_ast.Decl():
            _visit(node.init, scope, switch, seen)
            lasts = "static" in node.storage or "extern" in node.storage or isinstance(node.type, c_ast.FuncDecl)
            return scope if node.name is None or lasts else (*scope, node)
        case c_ast.DeclList(decls=inner) | c_ast.Case(stmts=inner) | c_ast.Default(stmts=inner):
            if not isinstance(node, c_ast.DeclList):
                seen.past[id(node)] = _entered(scope, switch)
            for one in inner or ():
                scope = _visit(one, scope, switch, seen)
            return scope
        case c_ast.Label():
            seen.labels[node.name] = scope
            return _visit(node.stmt, scope, switch, seen)
        case c_ast.AttributedStatement():
            return _visit(node.stmt, scope, switch, seen)
        case c_ast.Goto():
            seen.gotos.append((node, scope))
        case c_ast.Switch():
            _visit(node.cond, scope, switch, seen)
            _visit(node.stmt, scope, scope, seen)
        case _:
            # Blocks and `for` have scopes of their own.
            inside = scope
            for _, one in node.children():
                inside = _visit(one, inside, switch, seen)
    return scope


def past(body: Body, node: Any, target: int) -> int:
    """Where a jump goes on to a node: what it leads past loses its value first, once all declarations are known."""
    if id(node) not in body.jumps:
        return target
    body.entries.append((fresh(body), body.jumps[id(node)], target, body.origin))
    return body.entries[-1][0]


def enter_blocks(body: Body) -> None:
    """The ways of the jumps that lead past declarations."""
    for start, declared, target, where in body.entries:
        body.here, body.origin = start, where
        for node in declared:
            if id(node) in body.valueless:
                emit(body, body.valueless[id(node)])
        emit(body, Skip(), target)
