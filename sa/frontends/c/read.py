"""A file of C as preprocessed text, with the texts of the user's files that it came from.

`.c` files go through the user's compiler, which first says what is wrong with them; `.i` files are read as they are.
The headers of the standard library are the package's own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from importlib.resources import files

from msgspec import Struct

from sa.base.diagnostic import Diagnostic, InputError, Severity, error
from sa.base.source import Source, Span
from sa.frontends.reading import Reading
from sa.language.read import read_source

_SECONDS = 60
_MESSAGE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)$")
_MARKER = re.compile(r"^#.*$", re.MULTILINE)
_LINE = re.compile(r'^#(?:line)? *(\d+) "((?:[^"\\]|\\.)*)"', re.MULTILINE)


class Text(Struct, frozen=True):
    """Preprocessed text, and the sources by the names that its line directives use. The first one is the file."""

    text: str
    source: Source
    sources: Mapping[str, Source]


def headers() -> str:
    """The folder of the package's own headers."""
    return str(files("sa.frontends.c") / "headers")


def read(path: str, options: Reading) -> Text:
    """The preprocessed text of a `.c` or `.i` file. Raises InputError."""
    source = read_source(path)
    if path.endswith(".i"):
        # Places are those in this text: the files that it came from may be elsewhere.
        return Text(_MARKER.sub("", source.text), source, {path: source})
    compiler = shutil.which(options.compiler)
    if compiler is None:
        message = f"there is no C compiler `{options.compiler}` to preprocess `{path}`"
        hint = "install gcc or clang, name one with --cc, or give a preprocessed file (.i)"
        raise InputError((error("SA701", message, None, hint),))
    command = [
        compiler,
        "-nostdinc",
        *(f"-{a}" for a in options.arguments),
        # As headers of the system they would have lines cut into pieces where one of their macros is used.
        "-I",
        headers(),
        "-w",
        "-x",
        "c",
        "-std=gnu11",
    ]
    checked = _run([*command, "-DSACHECK_CHECKING", "-fsyntax-only", "-fno-builtin", path])
    if checked.returncode:
        raise InputError(tuple(_messages(checked.stderr, source)) or (_failed(path, checked.stderr),))
    made = _run([*command, "-E", path])
    if made.returncode:
        raise InputError((_failed(path, made.stderr),))
    return Text(made.stdout, source, dict(_sources(made.stdout, source)))


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=environment, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as wrong:
        raise InputError((error("SA701", f"the C compiler cannot be run: {wrong}"),)) from wrong


def _failed(path: str, said: str) -> Diagnostic:
    return error("SA702", f"the C compiler rejects `{path}`: {said.strip()[:400]}")


#: What helps where a header is not found.
_HEADERS = "say where headers are with `-I FOLDER`"

#: The headers that declare names, by how these begin.
_DECLARING = (
    (r"(pthread|PTHREAD)_", "pthread.h"),
    (r"(thrd|mtx|cnd|tss)_", "threads.h"),
    (r"sem_t$", "semaphore.h"),
    (r"(atomic|memory_order)_|ATOMIC_", "stdatomic.h"),
    (r"(bool|true|false)$", "stdbool.h"),
    (r"u?int(8|16|32|64|ptr|max)_t$|U?INT(8|16|32|64)_(MIN|MAX)$", "stdint.h"),
    (r"(size_t|NULL|ptrdiff_t)$", "stddef.h"),
    (r"(INT|UINT|LONG|CHAR)_(MIN|MAX)$", "limits.h"),
    (r"FILE$|stdin$|stdout$|stderr$|EOF$", "stdio.h"),
    (r"errno$|E(BUSY|INVAL|AGAIN|INTR|NOMEM|PERM|NOENT|EXIST|TIMEDOUT|DEADLK)$", "errno.h"),
)


def _messages(said: str, source: Source) -> Iterator[Diagnostic]:
    """What the compiler says is wrong, at its places in the file."""
    for line in said.splitlines():
        found = _MESSAGE.match(line)
        if found is None:
            continue
        text = f"the C compiler: {found['text']}"
        if found["file"] != source.name:
            yield Diagnostic("SA702", Severity.ERROR, f"{found['file']}:{found['line']}: {text}")
            continue
        yield error("SA702", text, _place(source, int(found["line"]), int(found["column"] or 1)), _hint(found["text"]))


def _hint(said: str) -> str | None:
    """What helps against something that the compiler says."""
    if "No such file" in said or "file not found" in said:
        return _HEADERS
    named = re.search(r"unknown type name '(\w+)'|'(\w+)' undeclared|use of undeclared identifier '(\w+)'", said)
    name = next(filter(None, named.groups()), "") if named else ""
    header = next((header for begin, header in _DECLARING if re.match(begin, name)), None)
    return None if header is None else f"`#include <{header}>` declares it"


def _place(source: Source, line: int, column: int) -> Span:
    start = source.line_starts[min(line, len(source.line_starts)) - 1] + column - 1
    start = min(start, len(source.text))
    end = start + 1
    while end < len(source.text) and (source.text[end].isalnum() or source.text[end] == "_"):
        end += 1
    return Span(source, start, min(end, len(source.text)))


def _sources(text: str, source: Source) -> Iterator[tuple[str, Source]]:
    """The user's files by their names in line directives: all that are not of the package."""
    own = headers()
    yield source.name, source
    for name in dict.fromkeys(m.group(2) for m in _LINE.finditer(text)):
        if name != source.name and not name.startswith(("<", own)) and os.path.isfile(name):
            yield name, read_source(name)
