"""What is in checked files: a line for each, and one for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Kind
from sa.automata.program import Program
from sa.automata.proof import Script
from sa.base.diagnostic import Diagnostic, Severity
from sa.terms.name import measured, whole


def show_summary(path: str, content: Program | Script) -> str:
    """`file.sa: 2 threads, 4 globals`, or of a script `file.sa: 5 steps, 2 programs`."""
    counts: tuple[tuple[int, str] | tuple[int, str, str], ...]
    if isinstance(content, Script):
        counts = ((len(content.steps), "step"), (len(content.programs), "program"))
    else:
        # An array or a sequence is one global to those who wrote it.
        written = [v for v in content.variables if v.kind is Kind.GLOBAL and not v.internal]
        globals_ = {measured(v.var.name) if v.sequence else whole(v.var.name) for v in written}
        counts = (
            (len(content.threads), "thread"),
            (len(content.families), "family", "families"),
            # Of a program in C these are not what its text has.
            *(() if content.source.name.endswith((".c", ".i")) else _declared(len(globals_), len(content.invariants))),
        )
    parts = [f"{number} {_of(number, *words)}" for number, *words in counts if number]
    return f"{path}: {', '.join(parts) or 'nothing declared'}\n"


def _declared(globals_: int, invariants: int) -> tuple[tuple[int, str], ...]:
    return (globals_, "global"), (invariants, "invariant")


def _of(number: int, one: str, many: str | None = None) -> str:
    return one if number == 1 else many or f"{one}s"


def show_counts(found: Sequence[Sequence[Diagnostic]]) -> str:
    """`12 files: 2 with errors, 3 with warnings`, given what was found in each."""
    parts = list[str]()
    for severity in (Severity.ERROR, Severity.WARNING):
        count = sum(any(d.severity is severity for d in diagnostics) for diagnostics in found)
        if count:
            parts.append(f"{count} with {severity.value}s")
    return f"{len(found)} files: {', '.join(parts) or 'nothing wrong'}\n"
