"""Outcomes of `prove` as a user sees them, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.text import Text

from sa.base.limits import Limits
from sa.base.verdict import Reason, Unknown, Verdict
from sa.engines.options import Options
from sa.language.load import load_script
from sa.report.json import builtins
from sa.report.prove import proof_document
from sa.report.prove_json import proof_json
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.scripts.prove import prepare, proof_of, prove
from sa.scripts.result import Proof, StepResult
from tests.golden import assert_golden

ABSTRACT = "global x, y : 0..3 = 0;\nthread T1 { x := 1; }\nthread T2 { y := 1; }\n"
CONCRETE = ABSTRACT.replace("x := 1;", "x := 1;\n  x := 2;\n")
SCRIPT = """\
import "abs.sa" as abs;
import "conc.sa" as conc;
import "abs.sa" as copy;

lemma t1 : copy.T1 refines abs.T1 relate x, y;
lemma t2 : copy.T2 refines abs.T2 relate x, y;
theorem both : copy refines abs by parallel(t1, t2);
lemma long : copy.T2 refines abs.T2 relate x, y inv (copy.x == 0 || abs.x > 0) && (abs.x == 0 || copy.x > 0);
lemma first : abs preserves x <= 1 by parallel;
theorem carried : copy preserves x <= 1 by preservation(both, first);
"""
WRONG = """\
lemma disturbed : copy.T1 refines abs.T1 relate x, y inv copy.y == 0;
theorem upset : copy refines abs by parallel(disturbed, t2);
lemma one : conc.T1 refines abs.T1 relate x, y;
theorem all : conc refines abs relate x, y expect proved;
lemma either : copy.T1 preserves strong x == 0 || y == 0;
theorem any : copy preserves strong x == 0 || y == 0 by parallel(either, either);
theorem turned : copy refines abs
  by parallel(t2, t1);
expect proved;
"""
PHASES = {"load": 0.1, "prepare": 0.02, "prove": 1.25}


def show_proof(proof: Proof, seconds: Mapping[str, float], screen: Screen, quiet: bool = False) -> str:
    """A proof as a terminal shows it."""
    return show_document(proof_document(proof, seconds), screen, quiet)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two programs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "abs.sa").write_text(ABSTRACT)
    (tmp_path / "conc.sa").write_text(CONCRETE)
    return tmp_path


def proof(text: str) -> Proof:
    """What becomes of a script; times are made up, so that they are always the same."""
    Path("script.sa").write_text(text)
    script = load_script("script.sa").script
    steps = enumerate(prove(prepare(script, Options(Limits()))))
    return proof_of(script, tuple(_steady(number, step) for number, step in steps))


def _steady(number: int, result: StepResult) -> StepResult:
    leaves = (replace(leaf, seconds=0.02 * i) for i, leaf in enumerate(result.leaves))
    results = (replace(r, statistics=replace(r.statistics, seconds={"simulate": 0.25})) for r in result.results)
    return replace(result, leaves=tuple(leaves), results=tuple(results), seconds=0.25 * number)


def stopped(script: Proof) -> Proof:
    """The proof, had the time been over after the first step."""
    first, *rest = script.steps
    why = Unknown(Reason.TIMEOUT, "before this step began")
    left = (StepResult(s.step, Verdict.UNKNOWN, "", (), (), why, 0.0) for s in rest)
    return proof_of(script.script, (first, *left))


def test_a_proof(folder: Path) -> None:
    """What holds takes a line."""
    assert_golden("prove-proved.txt", show_proof(proof(SCRIPT), PHASES, Screen(100)))


def test_a_proof_that_fails(folder: Path) -> None:
    """Side conditions, claims, what rests on them, and rules that do not fit."""
    assert_golden("prove-refuted.txt", show_proof(proof(SCRIPT + WRONG), PHASES, Screen(100)))


def test_a_proof_that_was_stopped(folder: Path) -> None:
    """Steps that were not begun have no snippets."""
    assert_golden("prove-stopped.txt", show_proof(stopped(proof(SCRIPT)), PHASES, Screen(100)))


def test_a_failure_in_a_narrow_terminal(folder: Path) -> None:
    """Rules stand below the steps; nothing is wider than the terminal."""
    text = show_proof(proof(SCRIPT + WRONG), PHASES, Screen(60))
    assert_golden("prove-narrow.txt", text)
    assert max(map(len, text.splitlines())) <= 60


def test_colours_change_no_text(folder: Path) -> None:
    """With the escapes removed the coloured report is the plain one."""
    found = proof(SCRIPT + WRONG)
    coloured = show_proof(found, PHASES, Screen(100, colour=True))
    assert "\x1b[" in coloured
    stripped = "\n".join(line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines())
    assert stripped == show_proof(found, PHASES, Screen(100)).rstrip("\n")


def test_quiet_leaves_the_verdict_and_what_was_expected(folder: Path) -> None:
    """As `refine` does."""
    text = show_proof(proof(SCRIPT + WRONG), PHASES, Screen(100), quiet=True)
    assert text == "REFUTED  script.sa\nthe file expects PROVED\n"


def test_json_has_everything(folder: Path) -> None:
    """Plays with the goals that they refute."""
    found = builtins(proof_json(proof(SCRIPT + WRONG), (), PHASES, 1))
    steps = {s["name"]: s for s in found["steps"]}
    assert (found["verdict"], found["expected"], found["domain"]) == ("REFUTED", "PROVED", "over the declared ranges")
    assert steps["all"]["goals"][0]["play"]["steps"]
    assert (steps["all"]["verdict"], steps["all"]["expected"]) == ("REFUTED", "PROVED")
    assert steps["any"]["unproved"] == ["either"]
    assert steps["turned"]["claim"] == "copy refines abs by parallel(t2, t1)"
    (broken,) = (c["example"] for c in steps["upset"]["conditions"] if c["verdict"] != "PROVED")
    assert {"name": "copy.y", "before": "0", "after": "1"} in broken["values"]
    assert broken["broken"]["span"]["line"] == 11
    json.dumps(found)
