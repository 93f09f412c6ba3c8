"""`fmt`: files in their one layout."""

from __future__ import annotations

from msgspec import Struct

from sa.app.replace_file import replace_file
from sa.language.format import format_source
from sa.language.read import read_source


class Formatted(Struct, frozen=True):
    """A file and whether its layout differs, or differed, from the formatter's."""

    path: str
    changed: bool


def format_file(path: str, write: bool) -> Formatted:
    """Format a file, in place where `write` is set. Raises InputError; a file with syntax errors stays as it is."""
    source = read_source(path)
    text = format_source(source)
    changed = text != source.text
    if changed and write:
        replace_file(path, text)
    return Formatted(path, changed)
