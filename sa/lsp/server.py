"""The editor server: errors while one types, what names mean, layout, verdicts on request (LSP 3.17)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sa import __version__
from sa.app import editing
from sa.base.diagnostic import InputError
from sa.base.source import Source, position
from sa.base.verdict import Verdict
from sa.lsp.asking import Asking, asking, environments, here
from sa.lsp.documents import (
    diagnostic_of,
    location_of,
    outline_of,
    path_of,
    roots_of,
    source_of,
    unsaved_texts,
    uri_of,
    uri_of_path,
)
from sa.lsp.lenses import lens_titles
from sa.lsp.positions import to_offset, to_position, to_range, whole
from sa.lsp.reading import SYMBOL, while_reading
from sa.report.facts import Part
from sa.report.json import SpanJson

#: So many members of a family are told of where one hovers.
_MOST = 4
DECIDE, CANCEL = "sacheck.decide", "sacheck.cancel"


def server() -> LanguageServer:
    """A server that is ready to be started."""
    made = LanguageServer("sacheck", __version__, types.TextDocumentSyncKind.Full)
    asked = asking()
    _texts(made, asked)
    _names(made, asked)
    _edits(made)
    while_reading(made, asked)
    _verdicts(made, asked)

    @made.feature(types.SHUTDOWN)
    def shut_down(*_: object) -> None:
        asked.answers.close()
        asked.inferred.close()

    return made


# ---------------------------------------------------------------- errors


def _texts(made: LanguageServer, asked: Asking) -> None:
    """Errors and warnings of a text whenever it changes."""

    @made.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        _publish(made, asked, params.text_document.uri)
        _infer(made, asked, params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        _forget(asked, params.text_document.uri)
        _publish(made, asked, params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        _publish(made, asked, params.text_document.uri)
        _infer(made, asked, params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        _forget(asked, params.text_document.uri)
        made.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _forget(asked: Asking, uri: str) -> None:
    asked.answers.forget(path_of(uri))
    asked.inferred.forget(path_of(uri))


def _infer(made: LanguageServer, asked: Asking, uri: str) -> None:
    """Look for invariants and environments of a text that is as it was saved."""
    source = source_of(made, uri)
    if editing.is_saved(source.name, source.text):
        asked.inferred.ask(source.name, lambda: None)


def _publish(made: LanguageServer, asked: Asking, uri: str) -> None:
    """Tell the editor what is wrong with a text, and what was refuted of it."""
    source = source_of(made, uri)
    noticed = editing.complaints(source.name, source.text)
    told = [diagnostic_of(d, source) for d in noticed]
    facts = asked.answers.found(source.name)
    if facts is not None:
        told.extend(_refuted(part, source) for part in facts.parts if part.verdict is not Verdict.PROVED)
    made.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told))


def _refuted(part: Part, source: Source) -> types.Diagnostic:
    """A claim without a proof, with the steps of its run or play."""
    steps = [
        types.DiagnosticRelatedInformation(
            types.Location(uri_of_path(visit.span.file), _range(visit.span, source)), f"step {n}: {visit.text}"
        )
        for n, visit in enumerate(part.path, 1)
    ]
    severity = types.DiagnosticSeverity.Error if part.verdict is Verdict.REFUTED else types.DiagnosticSeverity.Warning
    if part.verdict is part.expected:
        severity = types.DiagnosticSeverity.Information
    text = f"{part.name}: {part.verdict.value}" + (f", {part.text}" if part.text else "")
    return types.Diagnostic(
        _place(part, source), text, severity, code=part.verdict.value, source="sacheck", related_information=steps
    )


def _place(part: Part, source: Source) -> types.Range:
    """Where a claim stands, if it does in this file; else the first line."""
    if part.span is not None and part.span.file == source.name:
        return _range(part.span, source)
    return types.Range(types.Position(0, 0), types.Position(0, 0))


def _range(span: SpanJson, source: Source) -> types.Range:
    """A place of a document as a range; of another file than `source` columns are taken as they are."""
    if span.file != source.name:
        return types.Range(
            types.Position(span.line - 1, span.column - 1), types.Position(span.end_line - 1, span.end_column - 1)
        )
    starts = source.line_starts
    ends = (starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1)
    return types.Range(*(to_position(source, end) for end in ends))


# ---------------------------------------------------------------- names


def _names(made: LanguageServer, asked: Asking) -> None:
    """What names mean, where they are used, what there is."""

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        found = _meaning(made, params.text_document.uri, params.position)
        parts = [] if found is None else [_described(d) for d in found.declarations]
        parts += _inferred(made, asked, params, found)
        text = "\n\n".join(parts)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    @made.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        found = _meaning(made, params.text_document.uri, params.position)
        return [] if found is None else [location_of(made, d.place) for d in found.declarations]

    @made.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        found = _meaning(made, params.text_document.uri, params.position)
        if found is None:
            return []
        left_out = set() if params.context.include_declaration else {d.place for d in found.all_declarations}
        places = (place for file in found.places.values() for place in file)
        return [location_of(made, place) for place in places if place not in left_out]

    @made.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        found = outline_of(made, params.text_document.uri)
        return [] if found is None else _symbols(editing.names(found))

    @made.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        source = source_of(made, params.text_document.uri)
        known = editing.known_names(editing.read(source.name, source.text), to_offset(source, params.position))
        return [types.CompletionItem(name, detail=kind) for name, kind in known.items()]


def _meaning(made: LanguageServer, uri: str, at: types.Position) -> editing.Meaning | None:
    source = source_of(made, uri)
    return editing.meaning_of(source.name, to_offset(source, at), roots_of(made), unsaved_texts(made))


def _described(declared: editing.Declared) -> str:
    return f"{declared.kind} `{declared.name}`\n\n```sa\n{editing.described(declared)}\n```"


def _inferred(
    made: LanguageServer, asked: Asking, params: types.HoverParams, found: editing.Meaning | None
) -> list[str]:
    """What was inferred about the place: of a thread its environment, in a thread what holds before the step."""
    source = source_of(made, params.text_document.uri)
    known = asked.inferred.found(source.name)
    if known is None:
        return []
    if found is not None and {d.kind for d in found.declarations} == {"thread"}:
        told = [f"The others may do to `{t}`: `{e}`" for t, e in environments(known, found.name)]
    else:
        place = position(source, to_offset(source, params.position))
        told = [
            f"`{h.thread}`, before this step: `{h.invariant}`  \nthe others may: `{h.environment}`"
            for h in here(known, place.line, place.column)
        ]
    more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
    return ["*Inferred*", *told[:_MOST], *more] if told else []


def _symbols(declared: Sequence[editing.Declared]) -> list[types.DocumentSymbol]:
    """What stands in the file itself, and below each thread and procedure what stands in it."""
    found = list[types.DocumentSymbol]()
    for outer in (d for d in declared if d.top):
        inside = [
            _symbol(d)
            for d in declared
            if not d.top and outer.whole.start <= d.place.start and d.place.end <= outer.whole.end
        ]
        found.append(_symbol(outer, inside if outer.kind in ("thread", "procedure") else []))
    return found


def _symbol(d: editing.Declared, inside: Sequence[types.DocumentSymbol] = ()) -> types.DocumentSymbol:
    kind = SYMBOL.get(d.kind, types.SymbolKind.Variable)
    return types.DocumentSymbol(d.name, kind, to_range(d.whole), to_range(d.place), detail=d.kind, children=[*inside])


# ---------------------------------------------------------------- edits


def _edits(made: LanguageServer) -> None:
    """New names and the one layout."""

    @made.feature(types.TEXT_DOCUMENT_RENAME)
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        source = source_of(made, params.text_document.uri)
        offset = to_offset(source, params.position)
        found = editing.renamed(source.name, offset, params.new_name, roots_of(made), unsaved_texts(made))
        if found.problem is not None:
            made.window_show_message(types.ShowMessageParams(types.MessageType.Error, found.problem))
            return None
        edits = {
            uri_of(made, path): [types.TextEdit(to_range(place), params.new_name) for place in places]
            for path, places in found.places.items()
        }
        return types.WorkspaceEdit(changes=edits)

    @made.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        source = source_of(made, params.text_document.uri)
        text = editing.formatted(source.name, source.text)
        return [] if text is None or text == source.text else [types.TextEdit(whole(source), text)]


# ---------------------------------------------------------------- verdicts


def _verdicts(made: LanguageServer, asked: Asking) -> None:
    """Above the first line the file's question, above each claim, refinement and step what became of it."""

    @made.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        source = source_of(made, uri)
        facts, running = asked.answers.found(source.name), asked.answers.running(source.name)
        told = lens_titles(outline_of(made, uri), source, facts, running)
        return [_lens(line, title, CANCEL if running else DECIDE, uri) for line, title in told.items()]

    @made.command(DECIDE)
    def decide(uri: str) -> None:
        try:
            asked.answers.ask(path_of(uri), partial(_told, made, asked, uri))
        except InputError as wrong:
            made.window_show_message(types.ShowMessageParams(types.MessageType.Error, str(wrong)))
        made.workspace_code_lens_refresh(None)

    @made.command(CANCEL)
    def cancel(uri: str) -> None:
        asked.answers.cancel(path_of(uri))
        made.workspace_code_lens_refresh(None)


def _told(made: LanguageServer, asked: Asking, uri: str) -> None:
    """There is an answer."""
    _publish(made, asked, uri)
    made.workspace_code_lens_refresh(None)


def _lens(line: int, title: str, command: str, uri: str) -> types.CodeLens:
    at = types.Range(types.Position(line, 0), types.Position(line, 0))
    return types.CodeLens(at, types.Command(title, command, arguments=[uri]))
