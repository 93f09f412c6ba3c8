"""What is asked in the background: what a file claims, and what can be inferred of its threads."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import DecodeError, Struct
from msgspec.json import decode

from sa.app.suite import questions_of
from sa.lsp.background import Background
from sa.report.automaton_json import AutomataJson, LocationJson
from sa.report.facts import Facts, facts_of, read_document
from sa.report.json import SpanJson

#: Seconds for one question, and for what hovering shows.
_TIMEOUT, _QUICK = "60", "10"


class Asking(Struct, frozen=True):
    """Verdicts on request, and invariants and environments whenever a file is opened or saved."""

    answers: Background[Facts]
    inferred: Background[AutomataJson]


class Here(Struct, frozen=True):
    """What was inferred about a place in a thread: what holds before the step there, and what the others may do."""

    thread: str
    invariant: str
    environment: str


def asking() -> Asking:
    """Nothing is asked yet."""
    return Asking(Background(_question, _facts), Background(_inference, _automata))


def _question(path: str) -> Sequence[str]:
    """As `sacheck test` would ask about the file. Raises InputError."""
    (question,) = questions_of([path])
    return [question.command.value, "--json", "--timeout", _TIMEOUT, *question.options, "--", *question.paths]


def _facts(out: str, path: str) -> Facts | None:
    document = read_document(out)
    return None if document is None else facts_of(document, path)


def _inference(path: str) -> Sequence[str]:
    return ["generate", "--json", "--timeout", _QUICK, "--", path]


def _automata(out: str, _: str) -> AutomataJson | None:
    try:
        return decode(out, type=AutomataJson)
    except DecodeError:
        # A proof script, or a text with errors.
        return None


def here(found: AutomataJson, line: int, column: int) -> list[Here]:
    """What was inferred about a place, counted from 1: of each thread the smallest statement around it."""
    known = list[Here]()
    for automaton in found.automata:
        around = [location for location in automaton.locations if _holds(location, line, column)]
        if around:
            smallest = min(around, key=_size)
            known.append(Here(automaton.name, smallest.inv, smallest.env or "true"))
    return known


def environments(found: AutomataJson, thread: str) -> list[tuple[str, str]]:
    """What the others may do to a thread; to a family, to each of its members."""
    called = (a for a in found.automata if a.name.partition("[")[0] == thread)
    return [(a.name, next((location.env for location in a.locations if location.env), "true")) for a in called]


def _holds(location: LocationJson, line: int, column: int) -> bool:
    span = location.span
    return span is not None and (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def _size(location: LocationJson) -> tuple[int, int]:
    span = location.span
    assert isinstance(span, SpanJson)
    return span.end_line - span.line, span.end_column - span.column
