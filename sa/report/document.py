"""What a report says of an outcome: a verdict, tables, traces and notes. Writers decide how it looks.

`refine.py`, `verify.py`, `prove.py` and `certify.py` make documents from outcomes; `terminal.py` writes them. What
programs read is made from the outcomes themselves (`formats.py`): its fields must not change with the words here.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.source import Source, Span
from sa.base.verdict import Unknown, Verdict

if TYPE_CHECKING:
    from sa.automata.program import Program
    from sa.certificates.goal import Goal
    from sa.certificates.run import Run
    from sa.report.story import Story


class Tone(Enum):
    """What a text means, so that a whole document looks alike."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    STRONG = "strong"
    FAINT = "faint"
    PLACE = "place"


#: The code of the warning that a program has no runs.
NO_INITIAL_STATE = "SA502"

#: How verdicts look.
TONE = {Verdict.PROVED: Tone.GOOD, Verdict.REFUTED: Tone.BAD, Verdict.UNKNOWN: Tone.OPEN}


class Words(Struct, frozen=True):
    """A short text in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


class Line(Struct, frozen=True):
    """Words on a line of their own, which is cut at the edge only where `cut` says so."""

    words: tuple[Words, ...]
    indent: int = 2
    cut: bool = False


class Paragraph(Struct, frozen=True):
    """Prose."""

    text: str
    tone: Tone = Tone.PLAIN
    indent: int = 2


class Item(Struct, frozen=True):
    """Prose behind a mark; its further lines stand below its first."""

    mark: tuple[Words, ...]
    text: str
    tone: Tone = Tone.PLAIN
    indent: int = 2


class Pieces(Struct, frozen=True):
    """Short texts, as many to a line as there is room for."""

    pieces: tuple[tuple[Words, ...], ...]
    indent: int


class Excerpt(Struct, frozen=True):
    """The line of a file that a span stands on, marked below, with a remark. A file other than `home` is named."""

    span: Span
    tone: Tone
    remark: str
    home: Source | None
    gutter: int = 3


class PlayTrace(Struct, frozen=True):
    """A play of a goal, the sides beside each other; with `details` also what the translation made up."""

    story: Story
    goal: Goal
    details: bool = True


class RunTrace(Struct, frozen=True):
    """A run of a program, the threads beside each other; with `details` also what the translation made up."""

    run: Run
    program: Program
    details: bool = True


class Fit(Enum):
    """How much room a column takes."""

    #: What its widest cell needs.
    WHOLE = "whole"
    #: The same up to a limit; longer names go on below.
    NAME = "name"
    #: The same, cut where the other columns need the room.
    SHRINK = "shrink"
    #: What the others leave, on several lines if need be. Only the last column.
    REST = "rest"
    #: What its widest cell needs; left out, with all columns behind it, where that is too much.
    IF_IT_FITS = "if it fits"


class Column(Struct, frozen=True):
    """A column of a table: at least `least` cells wide, with `gap` blanks before it; a name's is `most` wide."""

    fit: Fit = Fit.WHOLE
    right: bool = False
    least: int = 0
    gap: int = 2
    most: int = 56


class Row(Struct, frozen=True):
    """A cell for each column, and what there is to say below them."""

    cells: tuple[Words, ...]
    below: tuple[Block, ...] = ()


class Table(Struct, frozen=True):
    """Rows of equal columns; `apart`: with an empty line before each row."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    indent: int = 2
    apart: bool = False


Block: TypeAlias = Line | Paragraph | Item | Pieces | Excerpt | PlayTrace | RunTrace | Table
Section: TypeAlias = tuple[Block, ...]


class Document(Struct, frozen=True):
    """A verdict about a subject, what was expected if it was something else, and the rest in sections."""

    verdict: Words
    subject: str
    unexpected: str | None = None
    sections: tuple[Section, ...] = ()


def verdict_words(verdict: Verdict) -> Words:
    """A verdict as it looks everywhere."""
    return Words(verdict.value, TONE[verdict])


def without_runs(verdict: Verdict | None, warnings: Iterable[Diagnostic]) -> tuple[Section, ...]:
    """What has to be said loudly of a proof about programs that cannot start."""
    stuck = [d.message for d in warnings if d.code == NO_INITIAL_STATE]
    if verdict is not Verdict.PROVED or not stuck:
        return ()
    text = f"There are no runs, so this proof says nothing: {stuck[0]}. Check the initial values and `init`."
    return ((Paragraph(text, Tone.BAD),),)


def said_beside(said: Said) -> tuple[Section, ...]:
    """What an answer assumes and does not check, one line each."""
    return (tuple(Paragraph(line) for line in said.lines),) if said.lines else ()


def unexpected(expected: Verdict | None, found: Verdict | None, who: str = "the file") -> str | None:
    """What to say where something else was expected; None where it was not."""
    return None if expected in (None, found) or expected is None else f"{who} expects {expected.value}"


def because(unknown: Unknown) -> str:
    """Why there is no answer."""
    return f"{unknown.reason.value}{': ' if unknown.detail else ''}{unknown.detail}"
