"""The parser's tables: built by Lark from `sa.lark`, kept in the user's cache directory.

The cache is a pickle, so it is only read from a directory that belongs to the user and that nobody
else can write to; otherwise the tables are built afresh, which costs a tenth of a second.
"""

from __future__ import annotations

import os
import stat
import sys
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lark
from lark import Lark

from sa.language.reading.keywords import grammar_path


def make_parser(builder: SimpleNamespace) -> Lark:
    """A parser that calls the builder's functions."""
    grammar = grammar_path().read_text(encoding="utf-8")
    options: dict[str, Any] = {
        "parser": "lalr",
        "lexer": "basic",
        "keep_all_tokens": True,
        "maybe_placeholders": False,
        "transformer": builder,
    }
    directory = cache_directory()
    if directory is None:
        return Lark(grammar, **options)
    key = sha256(f"{grammar}\0{lark.__version__}\0{sys.version}".encode()).hexdigest()[:24]
    kept = directory / f"grammar-{key}.tables"
    # Lark checks a hash at the head of the file, and rebuilds where the rest cannot be read.
    return Lark(grammar, cache=_Place(kept), **options) if kept.exists() else _build_and_keep(grammar, options, kept)


class _Place(str):
    """A path that is left out of Lark's hash of its options, so that the tables may be moved."""

    __slots__ = ()

    def __str__(self) -> str:
        return ""


def _build_and_keep(grammar: str, options: dict[str, Any], kept: Path) -> Lark:
    """Build the tables and move them to `kept` in one step, so that nobody reads half a file."""
    from tempfile import mkstemp

    try:
        handle, name = mkstemp(dir=kept.parent)
        os.close(handle)
        parser = Lark(grammar, cache=_Place(name), **options)
        os.replace(name, kept)
    except OSError:
        return Lark(grammar, **options)
    return parser


def cache_directory() -> Path | None:
    """The user's own cache directory of the tool; None where there is no safe one."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    directory = Path(base) / "sacheck"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
    except (OSError, RuntimeError):
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return directory
