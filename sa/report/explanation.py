"""What a code means, for a terminal."""

from __future__ import annotations

from rich.text import Text

from sa.report.screen import STRONG, Screen, render, wrap

_WIDEST = 80


def show_explanation(code: str, title: str, text: str, screen: Screen) -> str:
    """The code with its title, the paragraph below it."""
    head = Text.assemble((code, STRONG), f": {title}")
    return render(screen, [head, Text(), *wrap(text, min(screen.width, _WIDEST))])
