"""Diagnostics for a terminal: place, code, source line, caret, second places, hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sa.base.diagnostic import Diagnostic, Severity
from sa.base.source import Source, Span, position
from sa.report.screen import BAD, FAINT, OPEN, PLACE, STRONG, Screen, render
from sa.report.snippet import place, snippet
from sa.report.text import Text

_STYLE = {Severity.ERROR: BAD, Severity.WARNING: OPEN, Severity.NOTE: PLACE}


def show_diagnostics(diagnostics: Sequence[Diagnostic], screen: Screen) -> str:
    """All diagnostics in order, an empty line after each, and the count where there are several errors."""
    lines = list[Text]()
    for diagnostic in diagnostics:
        lines.extend(_diagnostic(diagnostic, screen))
        lines.append(Text())
    errors = sum(d.severity is Severity.ERROR for d in diagnostics)
    if errors > 1:
        lines.append(Text(f"{errors} errors", STRONG))
    return render(screen, lines)


def _diagnostic(diagnostic: Diagnostic, screen: Screen) -> Iterable[Text]:
    style = _STYLE[diagnostic.severity]
    head = Text()
    if diagnostic.span is not None:
        head.append(place(diagnostic.span), STRONG).append(": ")
    head.append(f"{diagnostic.severity.value} {diagnostic.code}", style).append(": ").append(diagnostic.message, STRONG)
    yield head
    marks = [(label.span, "-", PLACE, label.text) for label in diagnostic.labels]
    if diagnostic.span is not None:
        marks.insert(0, (diagnostic.span, "^", style, ""))
    gutter = max([3, *(len(str(position(span.source, span.start).line)) for span, *_ in marks)])
    source = diagnostic.span.source if diagnostic.span else None
    for span, mark, mark_style, text in marks:
        yield from marked(span, mark, mark_style, text, gutter, source, screen.width)
        source = span.source
    if diagnostic.hint is not None:
        yield Text.assemble((" " * gutter + " = ", FAINT), ("hint: ", STRONG), diagnostic.hint)


def marked(
    span: Span, mark: str, style: str, text: str, gutter: int, above: Source | None, width: int
) -> Iterable[Text]:
    """The line that a span stands on and the marks under it; another file than `above` is named."""
    if span.source is not above:
        yield Text.assemble((" " * gutter + " ╷ ", FAINT), (place(span), FAINT))
    shown = snippet(span, max(20, width - gutter - 3))
    yield Text.assemble((f"{shown.number:>{gutter}} │ ", FAINT), shown.text)
    marks = mark * (shown.end - shown.start) + (f" {text}" if text else "")
    yield Text.assemble((" " * gutter + " │ ", FAINT), " " * shown.start, (marks, style))
