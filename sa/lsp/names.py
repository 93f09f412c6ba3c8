"""What an editor shows of names while one reads: where they are used, what kind they are, what a call takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from lsprotocol import types

from sa.app import editing
from sa.app.fixes import fix_of
from sa.base.source import Source, Span
from sa.lsp.positions import to_offset, to_position, to_range

#: The kinds of names as editors colour them; the numbers of tokens are places in this list.
TOKENS = ("variable", "parameter", "enum", "enumMember", "function", "class", "property", "interface", "label")

_TOKEN: Mapping[str, str] = {
    "constant": "variable",
    "parameter": "parameter",
    "argument": "parameter",
    "constructor": "enumMember",
    "type": "enum",
    "definition": "function",
    "function": "function",
    "procedure": "function",
    "thread": "class",
    "location": "label",
    "invariant": "property",
    "refinement": "interface",
    "step": "interface",
}

#: Names that are called, and so many symbols of all files at most.
_CALLED = frozenset({"definition", "function", "procedure"})
MOST = 200


def highlights(found: editing.Outline, offset: int) -> list[types.DocumentHighlight]:
    """The places of a text that mean the same as the name at an offset."""
    meant = editing.meaning(found, offset)
    if meant is None:
        return []
    uses = (u.place for u in found.uses if editing.declaration_of(found, u) is meant)
    write = types.DocumentHighlight(to_range(meant.place), types.DocumentHighlightKind.Write)
    return [write, *(types.DocumentHighlight(to_range(place), types.DocumentHighlightKind.Read) for place in uses)]


def semantic_tokens(found: editing.Outline, source: Source) -> list[int]:
    """All names of a text with their kinds: five numbers each, as the protocol counts from one to the next."""
    kinds = {d.place.start: (d.place, d.kind) for d in found.declared}
    for use in found.uses:
        meant = editing.declaration_of(found, use)
        if meant is not None:
            kinds[use.place.start] = (use.place, meant.kind)
    data, before = list[int](), types.Position(0, 0)
    for _, (place, kind) in sorted(kinds.items(), key=lambda entry: entry[0]):
        at, end = to_position(source, place.start), to_position(source, place.end)
        column = at.character - before.character if at.line == before.line else at.character
        token = TOKENS.index(_TOKEN.get(kind, "variable"))
        data += (at.line - before.line, column, end.character - at.character, token, 0)
        before = at
    return data


def signature(found: editing.Outline, source: Source, offset: int) -> types.SignatureHelp | None:
    """What the call around an offset takes."""
    call = _call(source.text, offset)
    if call is None:
        return None
    name, argument = call
    declared = next((d for d in found.declared if d.name == name and d.kind in _CALLED), None)
    if declared is None:
        return None
    label = editing.described(declared)
    inside = label.partition("(")[2].rpartition(")")[0]
    parameters = [types.ParameterInformation(part.strip()) for part in inside.split(",") if part.strip()]
    return types.SignatureHelp([types.SignatureInformation(label, None, parameters)], 0, argument)


def _call(text: str, offset: int) -> tuple[str, int] | None:
    """The name before the innermost open parenthesis, and the number of the argument at the offset."""
    depth = argument = 0
    for at in range(offset - 1, -1, -1):
        match text[at]:
            case ")":
                depth += 1
            case "(" if depth:
                depth -= 1
            case "(":
                start = at
                while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
                    start -= 1
                return text[start:at], argument
            case ",":
                argument += depth == 0
            case ";" | "{" | "}":
                return None
    return None


def environment_hints(found: editing.Outline, source: Source, known: Mapping[str, str]) -> list[types.InlayHint]:
    """Behind the name of each thread what the others may do to it, as far as that was inferred."""
    hints = list[types.InlayHint]()
    for d in found.declared:
        if d.kind == "thread" and d.name in known:
            label, at = f"others: {known[d.name]}", to_position(source, d.place.end)
            hints.append(types.InlayHint(at, label, padding_left=True, tooltip="inferred from the other threads"))
    return hints


def matching(
    query: str, files: Iterable[str], read: Callable[[str], editing.Outline | None]
) -> Iterator[editing.Declared]:
    """The names of files that contain the letters of a query, in their order."""
    wanted = query.lower()
    for file in files:
        outline = read(file)
        for d in () if outline is None else editing.names(outline):
            if _has(d.name.lower(), wanted):
                yield d


def _has(name: str, wanted: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in wanted)


def actions(
    noticed: Sequence[tuple[editing.Noticed, types.Diagnostic]], source: Source, uri: str, asked: types.Range
) -> list[types.CodeAction]:
    """The changes that the messages within a range hint at."""
    first, last = to_offset(source, asked.start), to_offset(source, asked.end)
    found = list[types.CodeAction]()
    for message, shown in noticed:
        fix = fix_of(message)
        if fix is not None and fix.place.source.name == source.name and _meets(fix.place, message.span, first, last):
            edit = types.WorkspaceEdit({uri: [types.TextEdit(to_range(fix.place), fix.text)]})
            found.append(types.CodeAction(fix.title, types.CodeActionKind.QuickFix, [shown], edit=edit))
    return found


def _meets(place: Span, said: Span | None, first: int, last: int) -> bool:
    start, end = (place.start, place.end) if said is None else (said.start, said.end)
    return start <= last and first <= end
