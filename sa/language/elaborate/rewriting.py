"""Syntax trees made from syntax trees: parts replaced, names that stand for expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from msgspec.structs import replace

from sa.language import syntax
from sa.language.syntax.node import Node

_N = TypeVar("_N", bound=Node)


def rewritten(node: _N, change: Callable[[Node], Node | None]) -> _N:
    """A tree with all parts replaced for which `change` gives something, from the outside in."""
    changed = change(node)
    if changed is not None:
        return cast(_N, changed)
    parts = dict[str, object]()
    for name in node.__struct_fields__:
        value = getattr(node, name)
        if isinstance(value, Node):
            parts[name] = rewritten(value, change)
        elif isinstance(value, tuple):
            parts[name] = tuple(rewritten(v, change) if isinstance(v, Node) else v for v in value)
    different = any(part is not getattr(node, name) for name, part in parts.items() if not isinstance(part, tuple))
    different = different or any(
        any(a is not b for a, b in zip(part, getattr(node, name), strict=True))
        for name, part in parts.items()
        if isinstance(part, tuple)
    )
    return replace(node, **parts) if different else node


def with_names(node: _N, meanings: Mapping[str, syntax.Expression]) -> _N:
    """A tree in which names stand for these expressions. An array or a macro can only have another name."""

    def change(part: Node) -> Node | None:
        match part:
            case syntax.Name(name, 0) if name in meanings:
                return meanings[name]
            case syntax.Index(name, index, primes, span) if isinstance(new := meanings.get(name), syntax.Name):
                return syntax.Index(new.name, rewritten(index, change), primes, span)
            case syntax.Apply(name, arguments, span) if isinstance(new := meanings.get(name), syntax.Name):
                return syntax.Apply(new.name, tuple(rewritten(a, change) for a in arguments), span)
            case _:
                return None

    return rewritten(node, change)
