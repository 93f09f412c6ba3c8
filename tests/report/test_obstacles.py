"""What is told of a claim that is UNKNOWN: what is known where it may fail, and whose steps may change that."""

from __future__ import annotations

from pathlib import Path

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import INTERVALS
from sa.engines.verification import Verification
from sa.engines.verify import Options
from sa.report.obstacles import obstacles_of
from sa.report.screen import Screen
from sa.report.verify_json import verification_json
from tests.report.test_verify import show_verification

RACING = """global x : 0..9 = 0;
global y : 0..9 = 0;
thread A {
  local i : int = 0;
  while (i < 3) { x := 2; i := i + 1; }
  assert y <= x;
}
thread B { y := 3; }
thread C { x := 1; x := 4; }
"""
KEPT = """global x : 0..9 = 5;
thread A { while (x < 7) { x := x + 1; } }
thread B { x := 4; }
invariant above : x >= 5;
"""


def unknown(folder: Path, text: str) -> Verification:
    """What intervals alone say of a program."""
    path = folder / "prog.sa"
    path.write_text(text)
    options = Options(limits(60.0, None), portfolio=(Turn(INTERVALS, 1.0),))
    return verify(VerifyRequest(str(path), False, options)).outcome


def told(outcome: Verification) -> list[str]:
    return [line for _, lines in obstacles_of(outcome) for line in lines]


def test_what_is_known_of_the_variables_and_the_steps_that_may_change_them(tmp_path: Path) -> None:
    assert told(unknown(tmp_path, RACING)) == [
        "known there: 1 <= x <= 4, 0 <= y <= 3",
        "may be changed there by line 8 `y := 3` of B, line 9 `x := 1` of C and line 9 `x := 4` of C",
    ]


def test_the_steps_that_may_break_an_invariant(tmp_path: Path) -> None:
    assert told(unknown(tmp_path, KEPT)) == ["may be made false by line 3 `x := 4` of B"]


def test_steps_that_are_never_taken_there_are_not_named(tmp_path: Path) -> None:
    text = RACING.replace("y := 3;", "if (x > 8) { y := 3; } y := 1;")
    assert "`y := 3`" not in str(told(unknown(tmp_path, text)))


def test_steps_that_a_lock_excludes_are_not_named(tmp_path: Path) -> None:
    take = "await l == 0 { l := 1; }"
    text = f"""global l : 0..1 = 0;
global x, y : 0..9 = 0;
thread A {{ {take} x := y; assert x == y; l := 0; }}
thread B {{ {take} y := 7; l := 0; }}
thread C {{ y := 5; }}
"""
    (*_, disturbed) = told(unknown(tmp_path, text))
    assert "`y := 5` of C" in disturbed and "`y := 7`" not in disturbed


def test_the_answer_and_the_advice_have_the_place_where_it_may_fail(tmp_path: Path) -> None:
    outcome = unknown(tmp_path, RACING)
    assert outcome.verdict is Verdict.UNKNOWN
    assert "Not shown: assert y <= x" in show_verification(outcome, Screen(100))
    found = verification_json(outcome, (), 3).claims[0].obstacle
    assert found is not None
    assert [(b.variable, b.low, b.high) for b in found.known] == [("x", 1, 4), ("y", 0, 3)]
    assert [step.threads for step in found.disturbed] == [["B"], ["C"], ["C"]]


def test_a_claim_that_is_settled_has_no_obstacle(tmp_path: Path) -> None:
    outcome = unknown(tmp_path, RACING.replace("y <= x", "y <= 3"))
    assert outcome.verdict is Verdict.PROVED and not told(outcome)
