"""Walking through syntax trees of C."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def nodes_of(node: Any) -> Iterator[Any]:
    """A node of pycparser and all nodes below it, in no order that matters."""
    pending = [node]
    while pending:
        here = pending.pop()
        yield here
        pending.extend(child for _, child in here.children())
