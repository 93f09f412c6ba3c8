"""Places in preprocessed text as places in the user's files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sa.automata.automaton import Link, Origin
from sa.base.source import Source, Span, line_text

_COMMENT = ("//", "/*")
_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()]*\))?((?:\\\r?\n|.)*)", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
#: What makes the replacement of a macro more than a value.
_EFFECT = re.compile(r"[;{]|(?<![=!<>])=(?!=)|\+\+|--|\b(?!sizeof\b)[A-Za-z_]\w*\s*\(")


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
    if place is None:
        return Origin(None)
    text = place.source.text[place.start : place.end]
    return Origin(place, text, _expansions(text, place.source))


def _expansions(text: str, source: Source) -> tuple[Link, ...]:
    """The macros with effects of which a line has the expansion, as its file defines them, the innermost first."""
    return tuple(Link(Span(source, *place), name) for name, place in _expanded(text, source.text))


@lru_cache(maxsize=2**12)
def _expanded(line: str, text: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    known = _macros(text)
    found, pending = dict[str, tuple[int, int]](), [line] if known else []
    while pending:
        for word in _WORD.findall(pending.pop()):
            if word in known and word not in found:
                what, found[word] = known[word]
                pending.append(what)
    return tuple(reversed(found.items()))


@lru_cache(maxsize=16)
def _macros(text: str) -> Mapping[str, tuple[str, tuple[int, int]]]:
    """Macros whose expansion does something: the replacement, and where the definition is."""
    found = ((m.group(1), m.group(3), m.span()) for m in _DEFINITION.finditer(text))
    return {name: (what, place) for name, what, place in found if _EFFECT.search(what)}
