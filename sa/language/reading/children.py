"""What the functions of this package share: children of a rule, their spans, lists among them.

The grammar keeps every token, so the first and the last child tell where a node starts and ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from lark import Token
from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.base.source import Source, Span
from sa.base.verdict import Verdict
from sa.language.syntax import Identifier

#: Tokens and nodes that were already built.
Children = list[Any]
Node = TypeVar("Node")

_VERDICTS = {"proved": Verdict.PROVED, "refuted": Verdict.REFUTED, "unknown": Verdict.UNKNOWN}


class Item(Struct, frozen=True):
    """A part of a location, a refinement block or a step until the whole is read."""

    keyword: str
    values: tuple[Any, ...]
    span: Span


def start_of(child: Any) -> int:
    """The offset where a token or node starts."""
    return int(child.start_pos or 0) if type(child) is Token else int(child.span.start)


def end_of(child: Any) -> int:
    """The offset behind a token or node."""
    return int(child.end_pos or 0) if type(child) is Token else int(child.span.end)


def span_of(source: Source, children: Children) -> Span:
    """From the first child to the last."""
    return Span(source, start_of(children[0]), end_of(children[-1]))


def identifier(source: Source, token: Token) -> Identifier:
    """A declared name."""
    return Identifier(str(token), span_of(source, [token]))


def identifiers(source: Source, children: Iterable[Any]) -> tuple[Identifier, ...]:
    """The names among the children."""
    return tuple(identifier(source, c) for c in children if type(c) is Token and c.type == "NAME")


def nodes(children: Iterable[Any]) -> tuple[Any, ...]:
    """The children that are not tokens."""
    return tuple(c for c in children if type(c) is not Token)


def first(kind: type[Node], children: Iterable[Any]) -> Node | None:
    """The first child of a class."""
    return next((c for c in children if type(c) is kind), None)


def every(kind: type[Node], children: Iterable[Any]) -> tuple[Node, ...]:
    """All children of a class."""
    return tuple(c for c in children if type(c) is kind)


def after(text: str, children: Children) -> Any:
    """The child behind the first token that reads `text`; None if there is no such token."""
    for position, child in enumerate(children):
        if type(child) is Token and child == text:
            return children[position + 1]
    return None


def quoted(token: Token) -> str:
    """The text of a string literal."""
    return str(token[1:-1])


def verdict(source: Source, token: Token) -> Verdict:
    """The verdict that `expect` names."""
    found = _VERDICTS.get(token)
    if found is None:
        raise rejected("SA006", f"`{token}` is not a verdict", source, [token], "write proved, refuted or unknown")
    return found


def rejected(code: str, message: str, source: Source, children: Children, hint: str | None = None) -> InputError:
    """The error that ends reading here."""
    return InputError((error(code, message, span_of(source, children), hint),))


def item(source: Source, children: Children) -> Item:
    """`KEYWORD … ";"`, the semicolon perhaps outside: what stands between."""
    values = children[1:-1] if children[-1] == ";" else children[1:]
    return Item(str(children[0]), tuple(values), span_of(source, children))
