"""Which front end reads a file: one loader each kind, by the suffix of the file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os.path import splitext
from types import MappingProxyType
from typing import Protocol

from sa.language.load import Loaded, LoadedScript


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


#: The loaders by suffix, each imported when a file needs it. Files with another suffix are read as `.sa`.
KINDS: Mapping[str, Callable[[], Loader]] = MappingProxyType({".sa": _sa})


def loader_of(path: str) -> Loader:
    """The loader of a file, by its name alone."""
    return KINDS.get(splitext(path)[1].lower(), _sa)()


def load_program(path: str, split: bool = False) -> Loaded:
    """The program of a file. Raises InputError."""
    return loader_of(path).load_program(path, split)


def load_script(path: str, split: bool = False) -> LoadedScript:
    """The proof script of a file. Raises InputError."""
    return loader_of(path).load_script(path, split)


def load(path: str, split: bool = False) -> Loaded | LoadedScript:
    """The program or the proof script of a file. Raises InputError."""
    return loader_of(path).load(path, split)
