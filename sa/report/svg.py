"""Automata as pictures in SVG, without a program to draw them: boxes in layers, steps as labelled arrows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.report.captions import edge_caption, location_caption
from sa.report.explain import bare
from sa.report.layered import Arrow, Drawing, Point, Size, Way, layered
from sa.report.printable import printable

#: Pixels of a letter and a line in the font of boxes and labels; of the border of a box; of everything.
_LETTER, _LINE, _INSIDE, _AROUND = 7.3, 16.0, 8.0, 16.0
#: Letters on a line, and lines: what is longer is cut, and whole in the tooltip.
_WIDE, _LINES = 44, 5

#: Pixels above an automaton for its name.
_HEAD = 32

#: The room around a text that hides what is below it.
_HALO = 'stroke-width="5" stroke-linejoin="round"'

_STYLE = (
    "svg { color: #1c1f24; --bg: #ffffff; background: var(--bg) } "
    "@media (prefers-color-scheme: dark) { svg { color: #e4e7eb; --bg: #14171c } }"
)


class _Text(Struct, frozen=True):
    """Lines that fit, and everything."""

    lines: tuple[str, ...]
    whole: str

    @property
    def size(self) -> Size:
        """The room that the lines take."""
        return Size(max(map(len, self.lines), default=0) * _LETTER, len(self.lines) * _LINE)


def show_svg(automata: Sequence[Automaton]) -> str:
    """One picture that stands alone, the automata beside each other."""
    x, height, parts = _AROUND, 0.0, list[str]()
    for automaton in automata:
        body, size = _automaton(automaton)
        title = f'<text x="0" y="{_LINE}" font-weight="bold">{_safe(automaton.name)}</text>'
        parts.append(
            f'<g transform="translate({x:.1f} {_AROUND})">{title}<g transform="translate(0 32)">{body}</g></g>'
        )
        x += max(size.width, len(automaton.name) * _LETTER) + 3 * _AROUND
        height = max(height, size.height + _HEAD)
    return _svg("".join(parts), Size(x, height + 2 * _AROUND), f"<style>{_STYLE}</style>")


def picture(automaton: Automaton) -> str:
    """One automaton as a piece of a page: it has the colours of the text around it."""
    body, size = _automaton(automaton)
    inside = f'<g transform="translate({_AROUND} {_AROUND})">{body}</g>'
    return _svg(inside, Size(size.width + 2 * _AROUND, size.height + 2 * _AROUND), "")


def _svg(body: str, size: Size, style: str) -> str:
    width, height = f"{size.width:.0f}", f"{size.height:.0f}"
    # On a page the name of the language is known.
    language = 'xmlns="http://www.w3.org/2000/svg" ' if style else ""
    head = f'<svg {language}width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    fonts = 'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="12"'
    return f'{head} role="img" {fonts} fill="currentColor">{style}{body}</svg>\n'


def _automaton(automaton: Automaton) -> tuple[str, Size]:
    """The boxes and arrows of an automaton, and the room that they take."""
    boxes = {
        location.name: _text(location_caption(location, automaton.variables, bare)) for location in automaton.locations
    }
    labels = [_text(edge_caption(edge, bare)) for edge in automaton.edges]
    sizes = {name: _grown(text.size) for name, text in boxes.items()}
    arrows = [Arrow(e.source, e.target, text.size) for e, text in zip(automaton.edges, labels, strict=True)]
    drawing = layered(automaton.initial, sizes, arrows)
    ways = zip(drawing.ways, labels, strict=True)
    parts = [*(_way(way, text) for way, text in ways), *_boxes(automaton, boxes, sizes, drawing)]
    return "".join(parts), drawing.size


def _grown(size: Size) -> Size:
    return Size(size.width + 2 * _INSIDE, size.height + 2 * _INSIDE)


def _boxes(automaton: Automaton, boxes: dict[str, _Text], sizes: dict[str, Size], drawing: Drawing) -> Iterator[str]:
    ends = {edge.source for edge in automaton.edges}
    for name, text in boxes.items():
        at, size = drawing.places[name], sizes[name]
        left, top = at.x - size.width / 2, at.y - size.height / 2
        # The first location has a thick border, those without a step a double one.
        stroke = 2.5 if name == automaton.initial else 1
        box = _box(left, top, size, stroke) + ("" if name in ends else _box(left + 3, top + 3, _shrunk(size), 1))
        yield f'<g data-location="{_safe(name)}">{_title(text)}{box}{_lines(text, at)}</g>'


def _shrunk(size: Size) -> Size:
    return Size(size.width - 6, size.height - 6)


def _box(left: float, top: float, size: Size, stroke: float) -> str:
    place = f'x="{left:.1f}" y="{top:.1f}" width="{size.width:.1f}" height="{size.height:.1f}"'
    return f'<rect {place} rx="6" fill="none" stroke="currentColor" stroke-width="{stroke}"/>'


def _lines(text: _Text, at: Point) -> str:
    top = at.y - len(text.lines) * _LINE / 2
    spans = (
        f'<tspan x="{at.x:.1f}" y="{top + number * _LINE + 12:.1f}">{_safe(line)}</tspan>'
        for number, line in enumerate(text.lines)
    )
    # What is below a text must not be read with it.
    return f'<text text-anchor="middle" paint-order="stroke" style="stroke: var(--bg)" {_HALO}>{"".join(spans)}</text>'


def _way(way: Way, text: _Text) -> str:
    first, *rest = way.points
    path = f"M{first.x:.1f} {first.y:.1f}"
    for before, at in zip(way.points, rest, strict=False):
        middle = (before.y + at.y) / 2
        path += f"C{before.x:.1f} {middle:.1f} {at.x:.1f} {middle:.1f} {at.x:.1f} {at.y:.1f}"
    line = f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.55"/>'
    return f"<g>{_title(text)}{line}{_head(way)}{_lines(text, way.label)}</g>"


def _head(way: Way) -> str:
    """The head of an arrow: edges meet boxes from above or from below."""
    tip, up = way.points[-1], way.points[-2].y > way.points[-1].y
    foot = tip.y + (7 if up else -7)
    return f'<path d="M{tip.x:.1f} {tip.y:.1f}L{tip.x - 4:.1f} {foot:.1f}L{tip.x + 4:.1f} {foot:.1f}Z"/>'


def _title(text: _Text) -> str:
    return f"<title>{_safe(text.whole)}</title>"


def _text(parts: Iterator[str]) -> _Text:
    told = [printable(part).replace("\n", " ") for part in parts]
    lines = [line for part in told for line in wrap(part, _WIDE, break_long_words=True) or [""]]
    cut = lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"]
    return _Text(tuple(cut), "\n".join(told))


def _safe(words: str) -> str:
    return escape(printable(words))
