"""Which constructs of C a file has, with their places, and which of them are accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from pycparser import c_ast

from sa.base.diagnostic import Diagnostic, InputError, Severity
from sa.base.source import Span, position
from sa.frontends.c.load import load_with
from sa.frontends.c.parsing import parsed
from sa.frontends.c.places import span
from sa.frontends.c.read import Text, read
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.reading import Reading


class Construct(Struct, frozen=True):
    """A construct and its places, in their order. `refused` says why it is not accepted somewhere, None if it is."""

    name: str
    places: tuple[Span, ...]
    refused: str | None = None


_STATEMENTS = {
    c_ast.While: "while", c_ast.For: "for", c_ast.DoWhile: "do", c_ast.Switch: "switch", c_ast.Goto: "goto",
    c_ast.TernaryOp: "?:", c_ast.Cast: "cast", c_ast.CompoundLiteral: "compound literal", c_ast.ArrayDecl: "array",
    c_ast.PtrDecl: "pointer", c_ast.Typedef: "typedef",
}  # fmt: skip

#: Macros of the library by what they stand for.
_CALLED = {"__sacheck_assert": "assert", "__sacheck_cleanup": "pthread_cleanup_push"}


def coverage(path: str, reading: Reading) -> tuple[Construct, ...]:
    """The constructs of a file of C: refused ones first, then by name. Raises InputError for what is no C at all."""
    text = read(path, reading)
    nodes = parsed(text).nodes
    problems = _problems(path, reading)
    found = dict[str, dict[Span, None]]()
    own = {n.decl.name for n in nodes if isinstance(n, c_ast.FuncDef)}
    for node in nodes:
        for name, place in _constructs(node, text, own):
            found.setdefault(name, {})[place] = None
    refused = dict[str, dict[Span, None]]()
    for problem in problems:
        if problem.span is not None:
            refused.setdefault(problem.message, {})[problem.span] = None
    made = [Construct(message, _sorted(places), message) for message, places in refused.items()]
    for name, places in sorted(found.items()):
        # A call that is refused is named by the message.
        told = f"`{name.removesuffix('()')}`"
        bad = {line_of(p) for message, there in refused.items() if told in message for p in there}
        good = [p for p in places if line_of(p) not in bad]
        if good:
            made.append(Construct(name, _sorted(good)))
    return tuple(made)


def _problems(path: str, reading: Reading) -> tuple[Diagnostic, ...]:
    try:
        load_with(path, reading)
    except InputError as wrong:
        return tuple(d for d in wrong.diagnostics if d.severity is Severity.ERROR)
    return ()


def _sorted(places: Any) -> tuple[Span, ...]:
    return tuple(sorted(places, key=lambda p: (p.source.name, p.start)))


def line_of(place: Span) -> int:
    """The number of a place's line."""
    return position(place.source, place.start).line


def _constructs(node: Any, text: Text, own: set[str]) -> Iterator[tuple[str, Span]]:
    """What a node of the parser's tree and those in it are, where they are in the user's files."""
    for here in nodes_of(node):
        place = span(here, text)
        if place is not None:
            yield from ((name, place) for name in _names(here, own))


def _names(node: Any, own: set[str]) -> Iterator[str]:
    if type(node) in _STATEMENTS:
        yield _STATEMENTS[type(node)]
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            yield "call" if name in own else f"{_CALLED.get(name, name)}()"
        case c_ast.FuncCall():
            yield "call through a pointer"
        case c_ast.Struct(decls=list()):
            yield "struct"
        case c_ast.Union(decls=list()):
            yield "union"
        case c_ast.Enum(values=c_ast.EnumeratorList()):
            yield "enum"
        case c_ast.UnaryOp(op="sizeof" | "&" as op):
            yield op
        case c_ast.Decl():
            yield from (word for word in ("_Thread_local",) if word in node.storage)
            yield from (word for word in ("_Atomic", "volatile") if word in node.quals)
            if node.bitsize is not None:
                yield "bit field"
        case c_ast.IdentifierType() if {"float", "double"} & set(node.names):
            yield "floating-point number"
        case _:
            pass
