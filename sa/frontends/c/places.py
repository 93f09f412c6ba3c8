"""Places in preprocessed text as places in the user's files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from sa.automata.automaton import Link, Origin
from sa.base.source import Source, Span, line_text
from sa.frontends.c.read import Text

_COMMENT = ("//", "/*")
_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()]*\))?((?:\\\r?\n|.)*)", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\w+|\S')
_MARKER = re.compile(r'#(?:line)? *(\d+) "((?:[^"\\]|\\.)*)"')
#: What makes the replacement of a macro more than a value.
_EFFECT = re.compile(r"[;{]|(?<![=!<>])=(?!=)|\+\+|--|\b(?!sizeof\b)[A-Za-z_]\w*\s*\(")


def span(node: Any, text: Text) -> Span | None:
    """The statement of a node: its line without indentation and comment, or the part of it if there are several.

    None if it is in none of the user's files.
    """
    coord = getattr(node, "coord", None)
    if coord is None or coord.file not in text.sources:
        return None
    source = text.sources[coord.file]
    if not 1 <= coord.line <= len(source.line_starts):
        return None
    line = line_text(source, coord.line)
    for mark in _COMMENT:
        cut = line.find(mark)
        if cut > 0 and '"' not in line[:cut]:
            line = line[:cut]
    lines = _preprocessed(text.text, source.name).get((coord.file, coord.line), ())
    # A line that was preprocessed in pieces has columns that belong to any of them.
    column = _column(line, lines[0], coord.column or 1) if len(lines) == 1 else None
    start, end = statement_at(line, column)
    return Span(source, source.line_starts[coord.line - 1] + start, source.line_starts[coord.line - 1] + end)


def origin(node: Any, text: Text) -> Origin:
    """The origin of a node."""
    place = span(node, text)
    if place is None:
        return Origin(None)
    words = place.source.text[place.start : place.end]
    return Origin(place, words, _expansions(words, place.source))


def statement_at(line: str, column: int | None) -> tuple[int, int]:
    """Where the statement at a column of a line begins and ends; the whole line if it has one or no column is known."""
    parts = list(_statements(line)) if column is not None else []
    if column is None or len(parts) < 2:
        return len(line) - len(line.lstrip()), len(line.rstrip())
    return next(((start, end) for start, end in parts if column < end), parts[-1])


def _statements(line: str) -> Iterator[tuple[int, int]]:
    """The parts of a line between semicolons and braces that stand outside of parentheses and initial values."""
    start, depth, before = 0, 0, ""
    for token in _TOKEN.finditer(line):
        word = token.group()
        if not depth and (word in ";}" or (word == "{" and before != "=")):
            yield from _without_blanks(line, start, token.end() if word == ";" else token.start())
            start = token.end()
        elif word in "([{":
            depth += 1
        elif word in ")]}":
            depth = max(0, depth - 1)
        before = word
    yield from _without_blanks(line, start, len(line))


def _without_blanks(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    words = line[start:end].strip()
    if words.strip(";"):
        start = line.index(words, start)
        yield start, start + len(words)


@lru_cache(maxsize=2**12)
def _column(line: str, preprocessed: str, column: int) -> int | None:
    """The column, from 0, in a line of what stands at a column, from 1, of that line once preprocessed.

    The line's words are matched with those it was expanded to; what has none belongs to the word behind the last match.
    """
    words, expanded = list(_TOKEN.finditer(line)), list(_TOKEN.finditer(preprocessed))
    here = next((i for i, word in enumerate(expanded) if column <= word.end()), None)
    if here is None or not words:
        return None
    matcher = SequenceMatcher(None, [w.group() for w in expanded], [w.group() for w in words], autojunk=False)
    found = 0
    for block in matcher.get_matching_blocks():
        if block.a > here:
            break
        found = block.b + (here - block.a if here < block.a + block.size else block.size)
    return words[min(found, len(words) - 1)].start()


@lru_cache(maxsize=4)
def _preprocessed(text: str, name: str) -> Mapping[tuple[str, int], tuple[str, ...]]:
    """The lines of preprocessed text by their files and numbers."""
    found = dict[tuple[str, int], tuple[str, ...]]()
    file, number = name, 1
    for line in text.split("\n"):
        if (marker := _MARKER.match(line)) is not None:
            file, number = marker.group(2), int(marker.group(1))
            continue
        found[file, number] = (*found.get((file, number), ()), line)
        number += 1
    return found


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
