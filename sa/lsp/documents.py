"""Documents as the editor has them: their texts, names and folders, and messages about them."""

from __future__ import annotations

import os
from collections.abc import Callable

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from sa.app import editing
from sa.base.diagnostic import Diagnostic, Severity
from sa.base.source import Source, Span
from sa.lsp.positions import to_range

SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def path_of(uri: str) -> str:
    """The path of a document."""
    return uris.to_fs_path(uri) or uri


def source_of(made: LanguageServer, uri: str) -> Source:
    """The text of a document as the editor has it."""
    return Source(path_of(uri), made.workspace.get_text_document(uri).source)


def uri_of_path(path: str) -> str:
    """The usual name of a file."""
    return uris.from_fs_path(path) or path


def unsaved_texts(made: LanguageServer) -> Callable[[str], str | None]:
    """The texts that the editor has open, by their real paths."""
    texts = {os.path.realpath(path_of(d.uri)): d for d in made.workspace.text_documents.values()}
    return lambda path: texts[path].source if path in texts else None


def uri_of(made: LanguageServer, path: str) -> str:
    """The editor's own name of a file that it has open."""
    opened = (d.uri for d in made.workspace.text_documents.values() if os.path.realpath(path_of(d.uri)) == path)
    return next(opened, uri_of_path(path))


def roots_of(made: LanguageServer) -> list[str]:
    """The folders that the editor has open."""
    folders = [path_of(uri) for uri in made.workspace.folders]
    return folders or [p for p in (made.workspace.root_path,) if p]


def outline_of(made: LanguageServer, uri: str) -> editing.Outline | None:
    """What the text of a document declares; None where its syntax is wrong."""
    source = source_of(made, uri)
    return editing.read(source.name, source.text)


def location_of(made: LanguageServer, place: Span) -> types.Location:
    """A place in a file as the editor names it."""
    return types.Location(uri_of(made, place.source.name), to_range(place))


def diagnostic_of(found: Diagnostic, source: Source) -> types.Diagnostic:
    """A message where it belongs; one about another file stands at the beginning and names that file."""
    span = found.span
    here = span is not None and span.source.name == source.name
    hint = f"\nhint: {found.hint}" if found.hint else ""
    place = "" if here or span is None else f"{span.source.name}: "
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri_of_path(label.span.source.name), to_range(label.span)), label.text or "here"
        )
        for label in found.labels
    ]
    return types.Diagnostic(
        to_range(span) if here and span is not None else start,
        f"{place}{found.message}{hint}",
        SEVERITY[found.severity],
        code=found.code,
        source="sacheck",
        related_information=related,
    )
