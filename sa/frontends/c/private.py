"""Static variables whose addresses nobody else can have, so that no pointer from outside leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast

#: Assembly is not in the parser's tree.
_ASSEMBLY = re.compile(r"\b(?:__)?asm(?:__)?\b.*?\)\s*;", re.S)


def private(nodes: Iterable[Any], text: str) -> frozenset[str]:
    """The names of static variables, and of static ones of functions, whose address the text never takes.

    A name that means several variables is private if none of them has its address taken, or is named in assembly.
    """
    named, taken = set[str](), {name for found in _ASSEMBLY.findall(text) for name in re.findall(r"\w+", found)}
    for node in nodes:
        for here in _all(node):
            match here:
                case c_ast.Decl(name=str(name), storage=storage, type=kind) if "static" in storage:
                    # Arrays, and whatever may have some, are addresses wherever they are named.
                    (named if isinstance(kind, c_ast.TypeDecl) and _is_number(kind.type) else taken).add(name)
                case c_ast.UnaryOp(op="&", expr=expression):
                    taken.add(_start(expression))
                case _:
                    pass
    return frozenset(named - taken)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, c_ast.IdentifierType | c_ast.Enum)


def _start(expression: Any) -> str:
    """The variable that a place begins with."""
    while not isinstance(expression, c_ast.ID):
        inner = expression.children()
        if not inner:
            return ""
        expression = inner[0][1]
    return str(expression.name)


def _all(node: Any) -> Iterator[Any]:
    pending = [node]
    while pending:
        here = pending.pop()
        yield here
        pending.extend(child for _, child in here.children())
