"""What the server answers while one reads or types: `names` says what, this file who asks."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sa.app import editing
from sa.app.files import files_in
from sa.base.diagnostic import InputError
from sa.lsp import names as reading
from sa.lsp.asking import Asking, environments
from sa.lsp.documents import diagnostic_of, location_of, outline_of, roots_of, source_of, unsaved_texts
from sa.lsp.positions import to_offset

SYMBOL = {
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


def while_reading(made: LanguageServer, asked: Asking) -> None:
    """Where a name is used, what kind it is, what a call takes, what was inferred, and what a hint would change."""

    @made.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found, source = outline_of(made, params.text_document.uri), source_of(made, params.text_document.uri)
        return [] if found is None else reading.highlights(found, to_offset(source, params.position))

    legend = types.SemanticTokensLegend([*reading.TOKENS], [])

    @made.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        found, source = outline_of(made, params.text_document.uri), source_of(made, params.text_document.uri)
        return types.SemanticTokens([] if found is None else reading.semantic_tokens(found, source))

    @made.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(["(", ","]))
    def signature(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        source = source_of(made, params.text_document.uri)
        offset = to_offset(source, params.position)
        found = editing.read_before(source.name, source.text, offset)
        return None if found is None else reading.signature(found, source, offset)

    @made.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        found, source = outline_of(made, params.text_document.uri), source_of(made, params.text_document.uri)
        known = asked.inferred.found(source.name)
        if found is None or known is None:
            return []
        told = dict[str, str]()
        for name in (d.name for d in found.declared if d.kind == "thread"):
            of_members = {env for _, env in environments(known, name)}
            # Of a family something is said where it is the same of each member.
            if len(of_members) == 1:
                (told[name],) = of_members
        return reading.environment_hints(found, source, told)

    @made.feature(types.WORKSPACE_SYMBOL)
    def symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        unsaved, files = unsaved_texts(made), tuple[str, ...]()
        with suppress(InputError):
            files = files_in(roots_of(made))
        found = reading.matching(params.query, files, lambda file: editing.read_file(file, unsaved))
        return [
            types.WorkspaceSymbol(location_of(made, d.place), d.name, SYMBOL.get(d.kind, types.SymbolKind.Variable))
            for d in islice(found, reading.MOST)
        ]

    @made.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        source = source_of(made, uri)
        noticed = [(d, diagnostic_of(d, source)) for d in editing.complaints(source.name, source.text)]
        return reading.actions(noticed, source, uri, params.range)
