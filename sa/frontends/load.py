"""Which front end reads a file: one loader each kind, by the suffix of the file's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os.path import splitext
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.diagnostic import InputError, error
from sa.base.source import Source
from sa.frontends.opened import opened
from sa.frontends.reading import USUAL, Reading, is_llvm
from sa.language.loaded import Loaded, LoadedScript
from sa.language.read import read_source

if TYPE_CHECKING:
    from sa.frontends.flow.compared import Compared, Refused


class Loader(Protocol):
    """What reads one kind of file. Everything raises InputError with all that is wrong.

    `split` splits steps that touch several shared locations; where each access is a step anyway it changes nothing.
    """

    def load_program(self, path: str, split: bool = False) -> Loaded:
        """A file, and those that it names, as a program."""

    def load_script(self, path: str, split: bool = False) -> LoadedScript:
        """A file as a proof script; an input error where this kind of file cannot be one."""

    def load(self, path: str, split: bool = False) -> Loaded | LoadedScript:
        """A file as what it is."""


def _sa() -> Loader:
    from sa.language import load

    return load


def _c() -> Loader:
    from sa.frontends.c import load

    return load


def _llvm() -> Loader:
    from sa.frontends.llvm import load

    return load


#: The loaders by suffix, each imported when a file needs it. Files with another suffix are read as `.sa`.
KINDS: Mapping[str, Callable[[], Loader]] = MappingProxyType(
    {".sa": _sa, ".c": _c, ".i": _c, ".ll": _llvm, ".bc": _llvm}
)


def source_of(path: str) -> Source:
    """The text of a file; of bitcode what LLVM prints of it. Raises InputError."""
    if not path.lower().endswith(".bc"):
        return read_source(path)
    from sa.frontends.llvm.read import disassembled

    return disassembled(path)


def prepare() -> None:
    """Have everything in memory that reads modules of LLVM IR: their grammar takes longer than most of them."""
    from contextlib import suppress

    with suppress(ImportError):
        import llvmlite.binding  # noqa: F401
    from sa.frontends.llvm.built import read_line
    from sa.frontends.llvm.functions import load_functions  # noqa: F401

    read_line("ret void", "instruction")


def loader_of(path: str) -> Loader:
    """The loader of a file, by its name alone."""
    return _kind(path)()


def _kind(path: str) -> Callable[[], Loader]:
    return KINDS.get(splitext(path)[1].lower(), _sa)


def load_program(path: str, split: bool = False, families: bool = False, reading: Reading = USUAL) -> Loaded:
    """The program of a file; `reading` says how C is read, and whether the program is open. Raises InputError.

    Unless who asks knows `families` of any number, a program that has one is an error.
    """
    if reading.open:
        loaded = load_program(path, split, families, replace(reading, open=False))
        return replace(loaded, program=opened(loaded.program))
    loaded = loader_of(path).load_program(path, split) if reading == USUAL else _read_so(path, reading)
    if not families:
        _refuse_families((loaded.program,))
    return loaded


def load_compared(path: str, split: bool = False, families: bool = False, reading: Reading = USUAL) -> Loaded:
    """The program of a file that is compared with another one: what the outside sees of it is visible.

    `families` and `reading` are as for `load_program`, but C has no families here. Raises InputError.
    """
    if _kind(path) is not _c:
        return load_program(path, split, families, reading)
    loaded = _read_so(path, replace(reading, visible=True))
    # How many threads a C program starts is part of its behaviour, not of the question.
    _refuse_families(
        (loaded.program,), "create as many threads as a constant says, or compare functions alone (`--function`)"
    )
    if loaded.program.bounds:
        where = loaded.program.bounds[0].span
        hint = "allocate before loops, and write a loop instead of a recursion"
        message = "a limit of the translation is reached here, and programs are compared as wholes"
        raise InputError((error("SA715", message, where, hint),))
    return loaded


def load_functions(paths: tuple[str, str], reading: Reading) -> tuple[Compared | Refused, ...]:
    """The function that a reading names in an abstract and in a concrete file, or all that their threads run.

    Of LLVM IR it is all that both files define: those of them that are not accepted are told beside the others.
    Raises InputError.
    """
    if all(map(is_llvm, paths)):
        if reading != replace(USUAL, function=reading.function):
            raise InputError((error("SA705", f"these options are for C, and `{paths[0]}` is LLVM IR"),))
        from sa.frontends.llvm.functions import load_functions as functions_in_both

        return functions_in_both(paths, reading.function)
    for path in paths:
        if _kind(path) is not _c:
            raise InputError((error("SA705", f"functions are compared in C, and `{path}` is not a C file"),))
    from sa.frontends.c.functions import load_functions as functions_of

    return functions_of(paths, reading)


def _read_so(path: str, reading: Reading) -> Loaded:
    if _kind(path) is not _c:
        raise InputError((error("SA705", f"these options are for C, and `{path}` is not a C file"),))
    from sa.frontends.c.load import load_with

    return load_with(path, reading)


def load_script(path: str, split: bool = False, text: str | None = None) -> LoadedScript:
    """The proof script of a file, about programs without families of any number. Raises InputError.

    A `text` is read as if it stood there.
    """
    if text is None:
        loaded = loader_of(path).load_script(path, split)
    else:
        from sa.language.load import script_of

        loaded = script_of(path, text, split)
    _refuse_families(loaded.script.programs.values())
    return loaded


#: What to do where families are not known.
_KNOWN = (
    "`check`, `show`, `verify`, `certify`, and `refine` of two programs know them; "
    "elsewhere write how many there are: `thread T[i : 1..3]`"
)


def _refuse_families(programs: Iterable[Program], hint: str = _KNOWN) -> None:
    """The threads alone are not the program where there are families: who looks at them only gets no program."""
    problems = tuple(
        error("SA321", f"`{f.thread.name}` is a family of any number", f.thread.origin.span, hint)
        for program in programs
        for f in program.families
    )
    if problems:
        raise InputError(problems)


def load(path: str, split: bool = False, reading: Reading = USUAL) -> Loaded | LoadedScript:
    """The program or the proof script of a file; `reading` says how it is read if it is C. Raises InputError."""
    if _kind(path) is _c and reading != USUAL:
        return _read_so(path, reading)
    return loader_of(path).load(path, split)
