"""The same question has the same answer, technique, work and certificate, whatever else the machine does.

Limits count work. These tests make the clock lie, compare runs beside processes that take the processor away, and
compare what the whole portfolio costs with what the row costs that settles the question.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sa.app.suite import Question, questions_of
from sa.base.limits import Limits, limits
from sa.engines.portfolio_of_claims import chosen
from sa.engines.runner import ROUNDS
from sa.engines.verification import Verification
from sa.engines.verify import Options, verify
from tests.language.texts import program_of

ROOT = Path(__file__).resolve().parents[2]

#: Nobody knows how far this counter goes; it is even, which some steps show, and a run refutes the other claim.
PROGRAM = """
global x, n : int = 0;
global l : int = 0;
thread T[i : 1..2] { while (true) { lock(l); x := x + 2; n := n + 1; unlock(l); } }
invariant twice : l == 0 ==> x == 2 * n;
invariant few : x < 6;
"""


def adders(number: int) -> str:
    """Threads that each add to a number under one lock."""
    threads = (f"thread T{i} {{ while (true) {{ lock(l); x := x + {i + 1}; unlock(l); }} }}" for i in range(number))
    return "\n".join(("global x, l : int = 0;", *threads, "invariant positive : x >= 0;"))


def said(made: Verification) -> object:
    """All of an answer but seconds."""
    findings = [(f.claim.name, f.verdict, f.engine, f.how, f.run) for f in made.findings]
    return findings, made.proofs, made.units, [(t.engine, t.units, t.ended) for t in made.tried]


def test_a_clock_that_runs_a_thousand_times_as_fast_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(PROGRAM)
    # Whatever is only made once per process is made by then.
    verify(program, Options(Limits()))
    before = said(verify(program, Options(limits(3600.0, None))))
    slow, begun = time.monotonic, time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begun + 1000 * (slow() - begun))
    assert said(verify(program, Options(limits(3_600_000.0, None)))) == before


@pytest.mark.parametrize("number", [4, 8])
def test_a_family_of_programs_costs_what_the_row_costs_that_settles_it(number: int) -> None:
    """At most twice as much, and a first round."""
    check_growth(number)


@pytest.mark.fuzz
@pytest.mark.parametrize("number", [16, 32])
def test_a_family_of_many_threads_costs_what_the_row_costs_that_settles_it(number: int) -> None:
    check_growth(number)


def check_growth(number: int) -> None:
    """Compare units of the whole portfolio with those of the row that settled the last claim."""
    program = program_of(adders(number))
    made = verify(program, Options(Limits()))
    last = made.tried[-1].engine
    alone = verify(program, Options(Limits(), portfolio=chosen((last,))))
    assert {f.verdict.value for f in (*made.findings, *alone.findings)} == {"PROVED"}
    assert made.units <= 2 * alone.units + ROUNDS[0]


def _asked(question: Question, folder: Path, seed: str) -> object:
    """What a command says of a question but seconds, and its certificate."""
    evidence = folder / "evidence.json"
    evidence.unlink(missing_ok=True)
    paths = [os.path.relpath(path, ROOT) for path in question.paths]
    options = ("--json", "--no-cache", "--certificate", str(evidence))
    command = [sys.executable, "-m", "sacheck", question.command.value, *paths, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    certificate = evidence.read_text() if evidence.exists() else ""
    return _without_seconds(json.loads(done.stdout)), certificate


def _without_seconds(said: Any) -> Any:
    match said:
        case dict():
            return {key: _without_seconds(value) for key, value in said.items() if key != "seconds"}
        case list():
            return [_without_seconds(value) for value in said]
        case _:
            return said


@contextmanager
def _busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but work."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def _sample() -> list[Question]:
    """Thirty questions of the specs, by their digests, and one with joint invariants at many control points."""
    asked = [q for q in questions_of((str(ROOT / "specs"),)) if q.command.value in ("verify", "refine")]
    some = sorted(asked, key=lambda q: hashlib.sha256(os.path.relpath(q.paths[-1], ROOT).encode()).digest())[:30]
    ring = str(ROOT / "specs" / "cooperative" / "ring.sa")
    return [*some, *(q for q in asked if q.paths[-1] == ring and q not in some)]


@pytest.mark.fuzz
@pytest.mark.parametrize("question", _sample(), ids=lambda q: os.path.relpath(q.paths[-1], ROOT))
def test_three_runs_one_of_them_on_a_busy_machine_are_the_same(question: Question, tmp_path: Path) -> None:
    """Also where the order of sets is another one."""
    first = _asked(question, tmp_path, "0")
    assert _asked(question, tmp_path, "1") == first
    with _busy(2):
        assert _asked(question, tmp_path, "2") == first
