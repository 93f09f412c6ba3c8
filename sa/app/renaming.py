"""A name in all files that mean it: those that import its file, compare it with another one, or prove something of
it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

from sa.base.diagnostic import InputError
from sa.base.source import Source, Span
from sa.language.mentions import HERE, Mention, Mentions, Pair, meant, mentions
from sa.language.outline import Declared, Outline, declaration_of, meaning, outline
from sa.language.read import read_source
from sa.language.reading.keywords import keywords

#: So many files are looked at for other uses of a name.
MAX_FILES = 500

#: Gives the text of a file as the editor has it; None where it is as it is saved. Paths have no symbolic links.
Unsaved = Callable[[str], str | None]

#: What is the same on both sides of a comparison where it has one name.
_SHARED = frozenset({"parameter", "function", "type", "constructor"})
_VARIABLES = frozenset({"global", "local"})


class Meaning(Struct, frozen=True):
    """A name: all declarations that must have the same name, as pairs of a file and a number in it, and all places of
    the name, by file. `declarations` are those that the place itself means, `all_declarations` those with them.
    """

    name: str
    declared: frozenset[tuple[str, int]]
    places: dict[str, tuple[Span, ...]]
    declarations: tuple[Declared, ...]
    all_declarations: tuple[Declared, ...]


class _Text(Struct, frozen=True):
    source: Source
    outline: Outline
    mentions: Mentions


class _Files(Struct):
    """The texts that are there, read when they are asked for."""

    paths: tuple[str, ...]
    unsaved: Unsaved
    read: dict[str, _Text | None] = field(default_factory=dict)


def meaning_of(path: str, offset: int, roots: Iterable[str], unsaved: Unsaved) -> Meaning | None:
    """What the name at an offset of a file means, in that file and in others below the folders `roots`.

    None where no name stands, or nothing that a file declares.
    """
    path = os.path.realpath(path)
    files = _Files(tuple(dict.fromkeys((path, *_below([*roots, os.path.dirname(path)])))), unsaved)
    text = _text(files, path)
    if text is None:
        return None
    found = set(_at(files, path, text, offset))
    if not found:
        return None
    declarations = tuple(_declared(files, one) for one in sorted(found))
    name = declarations[0].name
    users = [p for p in files.paths if _speaks_of(files, p, name)]
    while more := set(_linked(files, users, name, found)) - found:
        found |= more
    everything = tuple(_declared(files, one) for one in sorted(found))
    return Meaning(name, frozenset(found), _places(files, users, name, found), declarations, everything)


def problem_of(meant_by: Meaning, name: str, unsaved: Unsaved) -> str | None:
    """Why a name cannot be given another name; None where it can."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name) or name in keywords():
        return f"`{name}` cannot be a name"
    before = _Files(tuple(meant_by.places), unsaved)
    texts = {path: with_name(_read(before, path).text, places, name) for path, places in meant_by.places.items()}
    after = _Files(tuple(meant_by.places), lambda path: texts.get(path) or unsaved(path))
    elsewhere = f"`{name}` means something else here"
    for path in meant_by.places:
        old, new = _text(before, path), _text(after, path)
        if old is None or new is None or _own(old) != _own(new) or _others(before, path) != _others(after, path):
            return elsewhere
    return elsewhere if any(_clashes(before, meant_by, path, name) for path in meant_by.places) else None


# ---------------------------------------------------------------- what means what


def _at(files: _Files, path: str, text: _Text, offset: int) -> Iterator[tuple[str, int]]:
    """The declarations of the name at an offset."""
    own = meaning(text.outline, offset)
    if own is not None:
        yield path, _number(text, own)
        return
    for mention in text.mentions.names:
        if mention.place.start <= offset <= mention.place.end:
            yield from _meant(files, path, mention)


def _meant(files: _Files, path: str, mention: Mention) -> Iterator[tuple[str, int]]:
    for name in mention.files:
        other = _beside(path, name)
        text = _text(files, other)
        if text is not None:
            yield from ((other, _number(text, d)) for d in meant(mention, text.outline))


def _linked(files: _Files, users: list[str], name: str, found: set[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """What must have the same name as what was found: one word means both, or they are compared by their names."""
    for path in users:
        text = _text(files, path)
        assert text is not None
        for mention in text.mentions.names:
            if mention.name == name and found & (group := set(_meant(files, path, mention))):
                yield from group
    for abstract, concrete, pair in _pairs(files, users):
        sides = [_of_pair(files, side, name, pair) for side in (abstract, concrete)]
        if found & {d for side in sides for d in side}:
            yield from (d for side in sides for d in side if all(sides))


def _pairs(files: _Files, users: Iterable[str]) -> Iterator[tuple[str, str, Pair]]:
    """The comparisons that texts ask for, and a `conc.sa` with the `abs.sa` beside it."""
    for path in users:
        text = _text(files, path)
        for pair in text.mentions.pairs if text is not None else ():
            yield _beside(path, pair.abstract), _beside(path, pair.concrete), pair
    for folder in {os.path.dirname(path) for path in users}:
        abstract, concrete = (os.path.join(folder, name) for name in ("abs.sa", "conc.sa"))
        text = _text(files, concrete) if os.path.exists(abstract) and os.path.exists(concrete) else None
        if text is not None and not text.mentions.pairs:
            yield abstract, concrete, Pair("abs.sa", HERE, True, True)


def _of_pair(files: _Files, path: str, name: str, pair: Pair) -> list[tuple[str, int]]:
    """What a side of a comparison has under a name that the other side's one is compared with."""
    text = _text(files, path)
    kinds = _SHARED | (_VARIABLES if pair.variables else set()) | ({"thread"} if pair.threads else set())
    declared = text.outline.declared if text is not None else ()
    return [(path, n) for n, d in enumerate(declared) if d.name == name and d.kind in kinds]


def _places(files: _Files, users: list[str], name: str, found: set[tuple[str, int]]) -> dict[str, tuple[Span, ...]]:
    """Where what was found stands and is used."""
    places = dict[str, tuple[Span, ...]]()
    for path in users:
        text = _text(files, path)
        assert text is not None
        own = [text.outline.declared[n] for p, n in sorted(found) if p == path]
        here = {d.place for d in own}
        here |= {u.place for u in text.outline.uses if u.name == name and declaration_of(text.outline, u) in own}
        here |= {m.place for m in text.mentions.names if m.name == name and found & set(_meant(files, path, m))}
        if here:
            places[path] = tuple(sorted(here, key=lambda place: place.start))
    return places


# ---------------------------------------------------------------- another name


def with_name(text: str, places: tuple[Span, ...], name: str) -> str:
    """The text with another name at places, which are given in their order."""
    for place in reversed(places):
        text = text[: place.start] + name + text[place.end :]
    return text


def _own(text: _Text) -> list[int | None]:
    """What each use of a file means, by the number of the declaration; at the end how many there are."""
    numbers = {id(d): n for n, d in enumerate(text.outline.declared)}
    meant_by = (declaration_of(text.outline, use) for use in text.outline.uses)
    return [*(None if d is None else numbers[id(d)] for d in meant_by), len(numbers)]


def _others(files: _Files, path: str) -> list[list[tuple[str, int]]]:
    """What each mention of a file means."""
    text = _text(files, path)
    return [list(_meant(files, path, mention)) for mention in text.mentions.names] if text is not None else []


def _clashes(files: _Files, meant_by: Meaning, path: str, name: str) -> bool:
    """Whether the name is taken where a declaration of a file stands, or on the other side of a comparison."""
    text = _text(files, path)
    assert text is not None
    changed = [text.outline.declared[n] for p, n in meant_by.declared if p == path]
    taken = [d for d in text.outline.declared if d.name == name]
    if any(c.space is t.space and _overlap(c.scope, t.scope) for c in changed for t in taken):
        return True
    for abstract, concrete, pair in _pairs(files, [path]):
        for side, other in ((abstract, concrete), (concrete, abstract)):
            comparable = set(_of_pair(files, side, meant_by.name, pair)) & meant_by.declared
            if comparable and _of_pair(files, other, name, pair):
                return True
    return False


def _overlap(one: Span | None, other: Span | None) -> bool:
    return one is None or other is None or (one.start < other.end and other.start < one.end)


# ---------------------------------------------------------------- files


def _below(roots: Iterable[str]) -> Iterator[str]:
    """The texts in folders, not too many; hidden folders are left out."""
    count = 0
    for root in dict.fromkeys(os.path.realpath(r) for r in roots):
        for folder, inner, names in os.walk(root):
            inner[:] = sorted(n for n in inner if not n.startswith(".") and n != "node_modules")
            for name in sorted(n for n in names if n.endswith(".sa")):
                if count == MAX_FILES:
                    return
                count += 1
                yield os.path.join(folder, name)


def _beside(path: str, name: str) -> str:
    return path if name == HERE else os.path.realpath(os.path.join(os.path.dirname(path), name))


def _speaks_of(files: _Files, path: str, name: str) -> bool:
    """Whether a name stands in a text that can be read: only these are parsed."""
    try:
        if not re.search(rf"\b{re.escape(name)}\b", _read(files, path).text):
            return False
    except InputError:
        return False
    return _text(files, path) is not None


def _read(files: _Files, path: str) -> Source:
    unsaved = files.unsaved(path)
    return read_source(path) if unsaved is None else Source(path, unsaved)


def _text(files: _Files, path: str) -> _Text | None:
    """A text with what it declares and uses; None where it cannot be read."""
    if path not in files.read:
        try:
            source = _read(files, path)
            files.read[path] = _Text(source, outline(source), mentions(source))
        except InputError:
            files.read[path] = None
    return files.read[path]


def _declared(files: _Files, one: tuple[str, int]) -> Declared:
    text = _text(files, one[0])
    assert text is not None
    return text.outline.declared[one[1]]


def _number(text: _Text, declared: Declared) -> int:
    return next(n for n, d in enumerate(text.outline.declared) if d.place == declared.place)
