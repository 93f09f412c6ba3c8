"""Formats of `printf` and `scanf` (C11 7.21.6): letters as they stand there, and conversions of arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from pycparser import c_ast

from sa.frontends.c.constants import letters_of

#: Functions that write for the outside: where their formats are, or None where there is no format.
WRITING: Mapping[str, int | None] = {
    "printf": 0, "fprintf": 1, "dprintf": 1, "vprintf": 0, "vfprintf": 1,
    **dict.fromkeys(("puts", "putchar", "fputs", "fflush", "perror", "fputc", "putc", "setbuf", "setvbuf")),
}  # fmt: skip

#: What makes a text in memory: where its format is.
MAKING: Mapping[str, int] = {"sprintf": 1, "snprintf": 2, "vsprintf": 1, "vsnprintf": 2}

#: Functions that say whether a letter is of a kind, and which of two texts comes first.
TELLING = tuple(
    f"is{kind}"
    for kind in (
        "digit",
        "upper",
        "lower",
        "alpha",
        "alnum",
        "space",
        "xdigit",
        "blank",
        "print",
        "punct",
        "cntrl",
        "graph",
    )
)
SPANNING = ("strspn", "strcspn")
COMPARING = ("strcmp", "strncmp", "strcasecmp", "strncasecmp")

_LENGTH = r"(?P<length>hh|h|ll|l|z|j|t|L|q)?"
_PRINTED = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\*|\d+)?(?P<precision>\.(?:\*|\d+)?)?" + _LENGTH + "(?P<letter>[a-zA-Z%])"
)
_SCANNED = re.compile(r"%(?P<skipped>\*)?(?P<width>\d+)?" + _LENGTH + r"(?P<letter>[a-zA-Z%]|\[\^?\]?[^]]*\])")


#: A precision that is given by an argument.
GIVEN = -1


class Piece(Struct, frozen=True):
    """A part of a format: letters, or a conversion, with its length (`ld`, `zu`), its width, and what is exceptional.

    It takes as many arguments as its stars, and one. A `precision` says how many letters of a text are written at
    most, and a `set` which ones are read.
    """

    letters: str = ""
    conversion: str = ""
    width: int | None = None
    plain: bool = True
    precision: int | None = None
    stars: int = 0
    set: frozenset[int] | None = None
    flags: str = ""


def is_text(node: object) -> bool:
    """Whether an expression is a string literal."""
    return isinstance(node, c_ast.Constant) and "string" in node.type


def printed(form: c_ast.Constant) -> tuple[Piece, ...]:
    """The parts of a format that is written."""
    return tuple(_pieces(form, _PRINTED))


def scanned(form: c_ast.Constant) -> tuple[Piece, ...]:
    """The conversions of a format that is read, which give an argument a value."""
    return tuple(p for p in _pieces(form, _SCANNED) if p.conversion and p.plain)


def _pieces(form: c_ast.Constant, pattern: re.Pattern[str]) -> list[Piece]:
    letters = "".join(chr(c % 256) for c in letters_of(form))
    made, here = list[Piece](), 0
    for found in pattern.finditer(letters):
        between, here = letters[here : found.start()], found.end()
        said = found.groupdict()
        if said["letter"] == "%":
            made.append(Piece(between + "%"))
            continue
        if between:
            made.append(Piece(between))
        width, precision = said["width"], said.get("precision")
        odd = bool(said.get("flags") or precision) or (pattern is _PRINTED and width is not None) or said.get("skipped")
        number = int(width) if width is not None and width.isdigit() else None
        stars = (width == "*") + (precision == ".*")
        conversion = (said["length"] or "") + said["letter"]
        most = None if precision is None else GIVEN if precision == ".*" else int(precision[1:] or 0)
        letters_read = _set(said["letter"]) if said["letter"].startswith("[") else None
        made.append(Piece("", conversion, number, not odd, most, stars, letters_read, said.get("flags") or ""))
    return [*made, Piece(letters[here:])] if here < len(letters) else made


def _set(text: str) -> frozenset[int]:
    """The letters of a set, as in `[a-z_]` or `[^,]`, as signed numbers; the end of texts is none."""
    inner, found, here = text[1:-1].removeprefix("^"), set[int](), 0
    while here < len(inner):
        last = here + 2 if inner[here + 1 : here + 2] == "-" and here + 2 < len(inner) else here
        found |= set(range(ord(inner[here]), ord(inner[last]) + 1))
        here = last + 1
    kept = set(range(1, 256)) - found if text[1] == "^" else found - {0}
    return frozenset(n - 256 if n > 127 else n for n in kept)
