"""`sacheck verify` from the command line to the answer."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import sa.engines.judging_claims as judging
import sa.engines.verify as engines
from sa.base.limits import LimitReached
from sa.base.verdict import Reason
from sa.checker.ruling import Rejected
from sa.cli.main import application
from sa.engines.runner import Ruled

GOOD = "global x : int = 0;\nthread T { x := 1; assert x > 0; }\nthread U { x := x + 1; }\ninvariant small : x <= 2;\n"
BAD = GOOD.replace("x <= 2", "x <= 1")
#: Two claims: the first one is inductive as it stands, the second one needs to know where the thread is.
TWO = """\
global x, y : int = 0;
thread T { while (true) { x := x + 1; y := x; } }
invariant positive : x >= 0;
invariant near : x == y || x == y + 1;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a program that keeps its claims, and one that does not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in (("good", GOOD), ("bad", BAD), ("two", TWO)):
        (tmp_path / f"{name}.sa").write_text(text)
    return tmp_path


def verify(*arguments: str) -> Result:
    """Run `sacheck verify` in this process."""
    return CliRunner().invoke(application(), ["verify", *arguments])


def answer(folder: Path, text: str, *options: str) -> Any:
    """The JSON answer about a text; its status is that of the command."""
    (folder / "p.sa").write_text(text)
    result = verify("p.sa", "--json", *options)
    found = json.loads(result.stdout)
    assert found["status"] == result.exit_code
    return found


def verdicts(found: Any) -> list[str]:
    """The claims' verdicts in order."""
    return [claim["verdict"] for claim in found["claims"]]


def test_a_proof_is_status_0(folder: Path) -> None:
    """A line for each claim."""
    result = verify("good.sa")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("PROVED  good.sa\n")
    assert "assert x > 0     good.sa:2  T  PROVED" in result.stdout
    assert "invariant small  good.sa:4     PROVED" in result.stdout


def test_a_refutation_is_status_1_with_a_run(folder: Path) -> None:
    """It ends where the claim is false."""
    result = verify("bad.sa")
    assert result.exit_code == 1
    assert result.stdout.startswith("REFUTED  bad.sa\n")
    assert "the claim is false here  (2 steps)" in result.stdout
    assert "= with x = 2" in result.stdout


def test_wrong_input_is_status_2(folder: Path) -> None:
    """Diagnostics on standard error, nothing else."""
    (folder / "p.sa").write_text("thread T { x := ; }\n")
    result = verify("p.sa")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error SA" in result.stderr
    assert verify("absent.sa").exit_code == 2


def test_what_cannot_be_told_is_status_3_with_the_reason(folder: Path) -> None:
    """Nothing is known of the function, so there is neither a proof nor a run that can be evaluated."""
    found = answer(folder, "function f(int) : int;\nglobal x : int = 0;\nthread T { x := f(x); assert x != 7; }\n")
    assert (found["status"], verdicts(found)) == (3, ["UNKNOWN"])
    assert found["claims"][0]["unknown"]["reason"] == "bound"


def test_a_bug_is_status_4_and_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even about what was settled before."""

    def broken(*_: Any) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(engines, "run", broken)
    result = verify("good.sa")
    assert (result.exit_code, result.stdout) == (4, "")


def test_axioms_are_used(folder: Path) -> None:
    """Without it the assertion is not known to hold."""
    text = "function f(int) : int;\n{}global x : int;\nthread T {{ assert f(x) > 0; }}\n"
    assert answer(folder, text.format("axiom forall n : int :: f(n) > 0;\n"))["verdict"] == "PROVED"
    assert answer(folder, text.format(""))["verdict"] == "UNKNOWN"


def test_quiet_prints_the_verdict_only(folder: Path) -> None:
    """One line."""
    assert verify("bad.sa", "--quiet").stdout == "REFUTED  bad.sa\n"


def test_json_says_the_same_and_has_the_run(folder: Path) -> None:
    """Claims point to runs."""
    found = answer(folder, BAD)
    assert (found["format"], found["verdict"], found["domain"]) == ("sacheck-verification/1", "REFUTED", "over ℤ")
    assert verdicts(found) == ["PROVED", "REFUTED"]
    assert [c["run"] for c in found["claims"]] == [None, 0]
    assert found["claims"][1]["values"] == ["x = 2"]
    assert found["claims"][1]["place"]["span"]["line"] == 4
    (run,) = found["runs"]
    assert (run["ending"], [s["changed"] for s in run["steps"]]) == ("violated", [{"x": 1}, {"x": 2}])


def test_claims_that_one_run_violates_share_it(folder: Path) -> None:
    """It is shown once."""
    found = answer(folder, BAD + "invariant same : x < 2;\n")
    assert [c["run"] for c in found["claims"]] == [None, 0, 0]
    assert len(found["runs"]) == 1
    assert verify("p.sa").stdout.count("the claim is false here") == 1


def test_a_program_that_claims_nothing_is_told_so(folder: Path) -> None:
    """Status 0, whatever it expects of `refine`."""
    (folder / "p.sa").write_text("global x : int;\nthread T { x := 1; }\nexpect refuted;\n")
    result = verify("p.sa")
    assert result.exit_code == 0
    assert result.stdout.startswith("NOTHING CLAIMED  p.sa\n  Nothing is claimed: ")
    assert answer(folder, "thread T { skip; }\n")["verdict"] is None


@pytest.mark.parametrize(
    ("expectation", "status"),
    [("expect proved;", 0), ("expect refuted;", 1), ("invariant i : x < 9 expect refuted;", 1)],
)
def test_a_proof_of_what_the_file_says_is_false_is_a_failure(folder: Path, expectation: str, status: int) -> None:
    """Of the file as a whole, and of each invariant."""
    (folder / "p.sa").write_text(GOOD + expectation)
    result = verify("p.sa")
    assert (result.exit_code, result.stdout.split()[0]) == (status, "PROVED")
    assert ("the file expects REFUTED" in result.stdout) == bool(status)


def test_a_guarantee_is_about_steps(folder: Path) -> None:
    """Each step of the thread must keep it; the other thread's need not."""
    text = "global x : int = 0;\nthread T {{ guarantee x' >= x; {} }}\nthread U {{ havoc x; }}\n"
    assert verdicts(answer(folder, text.format("x := x + 1;"))) == ["PROVED"]
    found = answer(folder, text.format("x := x * x - x;"))
    assert verdicts(found) == ["REFUTED"]
    assert found["runs"][0]["ending"] == "failed"


def test_declared_relies_are_not_used_and_a_note_says_so(folder: Path) -> None:
    """The rely promises that x stays; the other thread breaks it."""
    found = answer(folder, "global x : int = 0;\nthread T { rely x' == x; assert x == 0; }\nthread U { x := 1; }\n")
    assert found["verdict"] == "REFUTED"
    assert "relies are not used" in found["notes"][0]


def test_an_inv_that_cuts_steps_is_an_error(folder: Path) -> None:
    """Otherwise U's step would not exist, and the claim would hold for want of it."""
    automaton = "automaton T { location q0 initial { inv x == 0; } edge q0 -> q0 { skip; } }\n"
    text = f"global x : int = 0;\n{automaton}thread U {{ x := 1; }}\ninvariant none : x == 0;\n"
    assert [d["code"] for d in answer(folder, text)["diagnostics"]] == ["SA506"]


def test_contradictory_axioms_are_an_error_and_other_vacuity_is_warned_of(folder: Path) -> None:
    """As in `refine`."""
    axioms = "function f(int) : int;\naxiom f(0) == 1;\naxiom f(0) == 2;\n"
    assert [d["code"] for d in answer(folder, axioms + GOOD)["diagnostics"]] == ["SA501"]
    found = answer(folder, "global x : int = 0;\ninit x > 0;\nthread T { assert x == 3; }\n")
    assert [d["code"] for d in found["warnings"]] == ["SA502"]
    shown = CliRunner().invoke(application(), ["verify", str(folder / "p.sa")]).stdout
    assert "There are no runs, so this proof says nothing" in " ".join(shown.split())


@pytest.mark.parametrize("reason", [Reason.INTERRUPTED, Reason.TIMEOUT, Reason.MEMORY])
def test_what_was_settled_before_a_limit_stands(folder: Path, monkeypatch: pytest.MonkeyPatch, reason: Reason) -> None:
    """The rest is UNKNOWN with the reason."""
    run = engines.run

    def once(*arguments: Any) -> Iterator[Any]:
        yield next(found for found in run(*arguments) if isinstance(found, Ruled))
        raise LimitReached(reason)

    monkeypatch.setattr(engines, "run", once)
    found = answer(folder, TWO)
    assert (found["status"], verdicts(found)) == (3, ["PROVED", "UNKNOWN"])
    assert found["claims"][1]["unknown"]["reason"] == reason.name.lower()


def test_evidence_that_was_not_judged_before_a_limit_is_no_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit may be reached while the checker works."""

    def stopped(*_: Any) -> Any:
        raise LimitReached(Reason.TIMEOUT)

    monkeypatch.setattr(judging, "check_run", stopped)
    assert verdicts(answer(folder, BAD)) == ["PROVED", "UNKNOWN"]


def test_evidence_that_the_checker_rejects_is_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither proofs nor runs."""
    for name in ("check_proof", "check_run"):
        monkeypatch.setattr(judging, name, lambda *_: Rejected("step", "it is not one", "step 1"))
    found = answer(folder, BAD)
    assert (found["status"], verdicts(found)) == (3, ["UNKNOWN", "UNKNOWN"])
    unknown = {"reason": "checker", "detail": "step: it is not one, at step 1"}
    assert [c["unknown"] for c in found["claims"]] == [unknown, unknown]


def test_a_limit_ends_a_search_that_is_too_long(folder: Path) -> None:
    """The claim that was easy is answered before it, though it comes last: no square is twice another one."""
    started = time.monotonic()
    threads = "".join(f"thread {v.upper()} {{ while (*) {{ {v} := {v} + 1; }} }}\n" for v in "ab")
    hard = "invariant hard : a * a != 2 * b * b || a == 0;\ninvariant up : a >= 0;\n"
    found = answer(folder, "global a, b : int = 0;\n" + threads + hard, "--timeout", "4")
    assert (found["status"], verdicts(found)) == (3, ["UNKNOWN", "PROVED"])
    assert found["claims"][0]["unknown"]["reason"] == "timeout"
    assert time.monotonic() - started < 20.0


def test_steps_can_be_split(folder: Path) -> None:
    """In one step both change at once."""
    text = "global x : int = 1;\nglobal y : int = 0;\nthread T { x, y := 0, 1; }\ninvariant one : x + y == 1;\n"
    assert answer(folder, text)["verdict"] == "PROVED"
    assert answer(folder, text, "--split")["verdict"] == "REFUTED"


def test_nothing_is_said_of_an_environment_that_can_do_nothing(folder: Path) -> None:
    (folder / "a.sa").write_text("global x : int = 0; thread T { rely false; x := 1; assert x == 1; }")
    result = verify("--open", "a.sa")
    assert (result.exit_code, result.stderr) == (0, "")


def test_open_programs_have_an_environment_and_certificates_say_so(folder: Path) -> None:
    text = "global x : int = 0; thread T { rely x' >= x; skip; } invariant v : x >= 0; invariant w : x == 0;"
    (folder / "a.sa").write_text(text)
    run = partial(CliRunner().invoke, application())
    closed, opened = (
        run(["verify", "a.sa"]),
        run(["verify", "--open", "a.sa", "--certificate", "a.json"]),
    )
    assert (closed.exit_code, opened.exit_code) == (0, 1)
    assert "a step of the environment" in opened.stdout
    again = run(["certify", "a.json"])
    assert again.exit_code == 0 and "--open" in again.stdout


SECTION = """global m : 0..2 = 0; param k : int; global x : int; init x == k;
thread A { lock(m); x := x + 1; x := x - 1; unlock(m); } thread B { lock(m); assert x == k; unlock(m); }
"""


def test_reduction_is_explained_and_can_be_switched_off(folder: Path) -> None:
    (folder / "p.sa").write_text(SECTION, encoding="utf-8")
    found = verify("p.sa", "--engine", "reduction", "--explain")
    assert found.exit_code == 0
    assert "holds m" in found.output
    assert "cut: the thread begins here" in found.output
    assert verify("p.sa", "--engine", "reduction", "--no-reduction").exit_code == 3
    assert verify("p.sa", "--no-reduction").exit_code == 0
