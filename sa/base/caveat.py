"""What an answer assumes, and what it does not look at: said beside the verdict, and as data for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os.path import basename

from msgspec import Struct

from sa.base.source import Span, position

#: How many lines a sentence names.
_LINES = 4


#: A sentence that names places at its end.
_PLACED = re.compile(r"(.*) \((lines? [^()]*)\)(\.?)")


class Caveat(Struct, frozen=True):
    """`kind` is a name for programs, `text` a short sentence, `check` says how to find out whether it matters.

    `places` are what it is about, where that is known.
    """

    kind: str
    text: str
    check: str
    places: tuple[Span, ...] = ()


class Said(Struct, frozen=True):
    """What is to be said beside an answer: what it assumes, and what it leaves out."""

    assumptions: tuple[Caveat, ...] = ()
    not_checked: tuple[Caveat, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """One short line each; what is said of several places alike is one line."""
        found = dict[tuple[str, str], list[str]]()
        for text in (c.text for c in (*self.assumptions, *self.not_checked)):
            placed = _PLACED.fullmatch(text)
            if placed is None:
                found[(text, "")] = []
            else:
                found.setdefault((placed[1], placed[3]), []).append(placed[2])
        return tuple(f"{said} ({', '.join(at)}){end}" if at else said for (said, end), at in found.items())


def assuming(kind: str, what: str, check: str, places: tuple[Span, ...] = ()) -> Caveat:
    """An assumption, as a sentence."""
    return Caveat(kind, f"Assuming {what}.", check, places)


def unchecked(kind: str, what: str, option: str) -> Caveat:
    """What the answer says nothing about, and the option that makes it a claim."""
    return Caveat(kind, f"NOT CHECKED: {what} ({option})", f"ask again with `{option}`")


def together(found: Iterable[Said]) -> Said:
    """What is to be said beside an answer about several files, each sentence once: a file may be read twice."""
    told = tuple(found)
    assumptions = {c.text: c for one in told for c in one.assumptions}
    not_checked = {c.text: c for one in told for c in one.not_checked}
    return Said(tuple(assumptions.values()), tuple(not_checked.values()))


def lines_of(places: Sequence[Span]) -> str:
    """Places in words: `line 7 of a.c`, `lines 7 and 9 of a.c, line 2 of b.h`."""
    by_file = dict[str, dict[int, None]]()
    for place in places:
        by_file.setdefault(place.source.name, {})[position(place.source, place.start).line] = None
    return ", ".join(_lines(sorted(numbers), basename(name)) for name, numbers in by_file.items())


def _lines(numbers: Sequence[int], file: str) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]} of {file}"
    *first, last = map(str, numbers[:_LINES])
    if len(numbers) > _LINES:
        return f"lines {', '.join((*first, last))} and {len(numbers) - _LINES} more of {file}"
    return f"lines {', '.join(first)} and {last} of {file}"
