"""What an editor asks of a text that may not be saved: errors, what names mean, new names, layout."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from sa.base.diagnostic import Diagnostic, InputError, Severity
from sa.base.source import Source, Span, span_text
from sa.frontends.load import KINDS
from sa.language.elaborate.builtin import WORDS
from sa.language.format import format_source
from sa.language.load import Loaded, load_text
from sa.language.outline import Declared as Declared
from sa.language.outline import Outline as Outline
from sa.language.outline import declaration_of, meaning, outline, places_of
from sa.language.reading.grammar import keywords

__all__ = [
    "Declared",
    "Outline",
    "complaints",
    "formatted",
    "known_names",
    "lookup",
    "names",
    "read",
    "renamed",
    "used",
]

#: Longer declarations are cut where they are shown.
_LONGEST = 400


class Renamed(Struct, frozen=True):
    """The places to change, or why the name cannot be changed."""

    places: tuple[Span, ...]
    problem: str | None = None


def is_ours(path: str) -> bool:
    """Whether a text is in the language of sacheck; C is read from saved files only."""
    suffix = path[path.rfind(".") :].lower()
    return suffix not in KINDS or suffix == ".sa"


def complaints(path: str, text: str) -> tuple[Diagnostic, ...]:
    """Everything that is wrong or suspicious in a text, as far as it can be seen without a solver."""
    try:
        if not is_ours(path):
            from sa.frontends.load import load

            loaded = load(path)
        else:
            loaded = load_text(path, text)
    except InputError as wrong:
        return wrong.diagnostics
    return (*loaded.warnings, *loaded.lints) if isinstance(loaded, Loaded) else loaded.warnings


def read(path: str, text: str) -> Outline | None:
    """The outline of a text; None where its syntax is wrong."""
    try:
        return outline(Source(path, text))
    except InputError:
        return None


def lookup(found: Outline, offset: int) -> Declared | None:
    """What the name at an offset means."""
    return meaning(found, offset)


def described(declared: Declared) -> str:
    """A declaration as it is written, without the body of a thread or a procedure."""
    text = span_text(declared.whole).partition("{")[0].strip()
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


def used(found: Outline, declared: Declared) -> list[Span]:
    """Where a name is declared and used."""
    return places_of(found, declared)


def names(found: Outline) -> tuple[Declared, ...]:
    """What a file declares, without arguments and what formulas bind."""
    inner = {"argument", "bound variable", "loop variable", "identity"}
    return tuple(d for d in found.declared if d.kind not in inner)


def known_names(found: Outline | None, offset: int) -> Mapping[str, str]:
    """What may be written at an offset: names that can be used there, with their kinds, and words of the language."""
    known = dict.fromkeys(sorted(keywords() | WORDS), "keyword")
    for d in found.declared if found is not None else ():
        if d.scope is None or d.scope.start <= offset <= d.scope.end:
            known[d.name] = d.kind
    return known


def renamed(path: str, text: str, offset: int, name: str) -> Renamed:
    """The places of a name to give it another one, if the text is then as good as before."""
    found = read(path, text)
    declared = None if found is None else meaning(found, offset)
    if found is None or declared is None:
        return Renamed((), "there is no name here that this file declares")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name) or name in keywords():
        return Renamed((), f"`{name}` cannot be a name")
    places = tuple(sorted(places_of(found, declared), key=lambda s: s.start))
    after = text
    for place in reversed(places):
        after = after[: place.start] + name + after[place.end :]
    if _errors(path, after) > _errors(path, text) or not _same(found, read(path, after), declared, name):
        return Renamed((), f"`{name}` means something else here")
    return Renamed(places)


def _same(before: Outline, after: Outline | None, declared: Declared, name: str) -> bool:
    """Whether all uses mean the same declarations as before, by their number in the file."""
    if after is None or len(before.declared) != len(after.declared) or len(before.uses) != len(after.uses):
        return False
    return _links(before) == _links(after)


def _links(found: Outline) -> list[int | None]:
    numbers = {id(d): i for i, d in enumerate(found.declared)}
    meant = (declaration_of(found, use) for use in found.uses)
    return [None if d is None else numbers[id(d)] for d in meant]


def _errors(path: str, text: str) -> int:
    return sum(d.severity is Severity.ERROR for d in complaints(path, text))


def formatted(path: str, text: str) -> str | None:
    """The text in the one layout; None where its syntax is wrong, or it is none of ours."""
    if not is_ours(path):
        return None
    try:
        return format_source(Source(path, text))
    except InputError:
        return None
