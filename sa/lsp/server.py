"""The editor server: errors while one types, what names mean, layout, verdicts on request (LSP 3.17)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from sa import __version__
from sa.app import editing
from sa.base.diagnostic import Diagnostic, InputError, Severity
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.lsp.answers import Answers
from sa.lsp.positions import to_offset, to_position, to_range, whole
from sa.report.facts import Facts, Part
from sa.report.json import SpanJson

DECIDE, CANCEL = "sacheck.decide", "sacheck.cancel"

_SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_SYMBOL = {
    "constant": types.SymbolKind.Constant,
    "parameter": types.SymbolKind.Constant,
    "constructor": types.SymbolKind.EnumMember,
    "type": types.SymbolKind.Enum,
    "definition": types.SymbolKind.Function,
    "function": types.SymbolKind.Function,
    "procedure": types.SymbolKind.Function,
    "thread": types.SymbolKind.Class,
    "location": types.SymbolKind.Key,
    "file": types.SymbolKind.Module,
    "invariant": types.SymbolKind.Property,
    "refinement": types.SymbolKind.Interface,
    "step": types.SymbolKind.Interface,
}
_MARK = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗", Verdict.UNKNOWN: "?"}


def server() -> LanguageServer:
    """A server that is ready to be started."""
    made = LanguageServer("sacheck", __version__, types.TextDocumentSyncKind.Full)
    answers = Answers()
    _texts(made, answers)
    _names(made)
    _edits(made)
    _verdicts(made, answers)
    made.feature(types.SHUTDOWN)(lambda _: answers.close())
    return made


def _path(uri: str) -> str:
    return uris.to_fs_path(uri) or uri


def _source(made: LanguageServer, uri: str) -> Source:
    """The text of a document as the editor has it."""
    return Source(_path(uri), made.workspace.get_text_document(uri).source)


def _uri(path: str) -> str:
    return uris.from_fs_path(path) or path


# ---------------------------------------------------------------- errors


def _texts(made: LanguageServer, answers: Answers) -> None:
    """Errors and warnings of a text whenever it changes."""

    @made.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        _publish(made, answers, params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        answers.forget(_path(params.text_document.uri))
        _publish(made, answers, params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        _publish(made, answers, params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        answers.forget(_path(params.text_document.uri))
        made.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _publish(made: LanguageServer, answers: Answers, uri: str) -> None:
    """Tell the editor what is wrong with a text, and what was refuted of it."""
    source = _source(made, uri)
    noticed = editing.complaints(source.name, source.text)
    told = [_diagnostic(d, source) for d in noticed]
    facts = answers.found(source.name)
    if facts is not None:
        told.extend(_refuted(part, source) for part in facts.parts if part.verdict is not Verdict.PROVED)
    made.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told))


def _diagnostic(found: Diagnostic, source: Source) -> types.Diagnostic:
    """A message where it belongs; one about another file stands at the beginning and names that file."""
    span = found.span
    here = span is not None and span.source.name == source.name
    hint = f"\nhint: {found.hint}" if found.hint else ""
    place = "" if here or span is None else f"{span.source.name}: "
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(_uri(label.span.source.name), to_range(label.span)), label.text or "here"
        )
        for label in found.labels
    ]
    return types.Diagnostic(
        to_range(span) if here and span is not None else start,
        f"{place}{found.message}{hint}",
        _SEVERITY[found.severity],
        code=found.code,
        source="sacheck",
        related_information=related,
    )


def _refuted(part: Part, source: Source) -> types.Diagnostic:
    """A claim without a proof, with the steps of its run or play."""
    steps = [
        types.DiagnosticRelatedInformation(
            types.Location(_uri(visit.span.file), _range(visit.span, source)), f"step {n}: {visit.text}"
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


def _names(made: LanguageServer) -> None:
    """What names mean, where they are used, what there is."""

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        declared = _declared(made, params.text_document.uri, params.position)
        if declared is None:
            return None
        text = f"{declared.kind} `{declared.name}`\n\n```sa\n{editing.described(declared)}\n```"
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    @made.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        declared = _declared(made, params.text_document.uri, params.position)
        return None if declared is None else types.Location(params.text_document.uri, to_range(declared.place))

    @made.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        uri = params.text_document.uri
        declared, found = _declared(made, uri, params.position), _outline(made, uri)
        if declared is None or found is None:
            return []
        # The declaration is of another reading of the same text.
        again = editing.lookup(found, declared.place.start)
        places = [] if again is None else editing.used(found, again)
        wanted = places if params.context.include_declaration else places[1:]
        return [types.Location(uri, to_range(place)) for place in wanted]

    @made.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        found = _outline(made, params.text_document.uri)
        return [] if found is None else _symbols(editing.names(found))

    @made.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        source = _source(made, params.text_document.uri)
        known = editing.known_names(editing.read(source.name, source.text), to_offset(source, params.position))
        return [types.CompletionItem(name, detail=kind) for name, kind in known.items()]


def _outline(made: LanguageServer, uri: str) -> editing.Outline | None:
    source = _source(made, uri)
    return editing.read(source.name, source.text)


def _declared(made: LanguageServer, uri: str, at: types.Position) -> editing.Declared | None:
    found = _outline(made, uri)
    return None if found is None else editing.lookup(found, to_offset(_source(made, uri), at))


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
    kind = _SYMBOL.get(d.kind, types.SymbolKind.Variable)
    return types.DocumentSymbol(d.name, kind, to_range(d.whole), to_range(d.place), detail=d.kind, children=[*inside])


# ---------------------------------------------------------------- edits


def _edits(made: LanguageServer) -> None:
    """New names and the one layout."""

    @made.feature(types.TEXT_DOCUMENT_RENAME)
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        source = _source(made, params.text_document.uri)
        found = editing.renamed(source.name, source.text, to_offset(source, params.position), params.new_name)
        if found.problem is not None:
            made.window_show_message(types.ShowMessageParams(types.MessageType.Error, found.problem))
            return None
        edits = [types.TextEdit(to_range(place), params.new_name) for place in found.places]
        return types.WorkspaceEdit(changes={params.text_document.uri: edits})

    @made.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        source = _source(made, params.text_document.uri)
        text = editing.formatted(source.name, source.text)
        return [] if text is None or text == source.text else [types.TextEdit(whole(source), text)]


# ---------------------------------------------------------------- verdicts


def _verdicts(made: LanguageServer, answers: Answers) -> None:
    """Above the first line what the file's question is, above each claim what became of it."""

    @made.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        source = _source(made, uri)
        facts, running = answers.found(source.name), answers.running(source.name)
        found = [_lens(0, _title(facts, running), CANCEL if running else DECIDE, uri)]
        for part in facts.parts if facts is not None else ():
            line = _place(part, source).start.line
            if line:
                found.append(_lens(line, f"{_MARK[part.verdict]} {part.verdict.value}", DECIDE, uri))
        return found

    @made.command(DECIDE)
    def decide(uri: str) -> None:
        try:
            answers.ask(_path(uri), partial(_told, made, answers, uri))
        except InputError as wrong:
            made.window_show_message(types.ShowMessageParams(types.MessageType.Error, str(wrong)))
        made.workspace_code_lens_refresh(None)

    @made.command(CANCEL)
    def cancel(uri: str) -> None:
        answers.cancel(_path(uri))
        made.workspace_code_lens_refresh(None)


def _told(made: LanguageServer, answers: Answers, uri: str) -> None:
    """There is an answer."""
    _publish(made, answers, uri)
    made.workspace_code_lens_refresh(None)


def _title(facts: Facts | None, running: bool) -> str:
    if running:
        return "sacheck: asking … (cancel)"
    if facts is None:
        return "sacheck: prove or refute"
    verdict = facts.verdict.value if facts.verdict else facts.stopped or "nothing claimed"
    return f"sacheck: {verdict} (ask again)"


def _lens(line: int, title: str, command: str, uri: str) -> types.CodeLens:
    at = types.Range(types.Position(line, 0), types.Position(line, 0))
    return types.CodeLens(at, types.Command(title, command, arguments=[uri]))
