"""How deeply syntax trees are nested. Later phases recurse over them, so there is a cap."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sa.base.diagnostic import Diagnostic, error
from sa.language import syntax
from sa.lowering.depth import MAX_DEPTH

# Parts of the shape of a tree that are no level of their own.
_SHAPE = (syntax.Statement, syntax.Block, syntax.Arm)

_LEAVES = (syntax.Name, syntax.Integer, syntax.Boolean, syntax.Identifier, syntax.NamedType)


def _parts(kind: type[Any]) -> tuple[str, ...]:
    scalars = {"str", "int", "bool", "Span", "Identifier", "Verdict", "Source"}
    return tuple(f.name for f in fields(kind) if str(f.type).removesuffix(" | None") not in scalars)


_PARTS = {kind: _parts(kind) for kind in (getattr(syntax, n) for n in syntax.__all__) if isinstance(kind, type)}


def too_deep(module: syntax.Module) -> tuple[Diagnostic, ...]:
    """An error for the first part of the module that is nested too deeply; found without recursion."""
    pending: list[tuple[Any, int]] = [(d, 1) for d in reversed(module.declarations)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            return (error("SA012", f"nested deeper than {MAX_DEPTH} levels", node.span, "name parts of it"),)
        inner = depth if type(node) in _SHAPE else depth + 1
        for name in _PARTS[type(node)]:
            value = getattr(node, name)
            if type(value) is tuple:
                pending.extend([(v, inner) for v in value if type(v) not in _LEAVES and type(v) is not str])
            elif value is not None and type(value) not in _LEAVES and type(value) in _PARTS:
                pending.append((value, inner))
    return ()
