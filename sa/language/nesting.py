"""How deeply syntax trees are nested. Later phases recurse over them, so there is a cap."""

from __future__ import annotations

from typing import Any

from sa.base.diagnostic import Diagnostic, error
from sa.language import syntax
from sa.language.syntax.node import Node
from sa.lowering.depth import MAX_DEPTH

# Parts of the shape of a tree that are no level of their own.
_SHAPE = (syntax.Statement, syntax.Block, syntax.Arm)

_LEAVES = (syntax.Name, syntax.Integer, syntax.Boolean, syntax.Identifier, syntax.NamedType)


def too_deep(module: syntax.Module) -> tuple[Diagnostic, ...]:
    """An error for the first part of the module that is nested too deeply; found without recursion."""
    pending: list[tuple[Any, int]] = [(d, 1) for d in reversed(module.declarations)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            return (error("SA012", f"nested deeper than {MAX_DEPTH} levels", node.span, "name parts of it"),)
        inner = depth if type(node) in _SHAPE else depth + 1
        for name in node.__struct_fields__:
            value = getattr(node, name)
            parts = value if type(value) is tuple else (value,)
            pending.extend([(v, inner) for v in parts if isinstance(v, Node) and not isinstance(v, _LEAVES)])
    return ()
