"""Pairs of modules of LLVM IR, as texts, and how they are answered."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.frontends.flow.compared import Compared
from sa.frontends.llvm.built import read_line
from sa.frontends.load import load_functions
from sa.frontends.reading import Reading


def answer_of_files(before: Path, after: Path, name: str | None = None, seconds: float = 60.0) -> str:
    """PROVED, REFUTED or UNKNOWN about the only function of two files, or the code with which it is refused."""
    try:
        (found,) = load_functions((str(before), str(after)), Reading(function=name))
    except InputError as wrong:
        return wrong.diagnostics[0].code
    if not isinstance(found, Compared):
        return found.why.diagnostics[0].code
    options = Options(limits(seconds, None))
    try:
        return refine(found.abstract.program, found.concrete.program, found.block, options).verdict.name
    except LimitReached:
        return "UNKNOWN"


def answer(before: str, after: str, folder: Path, seconds: float = 60.0) -> str:
    """The same of two texts."""
    paths = folder / "before.ll", folder / "after.ll"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    return answer_of_files(*paths, seconds=seconds)


def answer_apart(before: str, after: str, folder: Path, seconds: int) -> str:
    """The same in a process of its own, which has so many seconds of processor time: then it is UNKNOWN."""
    # The grammar is made once for all.
    read_line("ret void", "instruction")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        found = ""
        try:
            used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
            resource.setrlimit(resource.RLIMIT_CPU, (int(used) + seconds, int(used) + seconds))
            found = answer(before, after, folder, 20.0 * seconds)
        finally:
            os.write(writing, found.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if not told and os.WIFSIGNALED(status):
        return "UNKNOWN"
    assert told, "the answer ended in an exception"
    return told
