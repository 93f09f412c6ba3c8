"""Lines with styles. What makes colours of styles, and knows wide characters, is loaded only where there are some.

Rich has a `Text` too, but loading it takes some 10 ms of the 170 that a short question takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text as Coloured


def cell_len(text: str) -> int:
    """How many cells a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len as width_of

    return width_of(text)


class Text:
    """Pieces of text, each in a style, within the style of the whole; styles are named as `rich` names them."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self.style = style
        self.pieces = [(text, "")] if text else []

    @classmethod
    def assemble(cls, *parts: str | tuple[str, str] | Text) -> Text:
        """A text of plain parts, of parts with a style, and of other texts."""
        made = cls()
        for part in parts:
            if isinstance(part, Text):
                made.append_text(part)
            else:
                made.append(*((part,) if isinstance(part, str) else part))
        return made

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self.pieces)

    @property
    def cell_len(self) -> int:
        """How many cells it takes."""
        return cell_len(self.plain)

    def append(self, text: str, style: str = "") -> Text:
        """Add text in a style; the text itself is the answer."""
        if text:
            self.pieces.append((text, style))
        return self

    def append_text(self, other: Text) -> Text:
        """Add another text with its styles; the text itself is the answer."""
        self.pieces += ((text, f"{other.style} {style}".strip()) for text, style in other.pieces)
        return self

    def copy(self) -> Text:
        """A text that can be changed without changing this one."""
        made = Text(style=self.style)
        made.pieces = list(self.pieces)
        return made

    def __add__(self, other: Text) -> Text:
        return self.copy().append_text(other)

    def join(self, texts: Iterable[Text]) -> Text:
        """The texts with this one between them."""
        made = Text()
        for number, text in enumerate(texts):
            if number:
                made.append_text(self)
            made.append_text(text)
        return made

    def truncate(self, width: int, pad: bool = False) -> None:
        """Cut what takes more cells, with an ellipsis; with `pad` it always takes as many."""
        taken = self.cell_len
        if taken > width:
            from rich.cells import set_cell_size

            whole, at = set_cell_size(self.plain, width - 1) + "…", 0
            pieces, self.pieces = self.pieces, []
            for text, style in pieces:
                self.append(whole[at : at + len(text)], style)
                at += len(text)
        elif pad:
            self.append(" " * (width - taken))

    def coloured(self) -> Coloured:
        """The same for a console of `rich`."""
        from rich.text import Text as Coloured

        made = Coloured(style=self.style)
        for text, style in self.pieces:
            made.append(text, style)
        return made
