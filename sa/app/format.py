"""`fmt`: files in their one layout."""

from __future__ import annotations

import os

from msgspec import Struct

from sa.app.replace_file import replace_file
from sa.base.diagnostic import InputError, error
from sa.language.format import format_source
from sa.language.read import read_source


class Formatted(Struct, frozen=True):
    """A file and whether its layout differs, or differed, from the formatter's."""

    path: str
    changed: bool


def format_file(path: str, write: bool) -> Formatted:
    """Format a file, in place where `write` is set. Raises InputError; a file with syntax errors stays as it is."""
    if write and os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        hint = "only regular files are formatted in place"
        raise InputError((error("SA013", f"`{path}` is not a regular file", None, hint),))
    source = read_source(path)
    text = format_source(source)
    changed = text != source.text
    if changed and write:
        replace_file(path, text)
    return Formatted(path, changed)
