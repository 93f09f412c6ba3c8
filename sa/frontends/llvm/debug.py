"""Where instructions come from in C, by the debug information of a module (LangRef, Specialized Metadata Nodes)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from sa.automata.automaton import Link
from sa.base.diagnostic import InputError
from sa.base.source import Source, Span
from sa.frontends.llvm import syntax as s
from sa.language.read import read_source

#: A text names these, so they are ordinary files with such a name and nothing else.
_SUFFIXES = (".c", ".h", ".i")

#: Scopes stand in each other, calls behind each other: more than these are looked at no further.
_MOST = 32


def files_of(metadata: Mapping[str, str]) -> Mapping[str, Source]:
    """The files of C that a module comes from, by their numbers, as far as they are there."""
    found = dict[str, Source]()
    for number, text in metadata.items():
        named = re.match(r'!DIFile\(filename: "([^"]*)", directory: "([^"]*)"', text)
        if named is None:
            continue
        path = os.path.join(named[2], named[1])
        if path.endswith(_SUFFIXES) and os.path.isfile(path):
            try:
                found[number] = read_source(os.path.relpath(path) if not os.path.isabs(named[1]) else path)
            except InputError:
                continue
    return found


def compiled_from(module: s.Module, line: s.Line) -> Iterator[Link]:
    """The place in C of an instruction, and the calls that it is inlined at, from the inside outwards."""
    number = line.attachments.get("dbg")
    for depth in range(_MOST):
        place = re.match(r"(?:distinct )?!DILocation\((.*)\)", module.metadata.get(number or "", ""))
        if place is None:
            return
        fields = dict(re.findall(r"(\w+): (!?\w+)", place[1]))
        source = _file(module, fields.get("scope", ""))
        span = None if source is None else _span(source, int(fields.get("line", "0")), int(fields.get("column", "0")))
        if span is None:
            return
        yield Link(span, compiled=not depth)
        number = fields.get("inlinedAt")


def _file(module: s.Module, scope: str) -> Source | None:
    """The file of a scope."""
    for _ in range(_MOST):
        text = module.metadata.get(scope, "")
        fields = dict(re.findall(r"(\w+): (!\d+)", text))
        if "file" in fields:
            return module.files.get(fields["file"])
        if "scope" not in fields:
            return None
        scope = fields["scope"]
    return None


def _span(source: Source, line: int, column: int) -> Span | None:
    """A place in a file, to the end of its line; None where the file has no such line."""
    if not 1 <= line <= len(source.line_starts):
        return None
    first = source.line_starts[line - 1]
    last = source.line_starts[line] - 1 if line < len(source.line_starts) else len(source.text)
    start = min(first + max(column - 1, 0), last)
    return Span(source, start, last)
