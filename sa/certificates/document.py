"""The certificate of one command as a document: what was asked of which texts, and the evidence, not yet read.

docs/CERTIFICATES.md describes the format. Evidence can be read only once the question has been made again from the
texts, so it stays JSON here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NoReturn

from msgspec import Struct

from sa.certificates.shape import Entry, Json

KIND = "sacheck-certificate/"
FORMAT = KIND + "1"

#: Files may not have more bytes, numbers not more digits: a thread that squares a number twenty times gets there.
MAX_BYTES, MAX_DIGITS = 200_000_000, 100_000


class NoCertificate(Exception):
    """The text is no certificate of this version: says why."""


class Document(Struct, frozen=True):
    """`files` are those named on the command line, `sources` the hashes of all texts that were read, by their names.

    Names are relative to one folder and written with slashes. `tool` is the version of sacheck that wrote it.
    `reading` says how C was read, in the words of `frontends.reading`.
    """

    tool: str
    command: str
    files: tuple[str, ...]
    split: bool
    whole: bool
    reading: tuple[str, ...]
    sources: Mapping[str, str]
    questions: tuple[Entry, ...]


def digest(text: str) -> str:
    """The hash of a source: SHA-256 of its text in UTF-8, without a byte order mark."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def document_text(document: Document) -> str:
    """The document as text."""
    written: Json = {
        "format": FORMAT,
        "tool": document.tool,
        "command": document.command,
        "files": list(document.files),
        "options": {"split": document.split, "whole": document.whole, "reading": list(document.reading)},
        "sources": dict(document.sources),
        "questions": [q.value for q in document.questions],
    }
    return json.dumps(written, ensure_ascii=False, indent=1) + "\n"


def read_document(text: str) -> Document:
    """The document of a text. Raises NoCertificate, and Malformed where it is one with something missing."""
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as problem:
        raise NoCertificate(f"it is not JSON: {problem}") from None
    written = value.get("format") if isinstance(value, dict) else None
    if not isinstance(written, str) or not written.startswith(KIND):
        raise NoCertificate("it is not a certificate of sacheck")
    if written != FORMAT:
        raise NoCertificate(f"it is of another version of the format than {FORMAT}")
    _, tool, command, files, options, sources, questions = Entry(value).fields(
        "format", "tool", "command", "files", "options", "sources", "questions"
    )
    split, whole, reading = options.fields("split", "whole", "reading")
    return Document(
        tool.text(),
        command.text(),
        tuple(_name(f) for f in files.items()),
        split.flag(),
        whole.flag(),
        tuple(word.text() for word in reading.items()),
        {name: hashed.text() for name, hashed in sources.entries() if _is_name(name, hashed)},
        tuple(questions.items()),
    )


def _name(entry: Entry) -> str:
    name = entry.text()
    _is_name(name, entry)
    return name


def _is_name(name: str, entry: Entry) -> bool:
    """Names lead to files below one folder, and nowhere else."""
    if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name or ":" in name or "\0" in name:
        raise entry.wrong(f"{name!r} is not the name of a file below the folder of the sources")
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is there twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no integer")


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number, parse_float=_no_number, parse_int=_int)
