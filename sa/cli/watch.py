"""`sacheck watch`: ask again whenever a file is saved."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, TypeAlias

import typer

from sa.base.clock import pause, time_of_day
from sa.base.limits import LimitReached
from sa.cli.options import Limited, Settings
from sa.cli.output import write
from sa.cli.record import with_options
from sa.cli.session import run

#: Seconds between two looks at the files.
_LOOK = 0.25

#: When files were written last, and how large they are.
_State: TypeAlias = Mapping[str, tuple[int, int]]


@with_options(Limited)
def watch(
    given: Limited,
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, and folders with files.")],
) -> None:
    """Ask again whenever a file is saved.

    Only what the file may change is asked again: a file that is imported changes what imports it. Ctrl-C ends it.

    A program is asked with `verify`, a proof script with `prove`, `conc.sa` with `refine` if `abs.sa` is beside it.
    """
    run(Settings(False, given.quiet, None, None), lambda: _watch(tuple(paths), given))


def _watch(paths: tuple[str, ...], given: Limited) -> int:
    from sa.app.files import files_in
    from sa.app.suite import questions_of

    options = ["--quiet"] if given.quiet else []
    options += [] if given.timeout is None else ["--timeout", str(given.timeout)]
    options += [] if given.memory is None else ["--memory", str(given.memory)]
    # Ctrl-C is how this ends.
    with suppress(KeyboardInterrupt, LimitReached):
        asked: _State = {}
        while True:
            files = files_in(paths)
            before = _state(files)
            changed = {file for file in {*before, *asked} if before.get(file) != asked.get(file)}
            asked = before
            _clear()
            for question in questions_of(paths):
                if changed.isdisjoint(_read_by(question.paths, before)):
                    continue
                command = [question.command.value, *options, *question.options, "--", *question.paths]
                write(f"── {' '.join((question.command.value, *question.options, *question.paths))}  {time_of_day()}\n")
                if not _ask(command, before):
                    write("── a file was saved: asking again\n")
                    # What was not asked is not known.
                    asked = {}
                    break
            while _state(before) == before:
                pause(_LOOK)
    return 0


def _read_by(paths: Iterable[str], files: _State) -> set[str]:
    """The files that a question may be about: those that it names, and those that their texts name, and so on."""
    found, waiting = set[str](), [os.path.join(os.path.dirname(path) or ".", os.path.basename(path)) for path in paths]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
            waiting.extend(other for other in files if os.path.basename(other) in text)
    return found


def _clear() -> None:
    """Begin with an empty screen, on a terminal."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"\x1b[2J\x1b[H")


def _ask(command: list[str], before: _State) -> bool:
    """Run a command to its end, or give it up when a file is saved; whether it came to its end."""
    process = subprocess.Popen([sys.executable, "-m", "sa", *command], stdin=subprocess.DEVNULL)
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
                return True
            if _state(before) != before:
                return False
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(2.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _state(files: Iterable[str]) -> _State:
    """The files and all others in their folders: they may be imported."""
    found = dict[str, tuple[int, int]]()
    for folder in sorted({os.path.dirname(file) or "." for file in files}):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.is_file() and not entry.name.startswith("."):
                        status = entry.stat()
                        found[os.path.join(folder, entry.name)] = (status.st_mtime_ns, status.st_size)
    return found
