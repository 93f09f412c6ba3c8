"""What is in a checked file, on one line."""

from __future__ import annotations

from sa.automata.automaton import Kind
from sa.automata.program import Program
from sa.automata.proof import Script


def show_summary(path: str, content: Program | Script) -> str:
    """`file.sa: 2 threads, 4 globals`, or of a script `file.sa: 5 steps, 2 programs`."""
    counts: tuple[tuple[int, str], ...]
    if isinstance(content, Script):
        counts = ((len(content.steps), "step"), (len(content.programs), "program"))
    else:
        globals_ = sum(v.kind is Kind.GLOBAL for v in content.variables)
        counts = ((len(content.threads), "thread"), (globals_, "global"), (len(content.invariants), "invariant"))
    parts = [f"{number} {word if number == 1 else word + 's'}" for number, word in counts if number]
    return f"{path}: {', '.join(parts) or 'nothing declared'}\n"
