"""A source line with a caret under a span: tabs, wide and invisible characters, long lines."""

from __future__ import annotations

import unicodedata

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.base.source import Span, line_text, position
from sa.report.text import cell_len

_TAB = 4
#: So many calls and macros around a step are told.
_MOST_LINKS = 6


#: So much of a line of another language is shown.
_MOST_TEXT = 60


class Snippet(Struct, frozen=True):
    """A displayed line and the cells `start..end` of it that the span covers."""

    number: int
    text: str
    start: int
    end: int


def place(span: Span) -> str:
    """The span's start as `file:line:column`."""
    at = position(span.source, span.start)
    return f"{span.source.name}:{at.line}:{at.column}"


def chain_told(origin: Origin) -> str:
    """What leads to a step of inlined code or of a macro, from the inside outwards; empty where nothing does."""
    pieces, calls = list[str](), False
    for link in origin.chain[:_MOST_LINKS]:
        at_home = origin.span is not None and link.span.source is origin.span.source
        where = f"line {position(link.span.source, link.span.start).line}" if at_home else place(link.span)
        if link.compiled:
            pieces.append(f"compiled from {where}: {_text_of(link.span)}")
        elif link.macro is not None:
            pieces.append(f"in the expansion of {link.macro}, {where}")
        else:
            pieces.append(where if calls else f"called from {where}")
        calls = link.macro is None and not link.compiled
    return ", ".join((*pieces, "…") if len(origin.chain) > _MOST_LINKS else pieces)


def _text_of(span: Span) -> str:
    """The line of a span, shortened."""
    text = line_text(span.source, position(span.source, span.start).line).strip()
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"


def snippet(span: Span, width: int, dedent: bool = False) -> Snippet:
    """The first line of the span, at most `width` cells long, shortened around the span where necessary.

    A span of several lines is underlined to the end of its first. `dedent` drops the indentation.
    """
    at = position(span.source, span.start)
    line = line_text(span.source, at.line)
    first = min(at.column - 1, len(line))
    last = max(first, min(len(line), first + span.end - span.start))
    if dedent:
        indentation = min(first, len(line) - len(line.lstrip()))
        line, first, last = line[indentation:], first - indentation, last - indentation
    last = first + len(line[first:last].rstrip())
    cells = _displayed(line)
    start = sum(cell_len(c) for c in cells[:first])
    end = max(start + 1, start + sum(cell_len(c) for c in cells[first:last]))
    return _shortened(Snippet(at.line, "".join(cells).rstrip(), start, end), width)


def statement(span: Span, width: int) -> str:
    """The first line of the span without indentation; of a line with other statements the span alone."""
    at = position(span.source, span.start)
    line = line_text(span.source, at.line)
    first = min(at.column - 1, len(line))
    last = max(first, min(len(line), first + span.end - span.start))
    own = line[first:last].strip()
    alone = own == "}" or ";" not in line[:first] + line[last:].lstrip().removeprefix(";")
    whole = "".join(_displayed(line.strip() if alone else own))
    return _shortened(Snippet(at.line, whole, 0, 1), width).text


def _displayed(line: str) -> list[str]:
    """What is shown for each character of the line."""
    shown = list[str]()
    column = 0
    for c in line:
        if c == "\t":
            text = " " * (_TAB - column % _TAB)
        else:
            text = "\ufffd" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c
        shown.append(text)
        column += cell_len(text)
    return shown


def _shortened(whole: Snippet, width: int) -> Snippet:
    if cell_len(whole.text) <= width:
        return whole
    # Keep the span's start visible, with some of what stands before it.
    skipped = 0 if whole.end < width else max(0, whole.start - width // 3)
    kept, cells, position_in_line = "", 0, 0
    room = width - (2 if skipped else 1)
    for c in whole.text:
        size = cell_len(c)
        if position_in_line >= skipped:
            if cells + size > room:
                break
            kept += c
            cells += size
        else:
            skipped = max(skipped, position_in_line + size)
        position_in_line += size
    cut_right = position_in_line < cell_len(whole.text)
    text = ("…" if skipped else "") + kept + ("…" if cut_right else "")
    shift = skipped - (1 if skipped else 0)
    start = max(0, whole.start - shift)
    return Snippet(whole.number, text, start, max(start + 1, min(whole.end - shift, cell_len(text))))
