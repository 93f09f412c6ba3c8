"""`compile-check`: a file of C, compiled in two ways, and its functions compared."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.frontends.llvm.compile import compile_to


class Compilation(Struct, frozen=True):
    """How a file is compiled: the levels of optimisation as they are written, and flags that both times are given.

    The compiler runs in `folder`, the current one if none is named.
    """

    source: str
    compiler: str
    before: str
    after: str
    flags: Sequence[str]
    folder: str | None = None


def paths_in(folder: str, asked: Compilation) -> tuple[str, str]:
    """Where the two modules are written."""
    name = os.path.splitext(os.path.basename(asked.source))[0]
    return os.path.join(folder, f"{name}.before.ll"), os.path.join(folder, f"{name}.after.ll")


def compile_both(folder: str, asked: Compilation) -> None:
    """Compile the file in both ways. Raises InputError."""
    if not os.path.isfile(asked.source):
        raise InputError((error("SA013", f"cannot read `{asked.source}`: there is no such file"),))
    for path, level in zip(paths_in(folder, asked), (asked.before, asked.after), strict=True):
        compile_to(
            path, os.path.abspath(asked.source), asked.compiler, (*shlex.split(level), *asked.flags), asked.folder
        )


def compile_all(folder: str, asked: Sequence[Compilation], jobs: int) -> Iterator[tuple[str, str] | InputError]:
    """The modules of several files, each in a folder of its own; so many compilers run at once."""

    def compiled(number: int, one: Compilation) -> tuple[str, str] | InputError:
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        try:
            compile_both(own, one)
        except InputError as wrong:
            return wrong
        return paths_in(own, one)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(compiled, range(len(asked)), asked)
