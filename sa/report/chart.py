"""Plays and runs as sequence charts in SVG: a line for each side or thread, time going down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap

from sa.report.printable import printable
from sa.report.scene import Act, Scene

#: Pixels of a letter, a line, a lane, the room in a box, and between steps.
_LETTER, _LINE, _LANE, _INSIDE, _BETWEEN = 7.3, 16.0, 330.0, 7.0, 14.0
_HEAD, _NUMBER = 40.0, 40.0
_WIDE = int((_LANE - 4 * _INSIDE) / _LETTER)

#: How acts that are not steps of a thread are drawn.
_DASHED = 'stroke-dasharray="5 3"'


def chart(scene: Scene) -> str:
    """The chart of a play or a run, in the colours of the text around it."""
    parts, y = list[str](), _HEAD
    for number, frame in enumerate(scene.frames):
        boxes = [_lines(acts) for acts in frame.acts]
        tall = max((len(lines) for lines in boxes), default=0) * _LINE + 2 * _INSIDE
        middle = y + tall / 2
        parts.append(_text(_NUMBER / 2, middle, [str(number)], "fill-opacity: 0.6"))
        for lane, (acts, lines) in enumerate(zip(frame.acts, boxes, strict=True)):
            if lines:
                parts.append(_box(lane, middle, acts, lines))
        if scene.kind == "play" and number:
            parts.append(_answer(middle))
        y += tall + _BETWEEN
    width, height = _NUMBER + len(scene.lanes) * _LANE, y + 2 * _LINE
    ending = _text(width / 2, y + _LINE, [scene.ending], "font-weight: bold")
    lanes = "".join(_lane(lane, f"{told.role} {told.name}", y) for lane, told in enumerate(scene.lanes))
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    fonts = 'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="12" fill="currentColor"'
    return f'<svg {size} role="img" {fonts}>{lanes}{"".join(parts)}{ending}</svg>'


def _middle(lane: int) -> float:
    return _NUMBER + (lane + 0.5) * _LANE


def _lane(lane: int, name: str, bottom: float) -> str:
    x = _middle(lane)
    line = f'<path d="M{x:.1f} {_HEAD - 8:.1f}V{bottom:.1f}" stroke="currentColor" stroke-opacity="0.35"/>'
    return _text(x, _HEAD / 2, [name], "font-weight: bold") + line


def _box(lane: int, middle: float, acts: Sequence[Act], lines: Sequence[str]) -> str:
    width = max(map(len, lines)) * _LETTER + 2 * _INSIDE
    height = len(lines) * _LINE + 2 * _INSIDE
    others = any(act.kind == "environment" for act in acts)
    quiet = all(act.kind in ("stays", "start", "none") for act in acts)
    look = _DASHED if others else 'stroke-opacity="0.3"' if quiet else ""
    fill = "var(--env)" if others else "var(--bg)"
    place = (
        f'x="{_middle(lane) - width / 2:.1f}" y="{middle - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}"'
    )
    return f'<rect {place} rx="5" fill="{fill}" stroke="currentColor" {look}/>{_text(_middle(lane), middle, lines, "")}'


def _answer(middle: float) -> str:
    """From the concrete side's step to what the abstract side does meanwhile."""
    left, right = _NUMBER + _LANE, _NUMBER + _LANE + 2 * _INSIDE
    line = f'<path d="M{left:.1f} {middle:.1f}H{right:.1f}" stroke="currentColor"/>'
    return f'{line}<path d="M{right + 6:.1f} {middle:.1f}l-7 -4v8Z"/>'


def _lines(acts: Sequence[Act]) -> list[str]:
    return [line for act in acts for told in _told(act) for line in wrap(printable(told), _WIDE) or [""]]


def _told(act: Act) -> Iterator[str]:
    yield act.text
    if act.shown and f"@{act.shown}" != act.text:
        yield f"@{act.shown}"
    changes = ", ".join(f"{name}: {before} → {after}" for name, before, after in act.changes)
    if changes:
        yield changes


def _text(x: float, y: float, lines: Sequence[str], style: str) -> str:
    top = y - len(lines) * _LINE / 2 + 12
    spans = "".join(
        f'<tspan x="{x:.1f}" y="{top + number * _LINE:.1f}">{escape(line)}</tspan>' for number, line in enumerate(lines)
    )
    return f'<text text-anchor="middle" style="{style}">{spans}</text>'
