"""From the texts of a question to the tool's answer and the oracle's, about the same goals."""

from __future__ import annotations

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError, Severity
from sa.base.source import Source
from sa.language.elaborate import elaborate_refinement
from sa.language.elaborate.program import elaborate
from sa.language.parser import parse


def read(abstract: str, concrete: str) -> tuple[Program, Program, Refinement | None]:
    """The two programs and the concrete text's block. Raises InputError."""
    first = elaborate(parse(Source("abs.sa", abstract)), {})
    second = elaborate(parse(Source("conc.sa", concrete)), {})
    if not second.blocks:
        return first.program, second.program, None
    meaning, found = elaborate_refinement(second.blocks[0], first.program, second.program)
    if any(d.severity is Severity.ERROR for d in found):
        raise InputError(found)
    return first.program, second.program, meaning
