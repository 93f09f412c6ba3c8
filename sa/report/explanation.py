"""What a code means, for a terminal and as JSON; the list of engines as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.report.screen import FAINT, STRONG, Screen, render, wrap
from sa.report.text import Text

_WIDEST = 80


class ExplanationJson(Struct, frozen=True, tag_field="format", tag="sacheck-explanation/1"):
    """`sacheck explain`: what a code means."""

    code: str
    title: str
    text: str
    example: str


class EngineJson(Struct, frozen=True):
    """A technique: its name for `--engine`, the verdicts that it can give, and what it does.

    `parameters` have their values with what each says; `engines` are those of the portfolio, in their order.
    """

    name: str
    answers: list[str]
    about: str
    parameters: dict[str, dict[str, str]]
    engines: list[str]


class EnginesJson(Struct, frozen=True, tag_field="format", tag="sacheck-engines/2"):
    """`sacheck engines`: the techniques of each command in the order in which they are asked first."""

    engines: dict[str, list[EngineJson]]
    status: int


def show_explanation(code: str, title: str, text: str, example: str, screen: Screen) -> str:
    """The code with its title, the paragraph below it, and a text that has the mistake."""
    lines = [_head(code, title), Text(), *wrap(text, min(screen.width, _WIDEST))]
    if example:
        lines += [Text(), Text("An example:", FAINT), Text(), *(Text(f"  {line}") for line in example.splitlines())]
    return render(screen, lines)


def show_codes(titles: Mapping[str, str], screen: Screen) -> str:
    """Codes with their titles."""
    return render(screen, [_head(code, title) for code, title in titles.items()])


def _head(code: str, title: str) -> Text:
    return Text.assemble((code, STRONG), f": {title}")
