"""What stands above the lines of a text: questions that can be asked, and their verdicts."""

from __future__ import annotations

from sa.app.editing import Declared, Outline
from sa.base.source import Source, position
from sa.base.verdict import Verdict
from sa.report.facts import Facts, Part

_MARK = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗", Verdict.UNKNOWN: "?"}
#: What has a question of its own.
_ASKED = frozenset({"invariant", "refinement", "step"})


def lens_titles(found: Outline | None, source: Source, facts: Facts | None, running: bool) -> dict[int, str]:
    """Titles by lines, counted from 0: the file as a whole, what it declares to be decided, and other claims, such as
    assertions, once there are verdicts. `found` is None where the text has errors.
    """
    titles = {0: _whole(facts, running)}
    asked = [d for d in found.declared if d.kind in _ASKED and d.top] if found is not None else []
    parts = facts.parts if facts is not None and not running else ()
    for declared in asked:
        line = position(source, declared.whole.start).line - 1
        if line:
            titles[line] = _part(next((p for p in parts if _is_about(p, declared, source)), None), running)
    for part in parts:
        if part.span is not None and part.span.file == source.name and part.kind != "refinement" and part.span.line > 1:
            titles.setdefault(part.span.line - 1, _part(part, running))
    return titles


def _is_about(part: Part, declared: Declared, source: Source) -> bool:
    if declared.kind == "refinement":
        return part.kind == "refinement" and part.name == declared.name
    span = part.span
    return span is not None and span.file == source.name and span.line == position(source, declared.whole.start).line


def _whole(facts: Facts | None, running: bool) -> str:
    if running:
        return "sacheck: asking … (cancel)"
    if facts is None:
        return "sacheck: prove or refute"
    verdict = facts.verdict.value if facts.verdict else facts.stopped or "nothing claimed"
    return f"sacheck: {verdict} (ask again)"


def _part(part: Part | None, running: bool) -> str:
    if running:
        return "asking … (cancel)"
    return "prove or refute" if part is None else f"{_MARK[part.verdict]} {part.verdict.value}"
