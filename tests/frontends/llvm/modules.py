"""Pairs of modules of LLVM IR, as texts, and how they are answered."""

from __future__ import annotations

from pathlib import Path

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.frontends.flow.compared import Compared
from sa.frontends.load import load_functions
from sa.frontends.reading import Reading


def answer_of_files(before: Path, after: Path, name: str | None = None) -> str:
    """PROVED, REFUTED or UNKNOWN about the only function of two files, or the code with which it is refused."""
    try:
        (found,) = load_functions((str(before), str(after)), Reading(function=name))
    except InputError as wrong:
        return wrong.diagnostics[0].code
    if not isinstance(found, Compared):
        return found.why.diagnostics[0].code
    return refine(found.abstract.program, found.concrete.program, found.block, Options(limits(60.0, None))).verdict.name


def answer(before: str, after: str, folder: Path) -> str:
    """The same of two texts."""
    paths = folder / "before.ll", folder / "after.ll"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    return answer_of_files(*paths)
