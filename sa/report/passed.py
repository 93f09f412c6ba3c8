"""The lines of a program that one step passes."""

from __future__ import annotations

from sa.automata.automaton import Origin
from sa.base.source import position
from sa.report.screen import FAINT
from sa.report.snippet import statement
from sa.report.text import Text


def passed_told(origin: Origin, own: list[Text], width: int) -> list[Text]:
    """The lines that tell a step by its `own` place, with the other lines that it passes before and behind them."""
    home = None if origin.span is None else position(origin.span.source, origin.span.start).line
    before, behind = list[Text](), list[Text]()
    found = before
    for span in origin.passed:
        line = position(span.source, span.start).line
        if line == home:
            found = behind
            continue
        number = f"{line:>{len(str(len(span.source.line_starts)))}}: "
        found.append(Text(f"{number}{statement(span, width - len(number))}", FAINT))
    return [*before, *own, *behind]
