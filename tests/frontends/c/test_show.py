"""A program of C is printed as `.sa` that reads back as the same program."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.show import as_text
from sa.automata.program import Program
from sa.frontends.load import load_program
from tests.frontends.c.test_specs import SPECS

SOME = ("peterson", "queue", "treiber-stack", "spinning-loop", "semaphore-buffer", "results", "function-pointer")


def meaning(program: Program) -> object:
    """What a program is, apart from where it is written."""
    threads = (*program.threads, *(f.thread for f in program.families))
    return [
        (
            t.name,
            t.initial,
            t.init,
            sorted((v.var.name, v.kind.value, v.low, v.high) for v in t.variables),
            sorted((q.name, q.inv.key) for q in t.locations),
            [(e.source, e.target, e.label, e.guard, sorted(e.updates, key=lambda u: u[0].name)) for e in t.edges],
        )
        for t in threads
    ]


@pytest.mark.parametrize("name", SOME)
def test_what_is_printed_is_the_same_program(name: str, tmp_path: Path) -> None:
    path = SPECS / f"{name}.c"
    printed = tmp_path / "printed.sa"
    printed.write_text(as_text(str(path), False))
    again = load_program(str(printed), families=True).program
    assert meaning(again) == meaning(load_program(str(path), families=True).program)
