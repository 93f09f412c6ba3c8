"""Static variables whose addresses nobody else can have, so that no pointer from outside leads to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from pycparser import c_ast

from sa.frontends.c.syntax_tree import nodes_of

#: Assembly is not in the parser's tree.
_ASSEMBLY = re.compile(r"\b(?:__)?asm(?:__)?\b.*?\)\s*;", re.S)

_ARITHMETIC = {
    "_Bool", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "__int128",
}  # fmt: skip


class _Parts(Struct, frozen=True):
    """What an array or a structure has: one kind of elements, or fields by their names. A number has no parts."""

    of: _Parts | None = None
    fields: Mapping[str, _Parts] | None = None


_NUMBER = _Parts()


def private(nodes: Iterable[Any], text: str) -> frozenset[str]:
    """The names of static variables, and of static ones of functions, whose address the text never takes.

    They are numbers, or arrays and structures of numbers of which nothing but single numbers is said. A name that means
    several variables is private if all that are not automatic are such, if none has its address taken, or is named in
    assembly.
    """
    nodes = list(nodes)
    parts, taken = dict[str, _Parts](), {n for found in _ASSEMBLY.findall(text) for n in re.findall(r"\w+", found)}
    types, every = _types(nodes), {id(node) for node in nodes}
    for node in nodes:
        for here in nodes_of(node):
            match here:
                case c_ast.Decl(name=str(name), storage=storage, type=kind) if "static" in storage:
                    made = _parts(kind, types)
                    if made is None or parts.setdefault(name, made) != made:
                        taken.add(name)
                case c_ast.Decl(name=str(name), storage=storage) if "extern" in storage or id(here) in every:
                    # Another file may have its address.
                    taken.add(name)
                case c_ast.UnaryOp(op="&", expr=expression):
                    taken.add(_start(expression))
                case _:
                    pass
    whole = {name for node in nodes for name in _whole(node, parts)}
    return frozenset(parts.keys() - taken - whole)


def _whole(node: Any, parts: Mapping[str, _Parts]) -> Iterator[str]:
    """The names of which more than a number is said: such arrays are addresses, and may be in what is copied."""
    pending = [node]
    while pending:
        here = pending.pop()
        if isinstance(here, c_ast.UnaryOp) and here.op in ("sizeof", "_Alignof") and _only_names(here.expr):
            continue
        if isinstance(here, c_ast.ID | c_ast.ArrayRef | c_ast.StructRef):
            name, said, inner = _said(here)
            if name in parts and said(parts[name]) is not _NUMBER:
                yield name
            pending += inner
        else:
            pending.extend(child for _, child in here.children())


def _only_names(operand: Any) -> bool:
    """Whether an operand of `sizeof` only names a place. Others may be evaluated, and hand an address on."""
    named = c_ast.ID | c_ast.ArrayRef | c_ast.StructRef | c_ast.UnaryOp | c_ast.Constant
    return all(isinstance(inner, named) for inner in nodes_of(operand))


def _said(node: Any) -> tuple[str, Callable[[_Parts], _Parts | None], list[Any]]:
    """The variable that a place begins with, which of its parts is meant, and the expressions in between."""
    match node:
        case c_ast.ID(name=name):
            return str(name), lambda parts: parts, []
        case c_ast.ArrayRef(name=outer, subscript=index):
            name, before, inner = _said(outer)
            return name, lambda parts: found.of if (found := before(parts)) is not None else None, [*inner, index]
        case c_ast.StructRef(name=outer, type=".", field=field):
            name, before, inner = _said(outer)
            return name, lambda parts: _field(before(parts), field.name), inner
        case c_ast.StructRef(name=outer):
            return "", lambda _: None, [outer]
        case _:
            return "", lambda _: None, [node]


def _field(parts: _Parts | None, name: str) -> _Parts | None:
    return None if parts is None or parts.fields is None else parts.fields.get(name)


class _Types(Struct, frozen=True):
    """The names of types that are numbers, and what structures' tags and other names of types stand for."""

    numbers: Collection[str]
    tags: Mapping[str, Sequence[Any]]
    names: Mapping[str, Sequence[Any]]


def _types(nodes: Sequence[Any]) -> _Types:
    tags, names = dict[str, list[Any]](), dict[str, list[Any]]()
    for node in nodes:
        for here in nodes_of(node):
            if isinstance(here, c_ast.Struct) and here.decls is not None and here.name is not None:
                tags.setdefault(here.name, []).append(here)
            if isinstance(here, c_ast.Typedef):
                names.setdefault(here.name, []).append(here.type)
    return _Types(_numbers(nodes), tags, names)


def _parts(kind: Any, types: _Types) -> _Parts | None:
    """What an object of a type has; None if that may be an address, or is not known."""
    match kind:
        case c_ast.ArrayDecl(type=of):
            inner = _parts(of, types)
            return None if inner is None else _Parts(of=inner)
        case c_ast.TypeDecl(type=of):
            return _parts(of, types)
        case c_ast.Struct(decls=None):
            return _only(types.tags.get(kind.name, []), types)
        case c_ast.Struct(decls=decls):
            made = {d.name: _parts(d.type, types) for d in decls if isinstance(d, c_ast.Decl)}
            known = {n: p for n, p in made.items() if n is not None and p is not None}
            return _Parts(fields=known) if len(known) == len(decls) else None
        case _ if _is_number(kind, types.numbers):
            return _NUMBER
        case c_ast.IdentifierType(names=[name]):
            return _only(types.names.get(name, []), types)
        case _:
            return None


def _only(found: Sequence[Any], types: _Types) -> _Parts | None:
    return _parts(found[0], types) if len(found) == 1 else None


def _numbers(nodes: Iterable[Any]) -> frozenset[str]:
    """The names of arithmetic types: those of C, and those that stand for nothing else anywhere."""
    types = [t for node in nodes for t in nodes_of(node) if isinstance(t, c_ast.Typedef)]
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
