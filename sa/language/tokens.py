"""Tokens and comments of a text, without a parser: for the formatter and for messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from sa.base.source import Source

_TOKEN = re.compile(
    r"""(?P<line_comment>//[^\n]*)
    |(?P<block_comment>/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)
    |(?P<string>"[^"\n]*")
    |(?P<word>[A-Za-z_][A-Za-z_0-9]*(?:\?[0-9]+)?)
    |(?P<number>[0-9]+)
    |(?P<symbol><==>|==>|->|~>|:=|::|[-+*]=|\.\.|==|!=|<=|>=|&&|\|\||'+|[-+*/%<>=!(){}\[\];:,.@])
    |(?P<space>\s+)
    |(?P<stray>.)""",
    re.VERBOSE,
)


class Lexeme(Struct, frozen=True):
    """A piece of text. `kind` is line_comment, block_comment, string, word, number, symbol or stray."""

    kind: str
    text: str
    start: int


def lexemes(source: Source) -> Iterator[Lexeme]:
    """The pieces of a text in order, blanks left out."""
    for match in _TOKEN.finditer(source.text):
        kind = match.lastgroup or ""
        if kind != "space":
            yield Lexeme(kind, match.group(), match.start())


def open_bracket(source: Source) -> int | None:
    """The offset of the innermost bracket that is never closed."""
    opened = list[int]()
    for lexeme in lexemes(source):
        if lexeme.text in ("(", "[", "{"):
            opened.append(lexeme.start)
        elif lexeme.text in (")", "]", "}") and opened:
            opened.pop()
    return opened[-1] if opened else None
