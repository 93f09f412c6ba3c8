"""Writing to the terminal: width, colours, and readers that went away."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TextIO

from sa.base.verdict import EXIT_INPUT
from sa.processes.guard import undisturbed

if TYPE_CHECKING:
    from msgspec import Struct

    from sa.report.screen import Screen

_PIPED_WIDTH = 100
_WIDEST = 160


def write(text: str, stream: TextIO | None = None, last: bool = False) -> None:
    """Write a text; what a terminal would obey in it is replaced, colours aside. After the `last` no limit counts.

    A reader that has gone away is no error: the rest of the output is dropped. An answer that cannot be written, on a
    full disk say, ends the process with status 2 and the reason on standard error.
    """
    from sa.report.printable import printable, printable_but_colours

    target = stream or sys.stdout
    try:
        text = printable_but_colours(text) if _coloured(target) else printable(text)
        with undisturbed(last):
            target.write(text)
            target.flush()
    except BrokenPipeError:
        _drop(target)
    except OSError as problem:
        _drop(target)
        if target is not sys.stderr:
            cannot_write(problem)


def answered(status: int, why: str = "") -> None:
    """All answers are shown. A worker that is ended before its end has this status, and says why on standard error."""
    say = getattr(sys.stdout, "answered", None)
    if say is not None:
        say(status, why)


def cannot_write(problem: OSError) -> NoReturn:
    """End the process since its answer cannot be delivered."""
    _drop(sys.stdout)
    write(f"error SA903: cannot write to standard output: {problem.strerror or 'it is closed'}\n", sys.stderr)
    sys.exit(EXIT_INPUT)


def _drop(stream: TextIO) -> None:
    """From now on what is written goes nowhere; otherwise the interpreter complains when it flushes at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_json(document: Struct) -> None:
    """Write the one JSON document of a command to standard output."""
    import json

    from sa.report.json import builtins
    from sa.report.printable import escaped_json

    write(escaped_json(json.dumps(builtins(document), ensure_ascii=False, indent=2)) + "\n", last=True)


def screen(stream: TextIO | None = None) -> Screen:
    """What a stream shows. Colours are for terminals, and only where NO_COLOR is unset and TERM is not `dumb`."""
    from sa.report.screen import Screen

    stream = stream or sys.stdout
    width = shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns
    return Screen(max(40, min(width, _WIDEST)), _coloured(stream))


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def prepare_streams() -> None:
    """Make the standard streams usable, however the process was started.

    Characters that the terminal's encoding lacks are replaced, never an exception. Writing to a standard output that
    was closed fails, as it should; what goes to a closed standard error is dropped.
    """
    # A process may be started without streams, whatever the types say.
    if not sys.stdout:
        sys.stdout = open(os.devnull, encoding="utf-8")  # noqa: SIM115 -- for as long as the process lives
    if not sys.stderr:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
