"""Answers as SARIF 2.1.0, which code scanning reads: what is refuted, what is open, what is wrong with the files.

A proof is no result. What a file expects to be refuted is one that the source itself suppresses.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from sa.base.diagnostic import Severity
from sa.base.verdict import Verdict
from sa.report.facts import Facts, Part, Visit
from sa.report.json import DiagnosticJson, SpanJson

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}

#: The rules that are not codes of diagnostics, each with a title and what it says.
RULES: Mapping[str, tuple[str, str]] = {
    "refuted": (
        "A claim is refuted.",
        "A claim, a refinement or a step of a proof is refuted by a run or a play. The result shows its steps.",
    ),
    "unknown": (
        "A claim is not settled.",
        "A claim, a refinement or a step of a proof is neither proved nor refuted. The message says why.",
    ),
    "no-answer": ("The question could not be answered.", "The command was stopped by a limit or an internal error."),
}


def sarif(found: Iterable[Facts], version: str, meanings: Mapping[str, tuple[str, str]]) -> str:
    """One run with the results of all answers. `meanings` are the titles and texts of the codes of diagnostics."""
    # What is wrong with a file is said of each file that imports it.
    answers = tuple(found)
    results = list({json.dumps(result): result for facts in answers for result in _results(facts)}.values())
    used = sorted({result["ruleId"] for result in results})
    rules = [_rule(rule, *(RULES.get(rule) or meanings.get(rule, (rule, rule)))) for rule in used]
    driver = {"name": "sacheck", "version": version, "rules": rules}
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    if caveats := [{"subject": f.subject, "text": text} for f in answers for text in f.caveats]:
        run["properties"] = {"caveats": caveats}
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=True, indent=1) + "\n"


def _rule(name: str, title: str, text: str) -> dict[str, Any]:
    """A reporting descriptor (3.49); code scanning wants all three texts."""
    return {
        "id": name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": text},
        "help": {"text": text},
    }


def _results(facts: Facts) -> Iterator[dict[str, Any]]:
    yield from map(_diagnostic, facts.diagnostics)
    for part in facts.parts:
        if part.verdict is not Verdict.PROVED:
            yield _part(part, facts)
    if facts.stopped:
        yield {
            "ruleId": "no-answer",
            **_unsettled(),
            "message": {"text": f"{facts.subject}: {facts.stopped}"},
            "locations": [_file(facts.subject)],
        }


def _unsettled() -> dict[str, Any]:
    """SARIF's words for a question without an answer: only failures have a level."""
    return {"kind": "open", "level": "none"}


def _part(part: Part, facts: Facts) -> dict[str, Any]:
    refuted = part.verdict is Verdict.REFUTED
    result: dict[str, Any] = {
        "ruleId": "refuted" if refuted else "unknown",
        **({"kind": "fail", "level": "error"} if refuted else _unsettled()),
        "message": {"text": f"{part.name}: {part.text}" if part.text else part.name},
        "locations": [_file(facts.subject) if part.span is None else _location(part.span)],
    }
    if part.path:
        threads = dict.fromkeys(visit.thread for visit in part.path)
        result["codeFlows"] = [{"threadFlows": [_flow(thread, part.path) for thread in threads]}]
    if part.verdict in (part.expected, facts.expected):
        result["suppressions"] = [{"kind": "inSource", "justification": f"expect {part.verdict.value.lower()}"}]
    return result


def _diagnostic(diagnostic: DiagnosticJson) -> dict[str, Any]:
    hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "kind": "fail",
        "level": _LEVEL[diagnostic.severity],
        "message": {"text": diagnostic.message + hint},
    }
    if diagnostic.span is not None:
        result["locations"] = [_location(diagnostic.span)]
    if diagnostic.labels:
        result["relatedLocations"] = [_visit(Visit(label.span, label.text)) for label in diagnostic.labels]
    return result


def _flow(thread: str, path: Iterable[Visit]) -> dict[str, Any]:
    """The steps of one thread of a run; their numbers say in which order those of all threads come."""
    own = (v for v in path if v.thread == thread)
    locations = [{"location": _visit(v), **({"executionOrder": v.number} if v.number else {})} for v in own]
    return {**({"id": thread} if thread else {}), "locations": locations}


def _visit(visit: Visit) -> dict[str, Any]:
    return {**_location(visit.span), "message": {"text": visit.text or "here"}}


def _location(span: SpanJson) -> dict[str, Any]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(span.file)}, "region": region}}


def _file(path: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}}}


def _uri(path: str) -> str:
    """A file as a URI: relative to the working directory, as code scanning wants it, or absolute."""
    told = path.replace(os.sep, "/")
    return quote(f"file://{told}" if told.startswith("/") else told, safe="/:", errors="surrogatepass")
