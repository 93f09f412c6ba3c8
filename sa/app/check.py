"""`check`: everything that is wrong or suspicious in files, without deciding any claim."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import splitext

from msgspec import Struct

from sa.app.files import files_in
from sa.app.suite import partner
from sa.automata.program import Program
from sa.automata.proof import Script
from sa.base.diagnostic import Diagnostic, InputError, Severity, error
from sa.base.limits import Limits
from sa.conditions.declared import environment_warnings
from sa.conditions.vacuity import contradiction, vacuity
from sa.frontends.load import load
from sa.frontends.reading import USUAL, Reading
from sa.language.loaded import Loaded, LoadedScript


class Checked(Struct, frozen=True):
    """What was found in a file; `content` is None where errors leave none."""

    path: str
    content: Program | Script | None
    diagnostics: tuple[Diagnostic, ...]


def check(paths: tuple[str, ...], split: bool, bounds: Limits, reading: Reading = USUAL) -> tuple[Checked, ...]:
    """Check every file, those in folders too, whatever is wrong with the others. `reading` says how C is read.

    Raises LimitReached, InputError.
    """
    return tuple(_check(path, split, bounds, reading) for path in files_in(paths))


def _check(path: str, split: bool, bounds: Limits, reading: Reading) -> Checked:
    try:
        loaded = load(path, split, reading)
    except InputError as wrong:
        return Checked(path, None, wrong.diagnostics)
    if isinstance(loaded, LoadedScript):
        return _script(path, loaded, bounds)
    empty, environments = _about(loaded.program, bounds)
    if _wrong(empty):
        return Checked(path, None, empty)
    blocks = _compared(path, loaded, split)
    content = None if _wrong(blocks) else loaded.program
    return Checked(path, content, (*loaded.warnings, *loaded.lints, *empty, *environments, *blocks))


def _compared(path: str, loaded: Loaded, split: bool) -> tuple[Diagnostic, ...]:
    """What is wrong with the refinement blocks of a file, if it is known what they compare it with."""
    from sa.app.refine import questions
    from sa.question.families import crowds
    from sa.question.goals import pairings

    abstract = partner(path)
    if not loaded.blocks or (abstract is None and any(block.abstract is None for block in loaded.blocks)):
        return ()
    try:
        for asked in questions((path,) if abstract is None else (abstract, path), split, families=True):
            paired = crowds if asked.concrete.families or asked.abstract.families else pairings
            paired(asked.abstract, asked.concrete, asked.block)
    except InputError as wrong:
        # What is wrong with the other file alone is told where that is checked.
        own = (d for d in wrong.diagnostics if d.span is None or d.span.source.name == path or d.code[:3] == "SA4")
        return tuple(own)
    return ()


def _script(path: str, loaded: LoadedScript, bounds: Limits) -> Checked:
    """A script with the programs that it is about, whose style is their own business."""
    script = loaded.script
    found = [_about(program, bounds) for program in script.programs.values()]
    empty = tuple(d for vacuous, _ in found for d in vacuous)
    if not _wrong(empty):
        empty += contradiction(script.axioms, bounds)
    if _wrong(empty):
        return Checked(path, None, tuple(dict.fromkeys(empty)))
    environments = (d for _, warned in found for d in warned)
    return Checked(path, script, tuple(dict.fromkeys((*loaded.warnings, *empty, *environments))))


def _about(program: Program, bounds: Limits) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """What is vacuous in a program, and what is odd about its environments where nothing contradicts itself."""
    empty = vacuity((program,), bounds)
    return empty, () if _wrong(empty) else environment_warnings(program, bounds)


def _wrong(diagnostics: tuple[Diagnostic, ...]) -> bool:
    return any(d.severity is Severity.ERROR for d in diagnostics)


def coverage_of(
    paths: tuple[str, ...], reading: Reading
) -> Iterator[tuple[str, tuple[tuple[str, bool, tuple[int, ...]], ...]]]:
    """Of every file in C the constructs that it has, whether they are accepted, and their lines. Raises InputError."""
    from sa.frontends.c.coverage import coverage, line_of

    for path in files_in(paths):
        if splitext(path)[1].lower() in (".c", ".i"):
            found = coverage(path, reading)
            yield path, tuple((c.name, c.refused is None, tuple(dict.fromkeys(map(line_of, c.places)))) for c in found)
        else:
            raise InputError((error("SA705", f"`--coverage` is for C, and `{path}` is not a C file"),))


def has_errors(checked: tuple[Checked, ...]) -> bool:
    """Whether any file is wrong; warnings do not count."""
    return any(_wrong(file.diagnostics) for file in checked)
