"""What becomes of claims: none loses its answer because of others, and evidence is what the checker accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options

COUNTERS = """
param N, X : int;
global x : int = X;
global a, b : int = 0;
global up, down : bool = false;
init N >= 0;
thread I { while (a != N) { atomic { a := a + 1; x := x + 1; } } up := true; }
thread D { while (b != N) { atomic { b := b + 1; x := x - 1; } } down := true; }
invariant sum : x == X + a - b;
"""
UNDER_A_LOCK = """
global l : int = 0;
global x : int;
thread F[i : 1..%d] {
  local v : int = 0;
  while (*) { havoc v; await l == 0 { l := i; } x := v; assert x == v; l := 0; }
}
"""


def verdicts(tmp_path: Path, text: str, bounds: Limits) -> list[Verdict]:
    """The answers to all claims of a program."""
    file = tmp_path / "program.sa"
    file.write_text(text)
    return [f.verdict for f in verify(VerifyRequest(str(file), False, Options(bounds))).outcome.findings]


@pytest.mark.parametrize("other", ["", "thread O { skip; }"])
def test_a_claim_about_a_local_is_proved_also_of_a_single_thread(tmp_path: Path, other: str) -> None:
    text = "global x : int = 0; thread T { local a : int; x := a; assert a == x; }" + other
    assert verdicts(tmp_path, text, limits(60, None)) == [Verdict.PROVED]


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_what_is_written_under_a_lock_stays_for_any_number_of_threads(tmp_path: Path, threads: int) -> None:
    assert set(verdicts(tmp_path, UNDER_A_LOCK % threads, limits(60, None))) == {Verdict.PROVED}


def test_a_claim_that_nothing_settles_leaves_the_others_their_answers(tmp_path: Path) -> None:
    # It holds because no fraction squared is 2, which no engine knows.
    hard = "invariant hard : a * a != 2 * b * b || a == 0;"
    (alone,) = verdicts(tmp_path, COUNTERS, limits(60, None))
    first, _ = verdicts(tmp_path, COUNTERS + hard, limits(4, None))
    assert alone is first is Verdict.PROVED
