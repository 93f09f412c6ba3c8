"""Refinement of cooperative programs: under one scheduler and another one, and under none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.refine import questions
from sa.automata.automaton import Origin
from sa.automata.program import Pairing, Refinement
from sa.automata.schedulers import with_schedulers
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.language.texts import program_of

P, R = Verdict.PROVED, Verdict.REFUTED
#: Each thread shows what it did, and hands over.
THREADS = """global x : int = 0;
thread A { while (true) { x := x + 1; @out(x) skip; yield; } }
thread B { while (true) { x := 0; @out(x) skip; yield; } }
"""
WITHOUT = THREADS.replace(" yield;", "")
#: A thread between whose two steps others may run, or not; the other thread shows nothing.
TWO_STEPS = "cooperative; thread A { @a skip; %s @b skip; } thread B { %s }"


@pytest.mark.parametrize(
    ("abstract", "concrete", "wanted"),
    [
        ("cooperative; " + THREADS, "scheduler fairthreads; " + THREADS, P),
        ("scheduler fairthreads; " + THREADS, "cooperative; " + THREADS, R),
        ("cooperative; " + THREADS, "scheduler priority; " + THREADS, P),
        ("scheduler priority; " + THREADS, "cooperative; " + THREADS, R),
        ("scheduler fairthreads; " + THREADS, "scheduler priority; " + THREADS, R),
        (WITHOUT, "scheduler fairthreads; " + THREADS, P),
        (TWO_STEPS % ("", "skip;"), TWO_STEPS % ("yield;", "yield;"), P),
        (TWO_STEPS % ("yield;", "yield;"), TWO_STEPS % ("", "skip;"), P),
    ],
)
def test_a_program_under_a_scheduler_refines_another_one(
    abstract: str, concrete: str, wanted: Verdict, tmp_path: Path
) -> None:
    """What is found is judged, and what is judged has both schedulers."""
    paths = tuple(str(tmp_path / name) for name in ("abs.sa", "conc.sa"))
    for path, text in zip(paths, (abstract, concrete), strict=True):
        Path(path).write_text(text)
    (asked,) = questions(paths, split=False)
    assert refine(asked.abstract, asked.concrete, asked.block, Options(limits(60.0, None))).verdict is wanted


def test_only_a_scheduler_needs_no_partner() -> None:
    """A thread of the same name that takes no step stands on the other side, and nowhere else."""
    fair, plain = program_of("scheduler fairthreads; thread A { yield; }"), program_of("thread A { skip; }")
    first, second = with_schedulers(plain, fair, None)
    assert [t.name for t in first.threads] == ["A", "fairthreads"]
    assert first.threads[-1].edges == ()
    assert second is fair
    where = Origin(None)
    pairs = (Pairing("fairthreads", "A", where),)
    paired = Refinement("r", None, None, None, (), (), (), pairs, False, False, None, where)
    assert with_schedulers(plain, fair, paired) == (plain, fair)
    assert with_schedulers(fair, fair, None) == (fair, fair)
    assert with_schedulers(plain, plain, None) == (plain, plain)
