"""A function of a module with all that it speaks of, as a text of its own in which every line keeps its number.

Only the text is looked at. A slice that leaves out what is needed is no module, which LLVM says when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

#: What a text may name: variables and functions, types, metadata, groups of attributes, comdats.
_NAMED = re.compile(r'[@%!#$](?:[-\w.$]+|"[^"]*")|\^\d+')
_DEFINED = re.compile(r'^(?:define|declare)\b[^@]*(?:@(?:[-\w.$]+|"[^"]*")[^@(]+)*?(@(?:[-\w.$]+|"[^"]*"))\(')
_SET = re.compile(r'^([@%!#$](?:[-\w.$]+|"[^"]*"))\s*=')
_ATTRIBUTES = re.compile(r"^attributes (#\d+)\s*=")


class Part(Struct, frozen=True):
    """Lines of a module that stand together: what they define, None where they are always needed; its first line."""

    name: str | None
    line: int
    text: str


class Slice(Struct, frozen=True):
    """The parts of a module that a function needs, in their order."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """A module: empty lines stand where other parts are."""
        pieces, line = list[str](), 0
        for part in self.parts:
            pieces.extend(("\n" * (part.line - line), part.text, "\n"))
            line = part.line + part.text.count("\n") + 1
        return "".join(pieces)

    @property
    def content(self) -> str:
        """What tells it from other slices: its parts with their places."""
        return "\n".join(f"{part.line} {part.text}" for part in self.parts)


class Parts(Struct, frozen=True):
    """A module taken apart: its parts by what they define, those that are always needed, and what it defines."""

    by_name: Mapping[str, tuple[Part, ...]]
    always: tuple[Part, ...]
    functions: tuple[str, ...]


def parts_of(text: str) -> Parts:
    """The parts of a module."""
    found, always, functions = dict[str, list[Part]](), list[Part](), list[str]()
    for part in _parts(text):
        if part.name is None:
            always.append(part)
            continue
        found.setdefault(part.name, []).append(part)
        if part.text.startswith("define"):
            functions.append(_bare(part.name))
    return Parts({name: tuple(own) for name, own in found.items()}, tuple(always), tuple(functions))


def slices_of(modules: tuple[Parts, Parts], function: str) -> tuple[Slice, Slice]:
    """A function of two modules: each slice has all that either function speaks of, as far as its module has it."""
    named = {f"@{function}", f'@"{function}"'}
    while True:
        before = len(named)
        first, second = (_needed(parts, named) for parts in modules)
        named |= {part.name for part in (*first, *second) if part.name is not None and part.name.startswith("@")}
        if len(named) == before:
            return Slice(first), Slice(second)


def _needed(parts: Parts, named: Iterable[str]) -> tuple[Part, ...]:
    """The parts with some names, and all that they speak of."""
    kept, pending, seen = list(parts.always), list(named), set[str]()
    for part in parts.always:
        pending.extend(_NAMED.findall(part.text))
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            for part in parts.by_name.get(name, ()):
                kept.append(part)
                pending.extend(_NAMED.findall(part.text))
    return tuple(sorted(kept, key=lambda part: part.line))


def _bare(name: str) -> str:
    return name[1:].strip('"')


def _parts(text: str) -> Iterator[Part]:
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line, first = lines[number], number
        number += 1
        if not line.strip() or line.startswith(";"):
            continue
        if line.startswith("define"):
            # LLVM prints the brace at the end of a body alone on its line.
            while number < len(lines) and lines[number - 1].rstrip() != "}":
                number += 1
        named = _DEFINED.match(line) or _SET.match(line) or _ATTRIBUTES.match(line)
        name = None if named is None else named[1]
        # Named metadata is what a module says of itself as a whole.
        whole = name is not None and name.startswith("!") and not name[1:].isdigit()
        yield Part(None if whole else name, first, "\n".join(lines[first:number]))
