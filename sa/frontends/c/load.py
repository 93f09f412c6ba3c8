"""The loader of `.c` and `.i` files."""

from __future__ import annotations

from sa.base.diagnostic import InputError, error
from sa.frontends.c.body import Choices
from sa.frontends.c.read import Options, read
from sa.frontends.c.translate import unit_of
from sa.frontends.flow.program import program_of
from sa.language.load import Loaded, LoadedScript
from sa.language.reading.grammar import keywords


def load_program(path: str, split: bool = False) -> Loaded:
    """The program of a file of C; each access is a step of its own anyway. Raises InputError with all errors."""
    return load_with(path, Options(), Choices())


def load_script(path: str, split: bool = False) -> LoadedScript:
    """There are no proof scripts in C. Raises InputError."""
    raise InputError((error("SA601", f"`{path}` is a program in C, no proof script"),))


def load(path: str, split: bool = False) -> Loaded | LoadedScript:
    """The program of a file of C. Raises InputError."""
    return load_program(path, split)


def load_with(path: str, options: Options, choices: Choices, entry: str = "main") -> Loaded:
    """The same with options. Raises InputError."""
    text = read(path, options)
    unit, file = unit_of(text, choices, entry)
    program = program_of(unit, text.source, keywords())
    return Loaded(program, tuple(file.problems), tuple(dict.fromkeys((text.source, *text.sources.values()))))
