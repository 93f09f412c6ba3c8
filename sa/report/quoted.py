"""Statements as they are quoted within a sentence, and names in a row."""

from __future__ import annotations

from collections.abc import Sequence

from sa.base.source import Span, position, span_text

#: Longer statements are cut.
_MOST_LETTERS = 48


def quoted(span: Span) -> str:
    """The line of a statement, and its text on one line: ``12 `x = y` ``."""
    text = " ".join(span_text(span).split()).removesuffix(";")
    cut = text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
    return f"{position(span.source, span.start).line} `{cut}`"


def in_a_row(names: Sequence[str]) -> str:
    """Names, at least one: `a, b and c`."""
    return " and ".join([*([", ".join(names[:-1])] if names[:-1] else []), names[-1]])
