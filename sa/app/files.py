"""Which files are meant where folders are named too."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from sa.base.diagnostic import InputError, error
from sa.frontends.load import KINDS


def files_in(paths: Iterable[str]) -> tuple[str, ...]:
    """The files named, and in place of each folder all files in it that can be read, in order and each once.

    Folders with a name that starts with a dot are left out. Raises InputError for a folder without such files.
    """
    return tuple(dict.fromkeys(file for path in paths for file in _files(path)))


def _files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    found = list[str]()
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        found.extend(os.path.normpath(os.path.join(folder, name)) for name in sorted(names) if _is_readable(name))
    if not found:
        kinds = ", ".join(KINDS)
        raise InputError((error("SA915", f"no file in `{path}` is a program", None, f"their names end in {kinds}"),))
    yield from found


def _is_readable(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in KINDS and not name.startswith(".")
