"""Documents as HTML: every block as a piece of a page, plays and runs as tables that a page steps through."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import assert_never

from msgspec import Struct, field

from sa.base.source import Source, Span, line_text, position
from sa.report.chart import chart
from sa.report.document import (
    Block,
    Document,
    Excerpt,
    Item,
    Line,
    Paragraph,
    Pieces,
    PlayTrace,
    Row,
    RunTrace,
    Table,
    Words,
)
from sa.report.explain import Why
from sa.report.printable import printable
from sa.report.scene import GOOD_ENDINGS, Act, Frame, Lane, Scene, play_scene, run_scene, spans_of
from sa.report.snippet import statement

_LEAST_INDENT = 2
#: Characters of a statement that reasons show.
_WIDEST = 160


class Gathered(Struct):
    """What pieces of a page refer to: the scenes, in order, and the texts that are shown beside them."""

    scenes: list[Scene] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def scene(self, scene: Scene) -> int:
        """The number of a scene that is new here."""
        for span in spans_of(scene):
            self.sources.setdefault(span.source.name, span.source)
        self.scenes.append(scene)
        return len(self.scenes) - 1


def text(words: str) -> str:
    """A text as HTML; what would turn the direction of writing and the like is replaced."""
    return escape(printable(words))


def _prose(words: str) -> str:
    """A sentence; what stands between backquotes is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", text(words))


def document_html(document: Document, gathered: Gathered) -> str:
    """All sections of a document; the verdict is the page's business."""
    sections = ("".join(_blocks(section, gathered)) for section in document.sections)
    return "".join(f"<section>{section}</section>\n" for section in sections if section)


def _blocks(blocks: Sequence[Block], gathered: Gathered) -> Iterable[str]:
    return (_block(block, gathered) for block in blocks)


def _block(block: Block, gathered: Gathered) -> str:
    match block:
        case Line(words, indent, _):
            return f'<p class="line"{_indent(indent)}>{_words(words)}</p>'
        case Paragraph(prose, tone, indent):
            return f'<p class="{tone.value}"{_indent(indent)}>{_prose(prose)}</p>' if prose else ""
        case Item(mark, prose, tone, indent):
            return (
                f'<p class="item"{_indent(indent)}>{_words(mark)}<span class="{tone.value}">{_prose(prose)}</span></p>'
            )
        case Pieces(pieces, indent):
            return f'<p class="pieces"{_indent(indent)}>{"".join(f"<span>{_words(p)}</span>" for p in pieces)}</p>'
        case Excerpt(span, tone, remark, home, _):
            return _excerpt(span, tone.value, remark, home)
        case PlayTrace(story, goal, details):
            return scene_html(play_scene(story, goal, details), gathered)
        case RunTrace(run, program, details):
            return scene_html(run_scene(run, program, details), gathered)
        case Table():
            return _table(block, gathered)
        case _:
            assert_never(block)


def _indent(indent: int) -> str:
    return f' style="--in:{indent - _LEAST_INDENT}"' if indent > _LEAST_INDENT else ""


def _words(words: Iterable[Words]) -> str:
    return "".join(f'<span class="{w.tone.value}">{text(w.text)}</span>' if w.text else "" for w in words)


def _table(table: Table, gathered: Gathered) -> str:
    if not table.rows:
        return ""
    rows = "".join(_row(row, table, gathered) for row in table.rows)
    return f'<div class="scroll"{_indent(table.indent)}><table class="plain">{rows}</table></div>'


def _row(row: Row, table: Table, gathered: Gathered) -> str:
    columns = zip(row.cells, table.columns, strict=True)
    cells = "".join(f"<td{' class=right' if column.right else ''}>{_words([cell])}</td>" for cell, column in columns)
    below = "".join(_blocks(row.below, gathered))
    more = f'<tr><td colspan="{len(row.cells)}">{below}</td></tr>' if below else ""
    return f"<tr>{cells}</tr>{more}"


def _excerpt(span: Span, tone: str, remark: str, home: Source | None) -> str:
    at = position(span.source, span.start)
    line = line_text(span.source, at.line)
    first = at.column - 1
    last = max(first + 1, min(len(line), first + span.end - span.start))
    name = "" if span.source is home else f'<span class="faint">{text(span.source.name)}</span>\n'
    marked = f'{text(line[:first])}<mark class="{tone}">{text(line[first:last])}</mark>{text(line[last:])}'
    more = f'  <span class="{tone}">{text(remark)}</span>' if remark else ""
    return f'<pre class="excerpt">{name}<i>{at.line}</i>{marked}{more}</pre>'


# ---------------------------------------------------------------- plays and runs


def scene_html(scene: Scene, gathered: Gathered) -> str:
    """A play or a run as a table, a row for each step; scripts of the page step through it."""
    number = gathered.scene(scene)
    heads = "".join(f"<th>{_role(lane.role)}{text(lane.name)}</th>" for lane in scene.lanes)
    cycle = len(scene.frames) if scene.cycle is None else scene.cycle
    rows = "".join(_frame(i, frame, scene.lanes, i > cycle) for i, frame in enumerate(scene.frames))
    given = ", ".join(f"{name} = {value}" for name, value in scene.parameters)
    where = f'<p class="faint">where {text(given)}</p>' if given else ""
    tone = "good" if scene.ending in GOOD_ENDINGS else "bad"
    reasons = "".join(f"<li>{_reason(why)}</li>" for why in scene.reasons)
    return (
        f'<div class="scene" id="scene-{number}" data-scene="{number}" tabindex="0" role="group" '
        f'aria-label="{scene.kind}, step by step">{where}<div class="controls" hidden></div>'
        f'<div class="stage"><div class="told"><div class="scroll steps"><table class="lanes">'
        f"<thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<div class="ending {tone}"><p>{text(scene.ending)}</p>{f"<ul>{reasons}</ul>" if reasons else ""}</div></div>'
        f'<div class="beside" hidden><div class="state" aria-live="polite"></div><div class="code"></div></div>'
        f'</div><details class="chart"><summary>as a sequence chart</summary>'
        f'<div class="scroll">{chart(scene)}</div></details></div>'
    )


def _role(role: str) -> str:
    return f'<span class="faint">{role} </span>'


def _frame(number: int, frame: Frame, lanes: Sequence[Lane], again: bool) -> str:
    # Where there is no room for columns, each cell says whose it is.
    who = (text(lane.role if lane.role in ("concrete", "abstract") else lane.name) for lane in lanes)
    cells = "".join(
        f'<td class="lane-{n}" data-who="{name}">{"".join(map(_act, acts))}</td>'
        for n, (name, acts) in enumerate(zip(who, frame.acts, strict=True))
    )
    notes = "".join(f'<p class="note">{text(note)}</p>' for note in frame.notes)
    if notes:
        cells = cells.removesuffix("</td>") + notes + "</td>"
    mark = ' class="again"' if again else ""
    return f'<tr data-frame="{number}"{mark}><th scope="row">{number}</th>{cells}</tr>'


def _act(act: Act) -> str:
    line = f"<i>{position(act.span.source, act.span.start).line}</i>" if act.span is not None else ""
    shown = f' <span class="place">@{text(act.shown)}</span>' if act.shown and f"@{act.shown}" != act.text else ""
    changes = "".join(
        f"<span>{text(name)}: {text(before)} → <b>{text(after)}</b></span>" for name, before, after in act.changes
    )
    told = f'<div class="changes">{changes}</div>' if changes else ""
    remark = f'<p class="strong">{text(act.remark)}</p>' if act.remark else ""
    before, behind = ("".join(map(_passed, spans)) for spans in (act.before, act.behind))
    return f'<div class="act {act.kind}">{remark}{before}<code>{line}{text(act.text)}</code>{shown}{behind}{told}</div>'


def _passed(span: Span) -> str:
    """Another line that a step passes."""
    line = position(span.source, span.start).line
    return f'<p class="faint"><code><i>{line}</i>{text(statement(span, _WIDEST))}</code></p>'


def _reason(why: Why) -> str:
    place = text(why.place)
    if why.span is not None:
        at = position(why.span.source, why.span.start)
        place = f"<code><i>{at.line}</i>{text(statement(why.span, _WIDEST))}</code>"
    values = f' <span class="faint">({text(", ".join(why.values))})</span>' if why.values else ""
    return f"{place} {text(why.text)}{values}"


def scene_data(scene: Scene) -> dict[str, object]:
    """What the scripts of a page need of a scene: by frame and lane where it is and what it sees."""
    last: list[list[object] | None] = [None] * len(scene.lanes)
    frames = list[dict[str, object]]()
    for frame in scene.frames:
        for lane, acts in enumerate(frame.acts):
            spans = [act.span for act in acts if act.span is not None]
            if spans:
                last[lane] = _range(spans[-1])
        frames.append(
            {
                "at": [*last],
                "moved": [any(act.kind in ("step", "environment") for act in acts) for acts in frame.acts],
                "shared": list(frame.shared),
                "states": [None if s is None else [s.location, list(s.values), s.place] for s in frame.states],
            }
        )
    lanes = [{"role": lane.role, "name": lane.name, "file": _file(lane.span)} for lane in scene.lanes]
    return {"kind": scene.kind, "lanes": lanes, "frames": frames, "cycle": scene.cycle}


def _range(span: Span) -> list[object]:
    start, end = position(span.source, span.start), position(span.source, span.end)
    return [span.source.name, start.line, start.column, end.line, end.column]


def _file(span: Span | None) -> str | None:
    return None if span is None else span.source.name
