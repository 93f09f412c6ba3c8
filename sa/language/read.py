"""Files to sources."""

from __future__ import annotations

import os
from difflib import get_close_matches

from sa.base.diagnostic import InputError, error
from sa.base.source import Source, Span

#: Files may not have more bytes.
MAX_BYTES = 20_000_000


def read_source(path: str, most: int = MAX_BYTES) -> Source:
    """The text of a file of at most so many bytes, UTF-8 with or without a byte order mark. Raises InputError."""
    data = _bytes(path, most)
    if len(data) > most:
        raise InputError((error("SA016", f"`{path}` is larger than {most} bytes"),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        message = f"`{path}` is not UTF-8 text: byte {wrong.start} on line {line}"
        raise InputError((error("SA014", message, None, "save it as UTF-8"),)) from wrong
    source = Source(path, text)
    position = text.find("\0")
    if position >= 0:
        message = "a NUL character: this is not a text file"
        raise InputError((error("SA015", message, Span(source, position, position + 1)),))
    return source


def beside(path: str, name: str, span: Span | None) -> str:
    """The path of a file that another file names at `span`: relative to the other one's folder. Raises InputError.

    What a text names is read without asking the user, so that it has to be an ordinary file: reading a device or a
    pipe may never end, or do something.
    """
    if os.path.isabs(name):
        hint = "name it relative to the file that names it"
        raise InputError((error("SA019", f"`{name}` is an absolute path", span, hint),))
    target = os.path.join(os.path.dirname(path), name)
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        raise InputError((error("SA013", f"`{target}` is not a regular file", span),))
    return target


def _bytes(path: str, most: int) -> bytes:
    if os.path.isdir(path):
        raise InputError((error("SA013", f"`{path}` is a directory", None, "name a file"),))
    try:
        with open(path, "rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as wrong:
        reason = wrong.strerror if isinstance(wrong, OSError) and wrong.strerror else str(wrong)
        near = _near(path) if isinstance(wrong, FileNotFoundError) else None
        hint = None if near is None else f"did you mean `{near}`?"
        raise InputError((error("SA013", f"cannot read `{path}`: {reason}", None, hint),)) from wrong


def _near(path: str) -> str | None:
    """A file beside a missing one whose name is like its."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return None
    close = get_close_matches(name, sorted(names), 1, 0.7)
    return os.path.join(folder, close[0]) if close else None
