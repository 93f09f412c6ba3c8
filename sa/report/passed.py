"""The lines of a program that one step passes."""

from __future__ import annotations

from typing import TypeAlias

from sa.automata.automaton import Origin
from sa.base.source import Span, line_text, position
from sa.report.screen import FAINT
from sa.report.snippet import statement
from sa.report.text import Text

#: A file, a line of it, and a statement there.
_Place: TypeAlias = tuple[str, int, str]


def around(origin: Origin) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The places of other statements that a step passes, before its own one and behind it.

    Parts of one statement are one place: of a line with several statements each is a place of its own.
    """
    before, behind = dict[_Place, Span](), dict[_Place, Span]()
    home, found = None if origin.span is None else _place(origin.span), before
    for span in origin.passed:
        if (here := _place(span)) == home:
            found = behind
        else:
            found.setdefault(here, span)
    return tuple(before.values()), tuple(behind.values())


def _place(span: Span) -> _Place:
    line = position(span.source, span.start).line
    return span.source.name, line, statement(span, len(line_text(span.source, line)) + 1)


def statement_place(origin: Origin, head: Span | None) -> Span | None:
    """Where a step is: at the last statement that it passes, if its own place is only the `head` of its function."""
    before, behind = around(origin)
    passed = (*before, *behind)
    at_head = head is not None and origin.span is not None and origin.span.start == head.start
    return passed[-1] if at_head and passed else origin.span


def passed_told(origin: Origin, own: list[Text], width: int) -> list[Text]:
    """The lines that tell a step by its `own` place, with the other lines that it passes before and behind them."""
    before, behind = ([_line(span, width) for span in spans] for spans in around(origin))
    return [*before, *own, *behind]


def _line(span: Span, width: int) -> Text:
    number = f"{position(span.source, span.start).line:>{len(str(len(span.source.line_starts)))}}: "
    return Text(f"{number}{statement(span, width - len(number))}", FAINT)
