"""The arguments of a program as C has them, an array of pointers to texts (C11 5.1.2.2.1).

That is needed where `main` hands the array on, moves along it, or looks at the letters of an argument whose number is
not constant. Otherwise each argument that it names is a text of its own, and there may be any number of them.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, emit, fresh, object_of
from sa.frontends.c.caveats import NAMED, few_arguments
from sa.frontends.c.formats import WRITING
from sa.frontends.c.literals import outside_text
from sa.frontends.c.numbers_in_texts import READS
from sa.frontends.c.operations import decide
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.types import CHAR, Array, Pointer, key_of
from sa.frontends.flow.graph import Halt, Set, Storage, Store, base
from sa.terms import build
from sa.terms.term import Var

#: How many arguments such a program has at most, its name among them.
_MOST = 7
_ARRAY = "arguments"


def opens_arguments(function: c_ast.FuncDef, name: str) -> bool:
    """Whether a function does more with the array of this name than to take elements that are named or passed on."""
    nodes = tuple(nodes_of(function.body))
    elements = [n for n in nodes if isinstance(n, c_ast.ArrayRef) and _is(n.name, name)]
    plain = [n for n in nodes if isinstance(n, c_ast.Cast) and _is(n.expr, name) and _is_void(n)]
    used = [n for n in nodes if _is(n, name)]
    if len(used) != len(elements) + len(plain):
        return True
    known = [e for n in nodes for e in _passed(n)]
    chosen = [e for e in elements if not isinstance(e.subscript, c_ast.Constant)]
    return any(not any(e is k for k in known) for e in chosen)


def _passed(node: Any) -> list[Any]:
    """What a node takes a number from, prints, or compares with null."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=called)) if node.args is not None:
            return node.args.exprs[:1] if called in READS else node.args.exprs if called in WRITING else []
        case c_ast.BinaryOp(op=("==" | "!="), left=left, right=right):
            return [left, right]
        case c_ast.UnaryOp(op="!", expr=inner) | c_ast.If(cond=inner) | c_ast.While(cond=inner):
            return [inner]
        case _:
            return []


def _is(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def _is_void(cast: c_ast.Cast) -> bool:
    inner = getattr(cast.to_type.type, "type", None)
    return isinstance(inner, c_ast.IdentifierType) and inner.names == ["void"]


def array_of_arguments(body: Body, parameter: Var, count: Var) -> None:
    """Give the parameter the array: so many texts, and a null pointer. The run ends where there are more, or none."""
    kind = Pointer(CHAR)
    body.file.granted[NAMED] = None
    body.file.granted[few_arguments(_MOST + 1)] = None
    there, beyond = fresh(body), fresh(body)
    decide(body, build.land(build.lt(build.ZERO, count), build.le(count, build.integer(_MOST))), there, beyond)
    body.here = beyond
    emit(body, Halt())
    body.here = there
    body.file.objects[_ARRAY] = object_of(_ARRAY, Array(kind, _MOST + 1), Storage.STATIC, body.origin, {})
    for place in range(_MOST):
        text = outside_text(body, f"argument {place}").term
        given = build.ite(build.lt(build.integer(place), count), text, build.ZERO)
        emit(body, Store(build.add(base(_ARRAY), build.integer(place)), given, key_of(kind), "index"))
    emit(body, Set(parameter, base(_ARRAY)))
