"""Static variables whose addresses nobody else can have, so that no pointer from outside leads to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from pycparser import c_ast

#: Assembly is not in the parser's tree.
_ASSEMBLY = re.compile(r"\b(?:__)?asm(?:__)?\b.*?\)\s*;", re.S)

_ARITHMETIC = {
    "_Bool", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "__int128",
}  # fmt: skip


def private(nodes: Iterable[Any], text: str) -> frozenset[str]:
    """The names of static variables, and of static ones of functions, whose address the text never takes.

    A name that means several variables is private if all that are not automatic are static numbers, and if none has
    its address taken, or is named in assembly.
    """
    nodes = list(nodes)
    named, taken = set[str](), {name for found in _ASSEMBLY.findall(text) for name in re.findall(r"\w+", found)}
    numbers, every = _numbers(nodes), {id(node) for node in nodes}
    for node in nodes:
        for here in _all(node):
            match here:
                case c_ast.Decl(name=str(name), storage=storage, type=kind) if "static" in storage:
                    # Arrays, and whatever may have some, are addresses wherever they are named.
                    (named if isinstance(kind, c_ast.TypeDecl) and _is_number(kind.type, numbers) else taken).add(name)
                case c_ast.Decl(name=str(name), storage=storage) if "extern" in storage or id(here) in every:
                    # Another file may have its address.
                    taken.add(name)
                case c_ast.UnaryOp(op="&", expr=expression):
                    taken.add(_start(expression))
                case _:
                    pass
    return frozenset(named - taken)


def _numbers(nodes: Iterable[Any]) -> frozenset[str]:
    """The names of arithmetic types: those of C, and those that stand for nothing else anywhere."""
    types = [t for node in nodes for t in _all(node) if isinstance(t, c_ast.Typedef)]
    known = {*_ARITHMETIC, *(t.name for t in types)}
    while wrong := {t.name for t in types if t.name in known and not _stands_for_number(t, known)}:
        known -= wrong
    return frozenset(known)


def _stands_for_number(found: Any, known: Collection[str]) -> bool:
    return isinstance(found.type, c_ast.TypeDecl) and _is_number(found.type.type, known)


def _is_number(kind: Any, numbers: Collection[str]) -> bool:
    return isinstance(kind, c_ast.Enum) or (
        isinstance(kind, c_ast.IdentifierType) and all(n in numbers for n in kind.names)
    )


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
