"""`sacheck init`: begin a project."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from sa.cli.options import Settings
from sa.cli.output import write
from sa.cli.session import run


def init(folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A new folder, or an empty one.")]) -> None:
    """Write a small commented project.

    It has a pair of programs for `refine` and a program for `verify`.
    """
    run(Settings(False, False, None, None), lambda: _init(folder))


def _init(folder: str) -> int:
    from sa.app.init import init as begin

    for name in begin(folder):
        write(f"{os.path.join(folder, name)}\n")
    write(f"Next: cd {shlex.quote(folder)} && sacheck test\n")
    return 0
