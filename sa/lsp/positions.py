"""Places in texts as the protocol counts them: lines from 0, columns in units of UTF-16."""

from __future__ import annotations

from lsprotocol.types import Position, Range

from sa.base.source import Source, Span, line_text, position


def to_position(source: Source, offset: int) -> Position:
    """A character offset as a position."""
    at = position(source, offset)
    before = source.text[source.line_starts[at.line - 1] : offset]
    return Position(at.line - 1, len(before.encode("utf-16-le", "surrogatepass")) // 2)


def to_range(span: Span) -> Range:
    """A span as a range."""
    return Range(to_position(span.source, span.start), to_position(span.source, span.end))


def to_offset(source: Source, at: Position) -> int:
    """A position as a character offset, cut at the ends of the line and of the text."""
    if at.line >= len(source.line_starts):
        return len(source.text)
    line = line_text(source, at.line + 1)
    units = line.encode("utf-16-le", "surrogatepass")[: 2 * at.character]
    return source.line_starts[at.line] + len(units.decode("utf-16-le", "replace"))


def whole(source: Source) -> Range:
    """All of a text."""
    return Range(Position(0, 0), to_position(source, len(source.text)))
