"""The functions of the library, in C: of `library.c` those that a file speaks of, and what they call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct
from pycparser import CParser, c_ast

from sa.frontends.c.formats import COMPARING, MAKING, SPANNING, TELLING, WRITING

_FUNCTION = re.compile(r"^[A-Za-z_][\w *]*?\b(\w+)\([^;]*?\) \{")
_PUT = ("_end", "_text", "_string", "_beside", "_int", "_unsigned", "_hexadecimal")
#: What a word stands for that no text says.
_MEANT = {
    **{name: (f"__sacheck_{name}",) for name in (*TELLING, *COMPARING, *SPANNING)},
    **dict.fromkeys((*WRITING, *MAKING), ("strlen", "strnlen")),
    "strdup": ("__sacheck_strdup", "strcpy"), "strndup": ("strcpy",),
    "tss_create": ("__sacheck_tss_create", "__sacheck_end_of_key"),
    "pthread_key_create": ("__sacheck_pthread_key_create", "__sacheck_end_of_key"),
    **dict.fromkeys(("scanf", "fscanf"), ("__sacheck_scans",)),
    **dict.fromkeys(("atoi", "atol", "atoll"), ("__sacheck_number_of",)), "__errno_location": ("__sacheck_errs",),
    **dict.fromkeys(
        ("strtol", "strtoul", "strtoll", "strtoull", "strtod"), ("__sacheck_number_ends", "__sacheck_number_of")
    ),
    **dict.fromkeys(
        ("snprintf", "sprintf"),
        ("strlen", "strnlen", *(f"__sacheck_put{kind}" for kind in _PUT)),
    ),
}  # fmt: skip


#: Names that are as similar as this may have been mistyped.
_NEAR = 0.85


class _Piece(Struct, frozen=True):
    """A declaration: its text, the function that it defines, if it does, and the words in it."""

    text: str
    defines: str | None
    words: frozenset[str]


def library(said: frozenset[str]) -> c_ast.FileAST:
    """The types and variables of the library, and the functions that are needed where some names are said."""
    functions = {p.defines: p for p in _pieces() if p.defines is not None}
    wanted, pending = set[str](), list(said)
    while pending:
        name = pending.pop()
        pending += _MEANT.get(name, ())
        if name in functions and name not in wanted:
            wanted.add(name)
            pending += functions[name].words
    return _parsed(frozenset(wanted))


def near(name: str, others: Iterable[str]) -> str | None:
    """The function of the library, or one of some `others`, whose name is so near that it was probably meant."""
    known = (*others, *(p.defines for p in _pieces() if p.defines is not None and not p.defines.startswith("__")))
    found = get_close_matches(name, known, 1, _NEAR)
    return found[0] if found else None


@lru_cache(maxsize=16)
def _parsed(wanted: frozenset[str]) -> c_ast.FileAST:
    kept = (p.text for p in _pieces() if p.defines is None or p.defines in wanted)
    return CParser().parse("\n".join(kept), "<library>")


@lru_cache(maxsize=1)
def _pieces() -> tuple[_Piece, ...]:
    """The declarations of `library.c`: each begins at the start of a line."""
    text = (files("sa.frontends.c") / "headers" / "library.c").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = list[_Piece]()
    for piece in re.split(r"\n(?=[A-Za-z_])", text.strip()):
        function, words = _FUNCTION.match(piece), frozenset(re.findall(r"\w+", piece))
        found.append(_Piece(piece, None if function is None else function.group(1), words))
    return tuple(found)
