"""Attributes and pragmas that change what a program of C means: they are errors at their places.

What is in a header of the system, by the flags of the preprocessor's line markers, is not the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Source, Span
from sa.frontends.c.gnu import assembler_name, groups
from sa.frontends.c.read import Text

#: What each does, by its name without underscores.
_CHANGING = {
    **dict.fromkeys(("cleanup", "constructor", "destructor"), "calls a function that no statement calls"),
    **dict.fromkeys(("packed", "scalar_storage_order", "ms_struct", "gcc_struct"), "changes how objects lie in memory"),
    **dict.fromkeys(("mode", "vector_size", "ext_vector_type", "hardbool", "address_space"), "makes another type"),
    "transparent_union": "changes how arguments are given",
    **dict.fromkeys(("alias", "weakref", "ifunc", "overloadable"), "gives a name to what has another one"),
    "naked": "leaves out the begin and end of a function",
}
_ALIGNED = "aligned"
_WORD = re.compile(r"[A-Za-z_]\w*")
_SQUARE = re.compile(r"\[\[[^\]]*\]\]")
#: `pack(pop)` and `pack()` only end what another one began.
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(pack\b.*\d.*|scalar_storage_order\b.*)$", re.MULTILINE)
_MARKER = re.compile(r'^#(?:line)? *(\d+) "((?:[^"\\]|\\.)*)"([ \d]*)$', re.MULTILINE)
#: Who asks how large something is, or moves bytes.
_SIZES = re.compile(r"\b(?:sizeof|offsetof|__builtin_offsetof|_*[Aa]lignof_*|mem(?!ory_)\w+|\w*alloc)\b")


def changing(text: Text) -> Iterator[Diagnostic]:
    """An error for each attribute and pragma of the user that changes what a program means."""
    whole = text.text
    yield from _second_names(text)
    if not any(word in whole + text.source.text for word in ("__attribute", "[[", "pragma")):
        return
    sizes = None
    for start, end in sorted((*groups(whole), *(m.span() for m in _SQUARE.finditer(whole)))):
        for said, word in _words(whole[start:end]):
            aligns = word == _ALIGNED
            if not aligns and word not in _CHANGING:
                continue
            place = _place(text, whole, start + said)
            if place is None or (text.source.name.endswith(".i") and _is_of_library(whole, start, end)):
                continue
            if aligns:
                sizes = _is_used(text, _SIZES) if sizes is None else sizes
                if not sizes or not (_is_of_type(whole, start, end) or "lignof" in whole):
                    continue
            what = "changes sizes, which the file asks for" if aligns else _CHANGING[word]
            yield error("SA719", f"`{word}` {what}: this is not accepted", place, "leave it out, or write what it does")
    original = text.source.text if text.source.name.endswith(".i") else whole
    for pragma in _PRAGMA.finditer(original):
        place = _place(text, original, pragma.start(1))
        if place is not None:
            message = "this pragma changes how objects lie in memory: it is not accepted"
            yield error("SA719", message, place, "leave it out")


def _second_names(text: Text) -> Iterator[Diagnostic]:
    """An error for each name for the assembler that something else has in the text: it may be the same object."""
    whole = text.text
    for start, end in groups(whole) if "asm" in whole else ():
        name = assembler_name(whole[start:end])
        declared = _MARKER.sub("", whole[_declaration(whole, start, end)[0] : start])
        if name is None or name in _WORD.findall(declared):
            continue
        place = _place(text, whole, start)
        if place is not None and _is_used(text, re.compile(rf"\b{re.escape(name)}\b")):
            message = f'`asm("{name}")` {_CHANGING["alias"]}: this is not accepted'
            yield error("SA719", message, place, f"use the name `{name}`")


def _words(group: str) -> Iterator[tuple[int, str]]:
    """The names of the attributes of a group, each with its place in it; not what is in their parentheses."""
    outside = 1 if group.startswith("[[") else 2
    if outside == 2 and not group.startswith("__attribute"):
        return
    depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]|\w+', group):
        match found.group():
            case "(":
                depth += 1
            case ")":
                depth -= 1
            case word if depth == outside or (outside == 1 and depth == 0):
                yield found.start(), word.strip("_")
            case _:
                pass


def _declaration(text: str, start: int, end: int) -> tuple[int, int]:
    """From the mark before a group to the mark behind it."""
    begin = max(text.rfind(mark, 0, start) for mark in ";{}") + 1
    behind = re.search(r"[;{]", text[end:])
    return begin, end + (behind.start() if behind else 0)


def _is_of_type(text: str, start: int, end: int) -> bool:
    """Whether an alignment is of a type, and not of a variable: it stands in braces of a structure, or defines one."""
    begin, _ = _declaration(text, start, end)
    before = text[begin:start]
    if re.search(r"\b(?:typedef|struct|union|enum)\s*$|\btypedef\b", before) or text[:start].rstrip().endswith("}"):
        return True
    depth, here = 0, start
    while (here := max(text.rfind("{", 0, here), text.rfind("}", 0, here))) >= 0:
        depth += 1 if text[here] == "{" else -1
        if depth == 1:
            head = re.split(r"[;{}]", text[:here])[-1]
            return re.search(r"\b(?:struct|union)\b[^()=]*(?:\([^;]*\)\s*\w*\s*)?$", head) is not None
    return False


def _is_of_library(text: str, start: int, end: int) -> bool:
    """Whether a declaration in text without headers looks like the library's, or is of a name that nothing uses."""
    begin, behind = _declaration(text, start, end)
    plain = text[begin:start] + re.sub(r"__attribute\w*\s*\(\(.*?\)\)(?!\))", " ", text[end:behind], flags=re.DOTALL)
    names = _WORD.findall(plain)
    if not names or "typedef" not in names:
        # Beside its braces, a structure's attribute shows no `typedef`.
        return bool(names) and names[-1].startswith("__") and text[:start].rstrip().endswith("}")
    name = names[-1]
    return name.startswith("__") or len(re.findall(rf"\b{re.escape(name)}\b", text)) == 1


def _is_used(text: Text, words: re.Pattern[str]) -> bool:
    """Whether the user's text has certain words; attributes, headers and `extern` declarations do not count."""
    bare, here = list[str](), 0
    for start, end in sorted(groups(text.text)):
        bare.append(text.text[here:start])
        bare.append(re.sub(r"[^\n]", " ", text.text[start:end]))
        here = max(here, end)
    plain = "".join((*bare, text.text[here:]))
    return any(
        _place(text, plain, m.start()) is not None
        for m in words.finditer(plain)
        if "extern" not in plain[_declaration(plain, m.start(), m.end())[0] : m.start()]
    )


def _place(text: Text, of: str, at: int) -> Span | None:
    """The place of a position of preprocessed text in a file of the user; None in headers of the system."""
    source, line, system = text.source, of.count("\n", 0, at) + 1, False
    if text.source.name.endswith(".i"):
        # Places are those in this text, and its markers are in the source only.
        last = _last(text.source.text, text.source.line_starts[min(line, len(text.source.line_starts)) - 1])
        system = last is not None and "3" in last[3].split()
    elif (last := _last(of, at)) is not None:
        if "3" in last[3].split() or last[2] not in text.sources:
            return None
        source = text.sources[last[2]]
        line = int(last[1]) + of.count("\n", last.end() + 1, at)
    if system or not 1 <= line <= len(source.line_starts):
        return None
    return _spot(source, line, (_WORD.match(of, at) or _WORD.search(of, at)))


def _last(text: str, before: int) -> re.Match[str] | None:
    return max(_MARKER.finditer(text, 0, before), key=lambda marker: marker.start(), default=None)


def _spot(source: Source, line: int, word: re.Match[str] | None) -> Span:
    """A word in a line, or the whole line."""
    start = source.line_starts[line - 1]
    end = source.text.find("\n", start)
    end = len(source.text) if end < 0 else end
    here = source.text.find(word.group(), start, end) if word is not None else -1
    return Span(source, start, end) if here < 0 or word is None else Span(source, here, here + len(word.group()))
