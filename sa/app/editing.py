"""What an editor asks of a text that may not be saved: errors, what names mean, new names, layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os.path import realpath

from msgspec import Struct

from sa.app.renaming import Meaning as Meaning
from sa.app.renaming import Unsaved, meaning_of, problem_of, with_name
from sa.base.diagnostic import Diagnostic as Noticed
from sa.base.diagnostic import InputError, Severity
from sa.base.source import Source, Span, span_text
from sa.frontends.load import KINDS
from sa.language.elaborate.builtin import WORDS
from sa.language.format import format_source
from sa.language.load import load_text
from sa.language.loaded import Loaded
from sa.language.outline import Declared as Declared
from sa.language.outline import Outline as Outline
from sa.language.outline import declaration_of as declaration_of
from sa.language.outline import meaning as meaning
from sa.language.outline import outline
from sa.language.read import read_source
from sa.language.reading.keywords import keywords

__all__ = [
    "Declared",
    "Outline",
    "Meaning",
    "Noticed",
    "complaints",
    "declaration_of",
    "formatted",
    "is_saved",
    "known_names",
    "meaning",
    "meaning_of",
    "names",
    "read",
    "renamed",
]

#: Longer declarations are cut where they are shown.
_LONGEST = 400


class Renamed(Struct, frozen=True):
    """The places to change, by file, or why the name cannot be changed."""

    places: Mapping[str, tuple[Span, ...]]
    problem: str | None = None


def is_ours(path: str) -> bool:
    """Whether a text is in the language of sacheck; C is read from saved files only."""
    suffix = path[path.rfind(".") :].lower()
    return suffix not in KINDS or suffix == ".sa"


def is_saved(path: str, text: str) -> bool:
    """Whether a text is what its file has."""
    try:
        return read_source(path).text == text
    except InputError:
        return False


def complaints(path: str, text: str) -> tuple[Noticed, ...]:
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


def read_file(path: str, unsaved: Unsaved) -> Outline | None:
    """The outline of a file in `.sa`, as the editor has it if it is open; None where it cannot be read."""
    text = unsaved(realpath(path)) if is_ours(path) else None
    if text is None:
        try:
            text = read_source(path).text if is_ours(path) else None
        except InputError:
            return None
    return None if text is None else read(path, text)


def read_before(path: str, text: str, offset: int) -> Outline | None:
    """The outline of a text in which something is being written at an offset: without that statement, if need be."""
    found = read(path, text)
    if found is not None:
        return found
    start = max(text.rfind(end, 0, offset) for end in ";{}") + 1
    ends = [end for mark in ";}" if (end := text.find(mark, offset)) >= 0]
    end = min(ends, default=len(text))
    blank = "".join(c if c == "\n" else " " for c in text[start:end])
    return read(path, f"{text[:start]}{blank}{text[end:]}")


def described(declared: Declared) -> str:
    """A declaration as it is written, without the body of a thread or a procedure."""
    text = span_text(declared.whole).partition("{")[0].strip()
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


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


def renamed(path: str, offset: int, name: str, roots: Iterable[str], unsaved: Unsaved) -> Renamed:
    """The places of a name to give it another one, in all files below the folders `roots` that mean it, if the texts
    are then as good as before.
    """
    found = meaning_of(path, offset, roots, unsaved)
    if found is None:
        return Renamed({}, "there is no name here that a file declares")
    problem = problem_of(found, name, unsaved)
    if problem is None and len(found.places) == 1:
        # What other files declare is as it was, so that all errors can be looked for.
        ((file, places),) = found.places.items()
        before = places[0].source.text
        if _errors(file, with_name(before, places, name)) > _errors(file, before):
            problem = f"`{name}` means something else here"
    return Renamed({}, problem) if problem is not None else Renamed(found.places)


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
