"""What is in a checked file, on one line."""

from __future__ import annotations

from sa.automata.automaton import Kind
from sa.automata.program import Program


def show_summary(path: str, program: Program) -> str:
    """`file.sa: 2 threads, 4 globals`."""
    globals_ = sum(v.kind is Kind.GLOBAL for v in program.variables)
    counts = (
        (len(program.threads), "thread"),
        (globals_, "global"),
        (len(program.invariants), "invariant"),
    )
    parts = [f"{number} {word if number == 1 else word + 's'}" for number, word in counts if number]
    return f"{path}: {', '.join(parts) or 'nothing declared'}\n"
