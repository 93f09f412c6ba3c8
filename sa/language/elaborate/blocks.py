"""Refinement blocks: they wait until the two programs are known, then their formulas get a meaning."""

from __future__ import annotations

from dataclasses import dataclass

from sa.automata.automaton import Origin
from sa.language import syntax
from sa.language.names import Scope


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A refinement block as it stands in a file. The paths are as written, relative to the file."""

    name: str
    abstract: str | None
    concrete: str | None
    written: syntax.RefinementBlock
    scope: Scope
    origin: Origin
