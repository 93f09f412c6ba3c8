"""Styled texts do what those of `rich` do."""

from __future__ import annotations

from random import Random

from rich.cells import cell_len as width_of
from rich.text import Text as Rich

from sa.report.text import Text, cell_len
from tests.parts import for_each

WORDS = ("ab", "", "x := 1;", "→", "宽 字", "e\u0301", "…", "  ")
STYLES = ("", "bold", "dim", "bold red", "cyan")


def made(random: Random, of: type[Text] | type[Rich]) -> Text | Rich:
    """A text that is put together by random steps, the same for the same numbers."""
    text = of(random.choice(WORDS), style=random.choice(STYLES))
    for _ in range(random.randrange(5)):
        word, style = random.choice(WORDS), random.choice(STYLES)
        match random.randrange(4):
            case 0:
                text.append(word, style)
            case 1:
                text.append_text(of(word, style=style))  # type: ignore[arg-type]
            case 2:
                text = text + of(word, style=style)  # type: ignore[operator]
            case _:
                text = of.assemble(text, (word, style), word)  # type: ignore[arg-type]
    return text


def cells(text: Rich) -> list[tuple[str, str]]:
    """Each character with its style."""
    styles = [[str(text.style)] for _ in text.plain]
    for span in text.spans:
        for at in range(span.start, min(span.end, len(styles))):
            styles[at].append(str(span.style))
    return [(c, " ".join(dict.fromkeys(" ".join(s).split()))) for c, s in zip(text.plain, styles, strict=True)]


@for_each("seed", range(300))
def test_texts_are_put_together_and_cut_as_those_of_rich(seed: int) -> None:
    mine, theirs, width = made(Random(seed), Text), made(Random(seed), Rich), Random(seed).randrange(2, 12)
    assert isinstance(mine, Text) and isinstance(theirs, Rich)
    assert (mine.plain, mine.cell_len) == (theirs.plain, theirs.cell_len)
    assert cells(mine.coloured()) == cells(theirs)
    mine.truncate(width, pad=True)
    theirs.truncate(width, overflow="ellipsis", pad=True)
    assert (mine.plain, mine.cell_len) == (theirs.plain, theirs.cell_len)


def test_cells_are_those_of_rich() -> None:
    assert [cell_len(w) for w in WORDS] == [width_of(w) for w in WORDS]
