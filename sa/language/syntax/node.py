"""What all parts of a syntax tree have in common."""

from __future__ import annotations

from msgspec import Struct

from sa.base.source import Source

_PLACES = frozenset({"span", "head"})


class Node(Struct, frozen=True, eq=False):
    """A part of a syntax tree. Parts are equal if they say the same, wherever they stand."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Node) and _said(self) == _said(other)

    def __hash__(self) -> int:
        return hash((type(self), *_said(self)))


def _said(node: Node) -> list[object]:
    values = (getattr(node, name) for name in node.__struct_fields__ if name not in _PLACES)
    return [value for value in values if type(value) is not Source]
