"""`check`: everything that is wrong or suspicious in files, without deciding any claim."""

from __future__ import annotations

from dataclasses import dataclass

from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, InputError, Severity
from sa.base.limits import Limits
from sa.composition.declared import environment_warnings
from sa.language.load import load_program
from sa.obligations.vacuity import vacuity


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a file; `program` is None where errors leave none."""

    path: str
    program: Program | None
    diagnostics: tuple[Diagnostic, ...]


def check(paths: tuple[str, ...], split: bool, bounds: Limits) -> tuple[Checked, ...]:
    """Check every file, whatever is wrong with the others. Raises LimitReached."""
    return tuple(_check(path, split, bounds) for path in paths)


def _check(path: str, split: bool, bounds: Limits) -> Checked:
    try:
        loaded = load_program(path, split)
    except InputError as wrong:
        return Checked(path, None, wrong.diagnostics)
    program = loaded.program
    empty = vacuity(program, bounds)
    if any(d.severity is Severity.ERROR for d in empty):
        return Checked(path, None, empty)
    return Checked(path, program, (*loaded.warnings, *loaded.lints, *empty, *environment_warnings(program, bounds)))


def has_errors(checked: tuple[Checked, ...]) -> bool:
    """Whether any file is wrong; warnings do not count."""
    return any(d.severity is Severity.ERROR for file in checked for d in file.diagnostics)
