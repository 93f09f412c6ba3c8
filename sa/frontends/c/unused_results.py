"""Calls whose results nobody takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast


def without_taker(node: Any) -> frozenset[int]:
    """The lists of arguments, by `id`, of calls in a statement whose results nobody takes. Others may be left out."""
    return frozenset(id(call.args.exprs) for call in _calls(node) if call.args is not None)


def _calls(node: Any) -> Iterator[c_ast.FuncCall]:
    pending = [node]
    while pending:
        match pending.pop():
            case c_ast.FuncCall() as call:
                yield call
            case c_ast.Compound(block_items=inner):
                pending += inner or ()
            case c_ast.If(iftrue=one, iffalse=other) | c_ast.TernaryOp(iftrue=one, iffalse=other):
                pending += [one, other]
            case c_ast.For(init=first, next=last, stmt=inner):
                pending += [first, last, inner]
            case c_ast.While(stmt=inner) | c_ast.DoWhile(stmt=inner) | c_ast.Switch(stmt=inner):
                pending.append(inner)
            case c_ast.Label(stmt=inner) | c_ast.AttributedStatement(stmt=inner):
                pending.append(inner)
            case c_ast.Case(stmts=inner) | c_ast.Default(stmts=inner):
                pending += inner or ()
            case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.TypeDecl(type=kind)), expr=inner) if _is_void(kind):
                pending.append(inner)
            case c_ast.BinaryOp(op="&&" | "||", right=inner):
                pending.append(inner)
            case c_ast.ExprList(exprs=inner):
                pending += inner
            case _:
                pass


def _is_void(kind: Any) -> bool:
    return isinstance(kind, c_ast.IdentifierType) and kind.names == ["void"]
