"""Runs without steps that they do not need: still runs into the same violation, and no step can be left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits, allot
from sa.certificates.run import Bad, Failing, Run
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.explicit.deciders import by_walks
from sa.question.asked import Asked, Refuted
from sa.transform.expand import turn_of
from sa.transform.shorten import SHORT, shortened
from tests.language.texts import program_of

NOISE = """global x, n : 0..2 = 0; thread Noise { while (true) { n := (n + 1) %% 3; } }
thread T { %s } thread U { x := 1; }"""
ANY = Bad(Failing(), None)


def runs(text: str) -> Iterator[tuple[Asked, Refuted]]:
    """What walks at random find, however long it is."""
    program = program_of(text)
    bads = (ANY, *(Bad(None, i.formula) for i in program.invariants))
    for seed in range(10):
        asked = Asked(program.threads, bads, program.axioms)
        for said in by_walks(asked, Budget(allot(Limits(), 200_000), seed), unheard):
            assert isinstance(said, Refuted)
            yield asked, said


@pytest.mark.parametrize(
    "text",
    [
        NOISE % "await x == 1; x := 2; x := 0; assert x == 1;",
        NOISE % "skip; skip; x := 0;" + " invariant small : x == 0;",
        NOISE % "local k : 0..9 = 0; while (k < 9) { k := k + 1; } assert x == 0;",
        NOISE % "A: skip;" + " invariant apart : !(at T.A && x == 1);",
    ],
)
def test_no_step_can_be_left_out_of_a_shortened_run(text: str) -> None:
    for asked, said in runs(text):
        run = said.evidence
        assert isinstance(run, Run)
        short = shortened(asked.threads, said.bad, run, Limits())
        assert isinstance(check_run(asked.threads, said.bad, short), Accepted)
        assert len(short.turns) <= len(run.turns)
        if len(run.turns) > SHORT:
            assert all(turn.thread != "Noise" for turn in short.turns)


def long_run() -> tuple[Asked, Run]:
    """A run with steps of a thread that has nothing to do with the failure."""
    asked, said = next(runs(NOISE % "assert x == 1;"))
    run = said.evidence
    assert isinstance(run, Run)
    noise, turns, here = asked.threads[0], [], run.start
    for _ in range(20):
        edge = next(e for e in noise.edges if e.source == here.threads["Noise"].location)
        turns.append(turn_of(asked.threads, here, "Noise", edge, {}))
        here = turns[-1].after
    for turn in (t for t in run.turns if t.thread != "Noise"):
        turns.append(turn_of(asked.threads, here, turn.thread, turn.move.edge, {}))
        here = turns[-1].after
    return asked, replace(run, turns=tuple(turns))


def test_steps_of_threads_that_have_nothing_to_do_with_it_are_left_out() -> None:
    asked, run = long_run()
    assert len(run.turns) > 20
    assert {turn.thread for turn in shortened(asked.threads, ANY, run, Limits()).turns} == {"T"}


def test_where_the_work_ends_a_run_is_left() -> None:
    asked, run = long_run()
    for units in range(0, 3_000, 100):
        short = shortened(asked.threads, ANY, run, allot(Limits(), units))
        assert isinstance(check_run(asked.threads, ANY, short), Accepted)
