"""What the text is written for: a width and whether colours are shown. Turns styled texts into strings."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from msgspec import Struct

from sa.report.printable import printable
from sa.report.text import Text


class Screen(Struct, frozen=True):
    """`width` in cells; `colour` only where a terminal shows it."""

    width: int = 100
    colour: bool = False


#: Styles by meaning, so that a whole report looks alike.
GOOD = "bold green"
BAD = "bold red"
OPEN = "bold yellow"
STRONG = "bold"
FAINT = "dim"
PLACE = "cyan"


def render(screen: Screen, lines: Iterable[Text]) -> str:
    """The lines as one string with a newline after each; trailing blanks are dropped.

    What a file or its name could tell the terminal is replaced.
    """
    if not screen.colour:
        return "".join(_on_one_line(line.plain).rstrip() + "\n" for line in lines)
    # Takes as long to import as a small proof takes; only colours need it.
    from rich.console import Console

    out = StringIO()
    console = Console(
        file=out, width=10_000, force_terminal=True, color_system="standard", highlight=False, markup=False
    )
    for line in lines:
        coloured = line.coloured()
        coloured.plain = _on_one_line(coloured.plain)
        coloured.rstrip()
        console.print(coloured, soft_wrap=True)
    return out.getvalue()


def _on_one_line(text: str) -> str:
    return printable(text.replace("\n", "\ufffd"))


def fit(line: Text, width: int) -> Text:
    """A copy of the line that takes exactly `width` cells: cut with an ellipsis or padded."""
    copy = line.copy()
    copy.truncate(width, pad=True)
    return copy


def pack(pieces: Iterable[Text], width: int, gap: int = 3) -> list[Text]:
    """The pieces in order, as many to a line as fit, `gap` blanks between them.

    Of a piece that fits on no line the last part, such as a new value, stands on one of its own.
    """
    lines = list[Text]()
    for piece in pieces:
        if piece.cell_len > width and len(piece.pieces) > 1:
            *parts, last = piece.pieces
            lines += (Text.assemble(*parts), Text.assemble("  ", last))
        elif lines and lines[-1].cell_len + gap + piece.cell_len <= width:
            lines[-1].append(" " * gap)
            lines[-1].append_text(piece)
        else:
            lines.append(piece.copy())
    return lines


def wrap(text: str, width: int, style: str = "") -> list[Text]:
    """Prose broken at blanks so that no line is longer than `width`, long words aside."""
    lines = list[str]()
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return [Text(line, style) for line in lines]
