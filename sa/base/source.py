"""Source texts and spans in them. The only room that counts lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from msgspec import Struct


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A named text. `name` is the path as the user wrote it."""

    name: str
    text: str = field(repr=False)
    line_starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = [0]
        starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")
        object.__setattr__(self, "line_starts", tuple(starts))


class Span(Struct, frozen=True):
    """The half-open range `start..end` of character offsets in `source`."""

    source: Source
    start: int
    end: int


class Position(Struct, frozen=True):
    """A line and a column, both counted from 1."""

    line: int
    column: int


def position(source: Source, offset: int) -> Position:
    """Line and column of a character offset."""
    line = bisect_right(source.line_starts, offset)
    return Position(line, offset - source.line_starts[line - 1] + 1)


def line_text(source: Source, line: int) -> str:
    """The text of a line (from 1), without its newline."""
    start = source.line_starts[line - 1]
    end = source.line_starts[line] - 1 if line < len(source.line_starts) else len(source.text)
    return source.text[start:end].rstrip("\r")


def span_text(span: Span) -> str:
    """The characters that the span covers."""
    return span.source.text[span.start : span.end]
