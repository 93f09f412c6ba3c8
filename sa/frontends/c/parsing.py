"""Text of C as declarations, by the parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pycparser import CParser, c_ast
from pycparser.c_parser import ParseError

from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.source import Span
from sa.frontends.c.gnu import without_extensions
from sa.frontends.c.read import Text
from sa.frontends.c.syntax_tree import nodes_of

#: `&&label` of GNU C, for `goto *`: an operand has to come before `&&` elsewhere.
_ADDRESS_OF_LABEL = re.compile(r"[=,({\[;?:]\s*(&&\s*[A-Za-z_]\w*)")


class Parsed(NamedTuple):
    """A text with its declarations. Names that are `assigned` to or whose address is taken; all that are `said`."""

    text: Text
    nodes: Sequence[Any]
    assigned: frozenset[str]
    said: frozenset[str]


def parsed(text: Text, alone: bool = False) -> Parsed:
    """A text with its declarations, of which functions may be compared `alone`. Raises InputError."""
    source = text.source
    try:
        tree = CParser().parse(without_extensions(text.text, alone), source.name)
    except ParseError as wrong:
        raise InputError((_syntax(str(wrong), text),)) from None
    except RecursionError:
        raise InputError((error("SA703", "nested too deeply", Span(source, 0, 0)),)) from None
    return Parsed(text, tree.ext, *names_said(tree.ext))


def _syntax(message: str, text: Text) -> Diagnostic:
    parts = message.split(":")
    if len(parts) >= 4 and parts[0] in text.sources and parts[1].isdigit():
        source, line = text.sources[parts[0]], int(parts[1])
        if 1 <= line <= len(source.line_starts):
            start = source.line_starts[line - 1]
            end = source.text.find("\n", start)
            place = Span(source, start, len(source.text) if end < 0 else end)
            said = ":".join(parts[3:]).strip()
            if said == "before: {":
                # The compiler takes it, so it is an extension of GNU C.
                message = "a function inside of another one is not accepted"
                return error("SA703", message, place, "write it outside, and give it what it needs")
            return error("SA703", f"this is not understood as C: {said}", place)
    if (found := _ADDRESS_OF_LABEL.search(text.source.text)) is not None:
        # The parser does not say where this is.
        place = Span(text.source, found.start(1), found.end(1))
        return error("SA703", "an address of a label is not accepted", place, "use `switch`")
    return error("SA703", f"`{text.source.name}` is not understood as C: {message}")


def names_said(nodes: Sequence[Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Names that are assigned to, or whose address is taken, somewhere in some text; and all that are said in it."""
    assigned, said = set[str](), set[str]()
    for here in (n for node in nodes for n in nodes_of(node)):
        match here:
            case c_ast.ID(name=name):
                said.add(name)
            case c_ast.UnaryOp(op="&" | "++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
                assigned.add(name)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                assigned.add(name)
            case _:
                pass
    return frozenset(assigned), frozenset(said)
