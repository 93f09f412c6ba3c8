"""Places in preprocessed text as places in the user's files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sa.automata.automaton import Origin
from sa.base.source import Source, Span, line_text

_COMMENT = ("//", "/*")


def span(node: Any, sources: Mapping[str, Source]) -> Span | None:
    """The line of a node without its indentation and comment; None if it is in none of the user's files.

    Columns are those of the preprocessed text and say nothing where a macro was expanded before them.
    """
    coord = getattr(node, "coord", None)
    if coord is None or coord.file not in sources:
        return None
    source = sources[coord.file]
    if not 1 <= coord.line <= len(source.line_starts):
        return None
    text = line_text(source, coord.line)
    for mark in _COMMENT:
        cut = text.find(mark)
        if cut > 0 and '"' not in text[:cut]:
            text = text[:cut]
    start = source.line_starts[coord.line - 1] + len(text) - len(text.lstrip())
    return Span(source, start, max(start, source.line_starts[coord.line - 1] + len(text.rstrip())))


def origin(node: Any, sources: Mapping[str, Source]) -> Origin:
    """The origin of a node."""
    place = span(node, sources)
    return Origin(place, "" if place is None else place.source.text[place.start : place.end])
