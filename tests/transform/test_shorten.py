"""Runs without steps that they do not need: still runs into the same violation, and no step can be left out."""

from __future__ import annotations

from random import Random

import pytest

from sa.automata.automaton import Automaton, Kind
from sa.automata.trace import Configuration
from sa.base.limits import Limits, allot
from sa.certificates.run import Bad, Ending, Failing, Run, Snapshot, Turn, turn_of
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.terms.evaluate import holds
from sa.transform.shorten import SHORT, shortened
from tests.language.texts import program_of

NOISE = """global x, n : 0..2 = 0; thread Noise { while (true) { n := (n + 1) %% 3; } }
thread T { %s } thread U { x := 1; }"""
ANY = Bad(Failing(), None)


def question(text: str) -> tuple[tuple[Automaton, ...], Bad]:
    """The threads, and their invariant or else that none fails."""
    program = program_of(text)
    (bad, *_) = (*(Bad(None, i.formula) for i in program.invariants), ANY)
    return program.threads, bad


def random_run(threads: tuple[Automaton, ...], bad: Bad, seed: int) -> Run | None:
    """A run at random into what is bad; None where it was not met."""
    rng, here, turns = Random(seed), start_of(threads), list[Turn]()
    for _ in range(100):
        able = [
            (t.name, e)
            for t in threads
            for e in t.edges
            if e.source == here.threads[t.name].location and holds(e.guard, here.threads[t.name].values)
        ]
        if not able:
            return None
        steps = able if rng.random() < 0.3 else able[:1]
        turns.append(turn_of(*rng.choice(steps), {}, here))
        here = turns[-1].after
        failed = turns[-1].move.edge.label is not None
        run = Run(start_of(threads), tuple(turns), Ending.FAILED if failed else Ending.VIOLATED)
        if (failed or bad.claim is not None) and isinstance(check_run(threads, bad, run), Accepted):
            return run
    return None


def start_of(threads: tuple[Automaton, ...]) -> Snapshot:
    """Where all variables are 0."""
    begun = {t.name: Configuration(t.initial, {v.var: 0 for v in t.variables}) for t in threads}
    return Snapshot({v.var: 0 for v in threads[0].variables if v.kind is Kind.GLOBAL}, begun)


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
    threads, bad = question(text)
    runs = [run for seed in range(20) if (run := random_run(threads, bad, seed)) and len(run.turns) > SHORT]
    assert runs
    for run in runs:
        short = shortened(threads, bad, run, Limits())
        assert isinstance(check_run(threads, bad, short), Accepted)
        assert all(turn.thread != "Noise" for turn in short.turns)
        assert len(short.turns) < len(run.turns)


def test_where_the_work_ends_a_run_is_left() -> None:
    threads, bad = question(NOISE % "await x == 1; x := 2; x := 0; assert x == 1;")
    run = next(run for seed in range(50) if (run := random_run(threads, bad, seed)) and len(run.turns) > SHORT)
    for units in range(0, 3_000, 100):
        short = shortened(threads, bad, run, allot(Limits(), units))
        assert isinstance(check_run(threads, bad, short), Accepted)
