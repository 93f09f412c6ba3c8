"""Generic selections (C11 6.5.1.1): which of their expressions is meant, by the type of the first one."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body
from sa.frontends.c.types import Array, CType, Function, Int, Pointer, plain
from sa.frontends.c.values import Unsupported


def selected(body: Body, node: c_ast.GenericSelection) -> Any:
    """The expression that is selected; the compiler has seen that there is one. Raises Unsupported.

    Types here do not tell what `const` makes another type behind a pointer, nor `long` from `long long`: where that
    may matter, it is not known which one is meant.
    """
    wanted = _given(body.file.typed(body, node.expr))
    same = [a for a in node.associations if a.type is not None and _given(body.file.typed(body, a.type)) == wanted]
    others = [a for a in node.associations if a.type is None]
    if not same:
        if not others:
            raise Unsupported("SA719", "no type of this selection is that of its expression")
        return others[0].expr
    if len(same) + len(others) > 1 and _may_be_another(wanted):
        hint = "call the function that you mean by its name"
        raise Unsupported("SA719", "which expression this selects is not known here", hint)
    return same[0].expr


def _given(kind: CType) -> CType:
    """The type of a value of a type: without qualifiers, a pointer for an array or a function."""
    match kind:
        case Array(of, _):
            return Pointer(of)
        case Function():
            return Pointer(kind)
        case Int():
            # An enumeration is compatible with the type of its numbers.
            made = plain(kind)
            assert isinstance(made, Int)
            return Int(made.name, made.bits, made.signed)
        case _:
            return plain(kind)


def _may_be_another(kind: CType) -> bool:
    return isinstance(kind, Pointer) or (isinstance(kind, Int) and kind.bits == 64)
