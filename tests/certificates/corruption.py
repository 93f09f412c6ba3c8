"""Certificates with one thing changed: each place of a document, in each way that fits what stands there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

from msgspec import Struct

#: Where something is in a document.
Path = tuple[str | int, ...]


class Mutant(Struct, frozen=True):
    """A changed document, and what was done to it: the last name on the way to the place, and the change."""

    kind: str
    path: Path
    document: Any


def mutants(document: Any, rng: Random, most: int) -> Iterator[Mutant]:
    """Some of all the documents with one change, at most so many."""
    places = list(_places(document, ()))
    words = sorted({v for _, v in places if isinstance(v, str) and not v.startswith(("(", "|("))})
    changes = [(path, how, change) for path, value in places for how, change in _changes(value, words, rng)]
    for path, how, change in rng.sample(changes, min(most, len(changes))):
        changed = _with(document, path, change)
        if changed != document:
            yield Mutant(f"{_name(path)}: {how}", path, changed)


def _name(path: Path) -> str:
    return next((p for p in reversed(path) if isinstance(p, str) and p.isidentifier() and len(p) > 2), "document")


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    yield path, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(inner, (*path, key))


def _with(document: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(deepcopy(document))
    made = here = deepcopy(document)
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = change(here[path[-1]])
    return made


def _changes(value: Any, words: list[str], rng: Random) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    match value:
        case bool():
            yield "flipped", lambda v: not v
        case int():
            yield "one more", lambda v: v + 1
            yield "one less", lambda v: v - 1
        case str():
            yield from ((how, lambda _, t=text: t) for how, text in _texts(value, words, rng))
        case list():
            yield from _lists(value, rng)
        case dict():
            for key in value:
                yield "left out", lambda v, k=key: {n: x for n, x in v.items() if n != k}
        case None:
            yield "given", lambda _: {"relation": {"pairs": [], "answers": [], "closure": {}, "openings": []}}


def _lists(value: list[Any], rng: Random) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for i in range(len(value)):
        yield "dropped", lambda v, i=i: [*v[:i], *v[i + 1 :]]
    if value:
        i = rng.randrange(len(value))
        yield "twice", lambda v: [*v, deepcopy(v[i])]
    if len(value) > 1:
        j = rng.randrange(len(value) - 1)
        yield "exchanged", lambda v: [*v[:j], v[j + 1], v[j], *v[j + 2 :]]
    if all(isinstance(v, str) for v in value):
        yield "something false added", lambda v: [*v, "false"]


def _texts(text: str, words: list[str], rng: Random) -> Iterator[tuple[str, str]]:
    """Other texts in the place of one: of a formula formulas, of a name names."""
    if not text.startswith("(") and text not in ("true", "false"):
        if words:
            yield "another name", rng.choice(words)
        return
    for simple in ("true", "false", f"(not {text})"):
        yield f"made {simple[:5].strip('( ')}", simple
    numbers = list(re.finditer(r"(?<![\w@.|?])\d+(?![\w@.|])", text))
    if numbers:
        at = rng.choice(numbers)
        yield "another number", text[: at.start()] + str(int(at[0]) + 1) + text[at.end() :]
    for old, new in (("(<= ", "(= "), ("(= ", "(<= "), ("(and ", "(or "), ("(or ", "(and ")):
        if old in text:
            yield "another operator", text.replace(old, new, 1)
    names = list(re.finditer(r"(?:conc|abs)\.\w+|\w+\.\w+", text))
    if len({n[0] for n in names}) > 1:
        one, other = rng.sample(sorted({n[0] for n in names}), 2)
        yield "another variable", text.replace(one, other, 1)
    parts = _conjuncts(text)
    if len(parts) > 1:
        i = rng.randrange(len(parts))
        yield "a part dropped", f"(and {' '.join(parts[:i] + parts[i + 1 :])})"


def _conjuncts(text: str) -> list[str]:
    """The parts of a conjunction."""
    if not text.startswith("(and "):
        return []
    parts, depth, begun = list[str](), 0, 5
    for at, character in enumerate(text[5:-1], 5):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and (character == ")" or text[at + 1] in " )"):
            parts.append(text[begun : at + 1].strip())
            begun = at + 1
    return [p for p in parts if p]
