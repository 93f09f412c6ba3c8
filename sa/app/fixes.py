"""Hints that say what to write instead, as changes of the text."""

from __future__ import annotations

import re

from msgspec import Struct

from sa.base.diagnostic import Diagnostic
from sa.base.source import Span, span_text


class Fix(Struct, frozen=True):
    """What a change is called, the place that is replaced, and by what."""

    title: str
    place: Span
    text: str


def fix_of(found: Diagnostic) -> Fix | None:
    """The change that a message hints at; None where the hint leaves it open."""
    span, hint = found.span, found.hint or ""
    if span is None:
        return None
    if near := re.search(r"did you mean `([^`…]+)`\?", hint):
        return Fix(f"write `{near[1]}`", span, near[1])
    if wanted := re.fullmatch(r"expected `([^`…\s]+)`", hint):
        return Fix(f"insert `{wanted[1]}`", Span(span.source, span.start, span.start), wanted[1])
    if "put it into `atomic { … }`" in hint:
        return Fix("make it one atomic step", span, f"atomic {{ {span_text(span)} }}")
    return None
