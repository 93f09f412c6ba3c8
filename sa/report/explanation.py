"""What a code means, for a terminal and as JSON; the list of engines as JSON."""

from __future__ import annotations

from msgspec import Struct
from rich.text import Text

from sa.report.screen import STRONG, Screen, render, wrap

_WIDEST = 80


class ExplanationJson(Struct, frozen=True, tag_field="format", tag="sacheck-explanation/1"):
    """`sacheck explain`: what a code means."""

    code: str
    title: str
    text: str


class EngineJson(Struct, frozen=True):
    """An engine: its name for `--engine`, the verdicts that it can give, and what it does."""

    name: str
    answers: list[str]
    about: str


class EnginesJson(Struct, frozen=True, tag_field="format", tag="sacheck-engines/1"):
    """`sacheck engines`: those of each command in the order in which they are asked."""

    engines: dict[str, list[EngineJson]]
    status: int


def show_explanation(code: str, title: str, text: str, screen: Screen) -> str:
    """The code with its title, the paragraph below it."""
    head = Text.assemble((code, STRONG), f": {title}")
    return render(screen, [head, Text(), *wrap(text, min(screen.width, _WIDEST))])
