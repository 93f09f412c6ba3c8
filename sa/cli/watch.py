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
from sa.cli.options import QuietOption, Settings, TimeoutOption
from sa.cli.output import write
from sa.cli.session import run

#: Seconds between two looks at the files.
_LOOK = 0.25

#: When files were written last, and how large they are.
_State: TypeAlias = Mapping[str, tuple[int, int]]


def watch(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, and folders with files.")],
    timeout: TimeoutOption = None,
    quiet: QuietOption = False,
) -> None:
    """Ask again whenever a file is saved.

    A file beside those that are named counts too, since it may be imported. Ctrl-C ends it.

    A program is asked with `verify`, a proof script with `prove`, `conc.sa` with `refine` if `abs.sa` is beside it.
    """
    run(Settings(False, quiet, timeout, None), lambda: _watch(tuple(paths), timeout, quiet))


def _watch(paths: tuple[str, ...], timeout: float | None, quiet: bool) -> int:
    from sa.app.files import files_in
    from sa.app.suite import questions_of

    options = ["--quiet"] if quiet else []
    options += [] if timeout is None else ["--timeout", str(timeout)]
    # Ctrl-C is how this ends.
    with suppress(KeyboardInterrupt, LimitReached):
        while True:
            files = files_in(paths)
            before = _state(files)
            for question in questions_of(paths):
                command = [question.command.value, *options, "--", *question.paths]
                write(f"── {' '.join((question.command.value, *question.paths))}  {time_of_day()}\n")
                if not _ask(command, before):
                    write("── a file was saved: asking again\n")
                    break
            while _state(before) == before:
                pause(_LOOK)
    return 0


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
