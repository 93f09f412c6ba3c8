"""What was found in earlier runs, in a folder of the user's: one file each, never trusted.

An entry that is damaged, of another format, or cannot be read or written is as good as none. Files appear whole or not
at all, so that runs at once do not disturb each other; the oldest are removed where there is too much.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from sa.app.replace_file import replace_file
from sa.base.diagnostic import InputError

#: The folder may hold so many bytes, an entry so many.
MOST_BYTES, MOST_BYTES_OF_ONE = 200 * 2**20, 20 * 2**20

_SUFFIX = ".evidence"


class Folder(Struct, frozen=True):
    """A cache in a folder; nothing is made before something is kept."""

    path: Path

    def read(self, key: str) -> str | None:
        """The text of a key; None if there is none or it is damaged."""
        file = self.path / (key + _SUFFIX)
        with suppress(OSError, ValueError):
            if file.stat().st_size > MOST_BYTES_OF_ONE:
                return None
            digest, _, text = file.read_text(encoding="utf-8").partition("\n")
            if digest == _digest(key, text):
                with suppress(OSError):
                    os.utime(file)
                return text
        return None

    def write(self, key: str, text: str) -> None:
        """Keep a text, if possible."""
        if len(text) > MOST_BYTES_OF_ONE:
            return
        with suppress(OSError, InputError, UnicodeError):
            self.path.mkdir(parents=True, exist_ok=True)
            replace_file(str(self.path / (key + _SUFFIX)), f"{_digest(key, text)}\n{text}")
            self._prune()

    def _prune(self) -> None:
        """Remove what was not used for the longest time, until the rest is small enough."""
        found = list[tuple[float, int, str]]()
        with os.scandir(self.path) as entries:
            for entry in entries:
                # Another run may remove it at the same time.
                with suppress(FileNotFoundError):
                    if entry.name.endswith(_SUFFIX):
                        about = entry.stat()
                        found.append((about.st_mtime, about.st_size, entry.path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= MOST_BYTES:
                break
            with suppress(FileNotFoundError):
                os.unlink(path)
            total -= size


def _digest(key: str, text: str) -> str:
    return sha256(f"{key}\n{text}".encode()).hexdigest()


def users_cache() -> Folder | None:
    """The user's cache: $SACHECK_CACHE, or `sacheck` in the folder for caches; none where $SACHECK_CACHE is empty."""
    named = os.environ.get("SACHECK_CACHE")
    if named is not None:
        return Folder(Path(named)) if named else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return Folder(Path(base) / "sacheck") if base else None
