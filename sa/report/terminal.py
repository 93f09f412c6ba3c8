"""Documents for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.report.document import (
    Block,
    Column,
    Document,
    Excerpt,
    Fit,
    Item,
    Line,
    Paragraph,
    Pieces,
    PlayTrace,
    RunTrace,
    Table,
    Tone,
    Words,
)
from sa.report.screen import BAD, FAINT, GOOD, OPEN, PLACE, STRONG, Screen, fit, pack, render, wrap
from sa.report.text import Text, cell_len

_STYLE = {
    Tone.PLAIN: "",
    Tone.GOOD: GOOD,
    Tone.BAD: BAD,
    Tone.OPEN: OPEN,
    Tone.STRONG: STRONG,
    Tone.FAINT: FAINT,
    Tone.PLACE: PLACE,
}
_NARROWEST_NAME = 20
_NARROWEST_REST = 16


def show_document(document: Document, screen: Screen, quiet: bool = False) -> str:
    """The whole document; with `quiet` only the verdict and what was expected."""
    return render(screen, _document(document, screen.width, quiet))


def _document(document: Document, width: int, quiet: bool) -> Iterator[Text]:
    yield _text((document.verdict, Words("  "), Words(document.subject, Tone.STRONG)))
    if document.unexpected is not None:
        yield Text(document.unexpected, BAD)
    if quiet:
        return
    for number, section in enumerate(document.sections):
        if number > 0:
            yield Text()
        for block in section:
            yield from _block(block, width)


def _block(block: Block, width: int) -> Iterator[Text]:
    match block:
        case Line(words, indent, cut):
            line = Text(" " * indent).append_text(_text(words))
            if cut:
                line.truncate(width)
            yield line
        case Paragraph(text, tone, indent):
            yield from (Text(" " * indent) + line for line in wrap(text, width - indent, _STYLE[tone]))
        case Item(mark, text, tone, indent):
            yield from _item(Text(" " * indent).append_text(_text(mark)), text, tone, width)
        case Pieces(pieces, indent):
            yield from (Text(" " * indent) + line for line in pack(map(_text, pieces), width - indent))
        case Excerpt(span, tone, remark, home, gutter):
            from sa.report.diagnostics import marked

            yield from marked(span, "^", _STYLE[tone], remark, gutter, home, width)
        case PlayTrace(story, goal, details):
            from sa.report.play import show_play

            yield from show_play(story, goal, width, details)
        case RunTrace(run, program, details):
            from sa.report.run import run_lines

            yield from run_lines(run, program, width, details)
        case Table():
            yield from _table(block, width)
        case _:
            assert_never(block)


def _text(words: Sequence[Words]) -> Text:
    return Text.assemble(*((w.text, _STYLE[w.tone]) for w in words))


def _item(head: Text, text: str, tone: Tone, width: int) -> Iterator[Text]:
    indent = head.cell_len
    first, *rest = wrap(text, width - indent, _STYLE[tone]) or [Text()]
    yield head + first
    yield from (Text(" " * indent) + line for line in rest)


class _Layout(Struct, frozen=True):
    """How wide the columns are that are shown, without those that take the rest, and where the rest begins."""

    widths: tuple[int, ...]
    rest: int


def _table(whole: Table, width: int) -> Iterator[Text]:
    if not whole.rows:
        return
    table = _without_empty(whole)
    layout = _layout(table, width)
    for row in table.rows:
        if table.apart:
            yield Text()
        yield from _row(row.cells, table, layout, width)
        for block in row.below:
            yield from _block(block, width)


def _without_empty(table: Table) -> Table:
    """The table without columns that have nothing in any row."""
    kept = [i for i, c in enumerate(table.columns) if c.fit is not Fit.NAME or any(r.cells[i].text for r in table.rows)]
    rows = tuple(replace(row, cells=tuple(row.cells[i] for i in kept)) for row in table.rows)
    return replace(table, columns=tuple(table.columns[i] for i in kept), rows=rows)


def _layout(table: Table, width: int) -> _Layout:
    wanted = [_wanted(c, [row.cells[i] for row in table.rows]) for i, c in enumerate(table.columns)]
    over = table.indent - table.columns[0].gap + sum(wanted) + sum(c.gap for c in table.columns) - width
    for number, column in enumerate(table.columns):
        if over > 0 and column.fit in (Fit.SHRINK, Fit.NAME):
            narrow = wanted[number] - over if column.fit is Fit.SHRINK else max(_NARROWEST_NAME, wanted[number] - over)
            over -= max(0, wanted[number] - narrow)
            wanted[number] = min(wanted[number], narrow)
    start = table.indent - table.columns[0].gap
    ends = list(accumulate((w + c.gap for w, c in zip(wanted, table.columns, strict=True)), initial=start))
    shown = len(wanted)
    for number, column in enumerate(table.columns):
        if column.fit is Fit.REST or (column.fit is Fit.IF_IT_FITS and ends[number + 1] > width):
            shown = number
            break
    return _Layout(tuple(wanted[:shown]), ends[shown])


def _wanted(column: Column, cells: Sequence[Words]) -> int:
    if column.fit is Fit.REST:
        return min(_NARROWEST_REST, max(cell_len(cell.text) for cell in cells))
    widest = max(column.least, *(cell_len(cell.text) for cell in cells))
    return min(column.most, widest) if column.fit is Fit.NAME else widest


def _name(text: str, width: int, style: str) -> list[Text]:
    """A name on as many lines as it needs; words that are too long are broken."""
    lines = (line.plain for line in wrap(text, width))
    return [Text(line[at : at + width], style) for line in lines for at in range(0, len(line), width)]


def _row(cells: Sequence[Words], table: Table, layout: _Layout, width: int) -> Iterator[Text]:
    """The lines of a row: long names and the last column go on below."""
    columns = list[tuple[int, list[Text]]]()
    start = table.indent
    for number, (cell, wide, column) in enumerate(zip(cells, layout.widths, table.columns, strict=False)):
        start += column.gap if number else 0
        if column.fit is Fit.NAME:
            lines = _name(cell.text, wide, _STYLE[cell.tone])
        else:
            blanks = " " * (wide - cell_len(cell.text)) if column.right else ""
            lines = [Text(blanks).append_text(fit(_text([cell]), wide - len(blanks)))]
        columns.append((start, lines))
        start += wide
    rest = len(layout.widths)
    below: Iterator[Text] = iter(())
    if rest < len(cells) and table.columns[rest].fit is Fit.REST:
        start += table.columns[rest].gap
        text, tone = cells[rest].text, cells[rest].tone
        if width - start >= min(_NARROWEST_REST, cell_len(text)):
            columns.append((start, wrap(text, width - start, _STYLE[tone])))
        else:
            below = _block(Paragraph(text, tone, 2 * table.indent), width)
    for pieces in zip_longest(*(lines for _, lines in columns), fillvalue=Text()):
        line = Text()
        for (at, _), piece in zip(columns, pieces, strict=True):
            line.append(" " * (at - line.cell_len)).append_text(piece)
        yield line
    yield from below
