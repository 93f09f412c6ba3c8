"""Writing to the terminal: width, colours, and readers that went away."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, TextIO

from sa.cli.guard import undisturbed

if TYPE_CHECKING:
    from sa.report.screen import Screen

_PIPED_WIDTH = 100
_WIDEST = 160


def write(text: str, stream: TextIO | None = None) -> None:
    """Write a text; what a terminal would obey in it is replaced, colours aside.

    A reader that has gone away is no error: the rest of the output is dropped.
    """
    from sa.report.printable import printable, printable_but_colours

    stream = stream or sys.stdout
    text = printable_but_colours(text) if _coloured(stream) else printable(text)
    try:
        with undisturbed():
            stream.write(text)
            stream.flush()
    except BrokenPipeError:
        # Otherwise the interpreter complains when it flushes the stream at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_json(document: dict[str, Any]) -> None:
    """Write one JSON document to standard output."""
    import json

    from sa.report.printable import escaped_json

    write(escaped_json(json.dumps(document, ensure_ascii=False, indent=2)) + "\n")


def screen(stream: TextIO | None = None) -> Screen:
    """What a stream shows. Colours are for terminals, and only where NO_COLOR is unset and TERM is not `dumb`."""
    from sa.report.screen import Screen

    stream = stream or sys.stdout
    width = shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns
    return Screen(max(40, min(width, _WIDEST)), _coloured(stream))


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def tolerate_narrow_encodings() -> None:
    """Characters that the terminal's encoding lacks are replaced, never an exception."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
