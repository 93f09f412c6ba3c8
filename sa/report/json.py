"""What all JSON documents have in common: places, diagnostics, reasons; documents of commands without an answer.

A document is a struct; its class is its schema (`formats.py`). Field names are stable: programs read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec import UNSET, Struct, UnsetType, to_builtins

from sa.automata.automaton import Origin
from sa.base.caveat import Caveat
from sa.base.diagnostic import Diagnostic, Severity
from sa.base.source import Span, position
from sa.base.verdict import EXIT_INTERNAL, EXIT_STATUS, Unknown, Verdict
from sa.certificates.shape import plain
from sa.report.explain import bare
from sa.terms.name import Name
from sa.terms.sort import Value
from sa.terms.term import Var

#: A number, a truth value, the name of a constructor, or an array: `{"default": …, "entries": [[index, element], …]}`.
ValueJson: TypeAlias = bool | int | str | dict[str, Any]
ValuesJson: TypeAlias = dict[str, ValueJson]


class SpanJson(Struct, frozen=True):
    """A place in a file: lines and columns from 1, the end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class LinkJson(Struct, frozen=True):
    """A call that a step is inlined at, or the definition of a macro that it is an expansion of.

    It is `compiled` where it is the place in C that an instruction of LLVM IR comes from, and else that is left out.
    """

    span: SpanJson
    macro: str | None
    compiled: bool | UnsetType = UNSET


class OriginJson(Struct, frozen=True):
    """Where a declaration or a step comes from; `text` names it where there is no place in a file.

    The `chain` leads from there outwards, and is left out where there is none. So are the statements that a step has
    `passed`, in their order, where they are all on one line.
    """

    span: SpanJson | None
    text: str
    chain: tuple[LinkJson, ...] | UnsetType = UNSET
    passed: tuple[SpanJson, ...] | UnsetType = UNSET


class LabelJson(Struct, frozen=True):
    """A second place of a diagnostic, and what it has to do with it."""

    span: SpanJson
    text: str


class DiagnosticJson(Struct, frozen=True):
    """An error, a warning or a note."""

    code: str
    severity: Severity
    message: str
    span: SpanJson | None
    labels: list[LabelJson]
    hint: str | None


class UnknownJson(Struct, frozen=True):
    """Why there is no answer."""

    reason: str
    detail: str


class DiagnosticsJson(Struct, frozen=True, tag_field="format", tag="sacheck-diagnostics/1"):
    """What was found wrong with the input; of any command. `changed` and `written` are there for `fmt` only."""

    status: int
    diagnostics: list[DiagnosticJson]
    changed: list[str] | UnsetType = UNSET
    written: bool | UnsetType = UNSET


class StoppedJson(Struct, frozen=True, tag_field="format", tag="sacheck-stopped/1"):
    """A command without an answer: a limit was reached (`unknown`), or there is a bug in sacheck (`internal_error`)."""

    verdict: Verdict | None
    status: int
    unknown: UnknownJson | UnsetType = UNSET
    internal_error: str | UnsetType = UNSET


def builtins(document: Struct) -> dict[str, Any]:
    """A document as dictionaries, lists, strings and numbers."""
    found: dict[str, Any] = to_builtins(document, enc_hook=_text)
    return found


def _text(value: object) -> str:
    """Names with parts are texts to a reader."""
    if isinstance(value, Name):
        return str(value)
    raise NotImplementedError(type(value).__name__)


def diagnostics_json(diagnostics: Iterable[Diagnostic], status: int) -> DiagnosticsJson:
    """Diagnostics and the exit status of the command that found them."""
    return DiagnosticsJson(status, [diagnostic_json(d) for d in diagnostics])


class CaveatJson(Struct, frozen=True):
    """What an answer assumes or does not check: a name for programs, a sentence, and how to find out more.

    `places` are what it is about, where that is known.
    """

    kind: str
    text: str
    check: str
    places: list[SpanJson]


def caveats_json(found: Iterable[Caveat]) -> list[CaveatJson]:
    """Caveats with their places."""
    return [CaveatJson(c.kind, c.text, c.check, [_span(p) for p in c.places]) for c in found]


def diagnostic_json(diagnostic: Diagnostic) -> DiagnosticJson:
    """One diagnostic."""
    return DiagnosticJson(
        diagnostic.code,
        diagnostic.severity,
        diagnostic.message,
        span_json(diagnostic.span),
        [LabelJson(_span(label.span), label.text) for label in diagnostic.labels],
        diagnostic.hint,
    )


def span_json(span: Span | None) -> SpanJson | None:
    """A place; None where there is none."""
    return None if span is None else _span(span)


def _span(span: Span) -> SpanJson:
    start, end = position(span.source, span.start), position(span.source, span.end)
    return SpanJson(span.source.name, start.line, start.column, end.line, end.column)


def origin_json(origin: Origin) -> OriginJson:
    """Where a declaration comes from."""
    chain = tuple(LinkJson(_span(link.span), link.macro, link.compiled or UNSET) for link in origin.chain)
    return OriginJson(span_json(origin.span), origin.text, chain or UNSET, tuple(map(_span, origin.passed)) or UNSET)


def stopped_json(unknown: Unknown) -> StoppedJson:
    """A command without an answer."""
    return StoppedJson(Verdict.UNKNOWN, EXIT_STATUS[Verdict.UNKNOWN], _unknown(unknown))


def internal_error_json(what: str) -> StoppedJson:
    """A bug of sacheck."""
    return StoppedJson(None, EXIT_INTERNAL, internal_error=what)


def unknown_json(unknown: Unknown | None) -> UnknownJson | None:
    """Why there is no answer; None where there is one."""
    return _unknown(unknown) if unknown else None


def _unknown(unknown: Unknown) -> UnknownJson:
    return UnknownJson(unknown.reason.name.lower(), unknown.detail)


def values_json(values: Mapping[Var, Value]) -> ValuesJson:
    """Values by the names that their own side gives the variables."""
    return {bare(v): plain(values[v], v.sort) for v in sorted(values, key=lambda v: v.key)}
