"""`compile-check`: a file of C, compiled in two ways, and its functions compared."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.frontends.llvm.compile import compile_to


class Compilation(Struct, frozen=True):
    """How a file is compiled: the levels of optimisation as they are written, and flags that both times are given."""

    source: str
    compiler: str
    before: str
    after: str
    flags: Sequence[str]


def paths_in(folder: str, asked: Compilation) -> tuple[str, str]:
    """Where the two modules are written."""
    name = os.path.splitext(os.path.basename(asked.source))[0]
    return os.path.join(folder, f"{name}.before.ll"), os.path.join(folder, f"{name}.after.ll")


def compile_both(folder: str, asked: Compilation) -> None:
    """Compile the file in both ways. Raises InputError."""
    if not os.path.isfile(asked.source):
        raise InputError((error("SA013", f"cannot read `{asked.source}`: there is no such file"),))
    for path, level in zip(paths_in(folder, asked), (asked.before, asked.after), strict=True):
        compile_to(path, asked.source, asked.compiler, (*shlex.split(level), *asked.flags))
