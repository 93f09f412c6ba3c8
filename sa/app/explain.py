"""`explain`: what a code means, and which codes there are."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from sa.language.codes import CATALOGUE, Explanation, explanation


def explain(code: str) -> Explanation | None:
    """What a code means, None if there is no such code."""
    return explanation(code)


def meanings() -> Mapping[str, tuple[str, str]]:
    """The title and the explanation of each code."""
    return {code: (found.title, found.text) for code, found in CATALOGUE.items()}


def beginning(start: str) -> Mapping[str, str]:
    """The titles of the codes that begin so."""
    return {code: found.title for code, found in CATALOGUE.items() if code.startswith(start.upper())}


def closest(code: str) -> str | None:
    """The code that was probably meant."""
    close = get_close_matches(code.upper(), CATALOGUE, 1, 0.8)
    return close[0] if close else None
