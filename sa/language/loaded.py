"""What loaders make of files. Other languages' loaders make it too, and need nothing of this one's for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from sa.automata.program import Program
from sa.automata.proof import Script
from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.source import Source

if TYPE_CHECKING:
    from sa.language.elaborate import Block


class Loaded(Struct, frozen=True):
    """A file's program, what was noticed, all texts that were read (the file's own first).

    `blocks` are the file's refinement blocks: `elaborate_refinement` gives them a meaning once both
    programs are known. `imports` are the imported files by alias. `lints` are remarks about style, such as
    steps that touch several shared locations; no answer depends on them. `said` is what an answer about the
    program assumes and does not check, where that is not the file's own business. `races` makes the program that claims
    that there are no data races, None where no accesses may race; it raises InputError.
    """

    program: Program
    warnings: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    blocks: tuple[Block, ...] = ()
    imports: tuple[tuple[str, Program], ...] = ()
    lints: tuple[Diagnostic, ...] = ()
    said: Said = Said()
    races: Callable[[], Program | None] | None = None


class LoadedScript(Struct, frozen=True):
    """A proof script, what was noticed in it and in the programs that it imports, all texts (the script's first)."""

    script: Script
    warnings: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
