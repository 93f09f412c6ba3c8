"""`init`: a small project to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from sa.app.replace_file import write_folder


def project() -> Mapping[str, str]:
    """The files of the project by their names."""
    folder = files("sa.app") / "project"
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda e: e.name)
        if entry.name.endswith((".sa", ".md"))
    }


def init(path: str) -> tuple[str, ...]:
    """Write the project to a new or an empty folder, and return the names of the files. Raises InputError."""
    texts = project()
    write_folder(path, texts)
    return tuple(texts)
