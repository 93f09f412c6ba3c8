"""Diagnostics as values. Library rooms collect them; only `report` prints them."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from sa.base.source import Span


class Severity(Enum):
    """How bad it is: an error ends the command with status 2, a warning or a note does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Label(Struct, frozen=True):
    """A second place that a message points to, with what it has to say."""

    span: Span
    text: str


class Diagnostic(Struct, frozen=True):
    """A coded message. `span` is None where no text is at fault (an unreadable file)."""

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    labels: tuple[Label, ...] = ()
    hint: str | None = None


class InputError(Exception):
    """The input is wrong: carries every diagnostic that was found. Status 2."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


def error(
    code: str, message: str, span: Span | None = None, hint: str | None = None, labels: tuple[Label, ...] = ()
) -> Diagnostic:
    """An error diagnostic."""
    return Diagnostic(code, Severity.ERROR, message, span, labels, hint)


def warning(
    code: str, message: str, span: Span | None = None, hint: str | None = None, labels: tuple[Label, ...] = ()
) -> Diagnostic:
    """A warning diagnostic."""
    return Diagnostic(code, Severity.WARNING, message, span, labels, hint)
