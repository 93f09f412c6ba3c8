"""`sacheck refine` from the command line to the answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sa.base.limits import LimitReached
from sa.base.verdict import Reason
from sa.cli.main import application
from sa.processes.group import below

ABSTRACT = "global x : int;\nthread T {\n  rely unchanged x;\n  x := x + 2;\n}\n"
GOOD = "global x : int;\nthread T {\n  rely unchanged x;\n  local t : int;\n  t := x + 1;\n  x := t + 1;\n}\n"
BAD = "global x : int;\nthread T {\n  rely unchanged x;\n  x := x + 1;\n  x := x + 1;\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an abstract thread, a good and a bad concrete one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    for name, text in (("abs", ABSTRACT), ("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.sa").write_text(text)
    return tmp_path


def refine(*arguments: str) -> Result:
    """Run `sacheck refine` in this process."""
    return CliRunner().invoke(application(), ["refine", *arguments])


def document(result: Result) -> Any:
    """The JSON that was printed."""
    return json.loads(result.stdout)


def test_a_proof_is_status_0(folder: Path) -> None:
    """The verdict comes first."""
    result = refine("abs.sa", "good.sa")
    assert result.exit_code == 0
    assert result.stdout.startswith("PROVED  ")


def test_a_refutation_is_status_1_with_the_step_that_fails(folder: Path) -> None:
    """The first half of the addition is seen by the environment."""
    result = refine("abs.sa", "bad.sa")
    assert result.exit_code == 1
    assert result.stdout.startswith("REFUTED  ")
    assert "x := x + 1;" in result.stdout
    assert "no answer" in result.stdout


def test_json_says_the_same(folder: Path) -> None:
    """Verdict, status, play."""
    result = refine("abs.sa", "bad.sa", "--json")
    found = document(result)
    assert found["status"] == result.exit_code == 1
    (goal,) = found["outcomes"][0]["goals"]
    assert (found["verdict"], goal["verdict"]) == ("REFUTED", "REFUTED")
    assert goal["play"]["steps"][-1]["answered"] is False


def test_quiet_prints_the_verdict_only(folder: Path) -> None:
    """One line and no warnings."""
    result = refine("abs.sa", "bad.sa", "--quiet")
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == ""


def test_a_file_of_blocks_asks_its_own_questions(folder: Path) -> None:
    """Paths are relative to that file; the worst answer counts."""
    inner = folder / "claims"
    inner.mkdir()
    block = 'refinement {name} {{ abstract "../abs.sa"; concrete "../{name}.sa"; }}\n'
    (inner / "claims.sa").write_text(block.format(name="good") + block.format(name="bad"))
    result = refine("claims/claims.sa", "--json")
    assert [o["verdict"] for o in document(result)["outcomes"]] == ["PROVED", "REFUTED"]
    assert result.exit_code == 1


def test_a_file_without_blocks_is_no_question(folder: Path) -> None:
    """Status 2 with a hint."""
    result = refine("abs.sa")
    assert result.exit_code == 2
    assert "SA901" in result.stderr
    assert "hint: name two files" in result.stderr


def test_a_block_has_to_name_its_abstract_side(folder: Path) -> None:
    """Where it is the only file given."""
    (folder / "block.sa").write_text(GOOD + "refinement r { }\n")
    result = refine("block.sa")
    assert result.exit_code == 2
    assert "SA902" in result.stderr


def test_a_block_about_another_abstract_file_is_not_asked(folder: Path) -> None:
    """`refine ABS CONC` is about these two."""
    (folder / "other.sa").write_text(ABSTRACT)
    (folder / "block.sa").write_text(GOOD + 'refinement r { abstract "other.sa"; relate x; expect refuted; }\n')
    assert document(refine("abs.sa", "block.sa", "--json"))["outcomes"][0]["expected"] is None
    assert document(refine("other.sa", "block.sa", "--json"))["outcomes"][0]["expected"] == "REFUTED"


def test_whole_programs_are_compared_without_their_relies_and_the_claim_says_so(folder: Path) -> None:
    """What the file expects is about the other question."""
    (folder / "bad.sa").write_text("global x : int;\nthread T { rely true; x := 2; x := x + 0; }\nexpect refuted;\n")
    (folder / "set.sa").write_text("global x : int;\nthread T { rely true; x := 2; }\n")
    result = refine("set.sa", "bad.sa", "--whole")
    assert (result.exit_code, result.stdout[:6]) == (0, "PROVED")
    assert "the declared relies are not used" in " ".join(result.stdout.split())
    assert "expects" not in result.stdout


def test_a_proof_of_what_the_file_says_is_false_is_a_failure(folder: Path) -> None:
    """`expect refuted` and PROVED: status 1, and the report says why."""
    (folder / "good.sa").write_text(GOOD + "expect refuted;\n")
    result = refine("abs.sa", "good.sa")
    assert result.exit_code == 1
    assert result.stdout.startswith("PROVED")
    assert "the file expects REFUTED" in result.stdout


def test_a_met_expectation_does_not_change_the_status(folder: Path) -> None:
    """A refuted claim is refuted."""
    (folder / "bad.sa").write_text(BAD + "expect refuted;\n")
    assert refine("abs.sa", "bad.sa").exit_code == 1


@pytest.mark.parametrize("reason", [Reason.INTERRUPTED, Reason.TIMEOUT, Reason.MEMORY])
def test_what_is_known_before_a_limit_is_printed(folder: Path, monkeypatch: pytest.MonkeyPatch, reason: Reason) -> None:
    """The first question's answer, then UNKNOWN for the rest."""
    import sa.app.refine as app

    decided = iter([app.decide])

    def once(*arguments: Any) -> Any:
        for decide in decided:
            return decide(*arguments)
        raise LimitReached(reason)

    block = 'refinement {0}{1} {{ abstract "abs.sa"; concrete "good.sa"; }}\n'
    (folder / "claims.sa").write_text(block.format("a", 1) + block.format("a", 2))
    monkeypatch.setattr(app, "decide", once)
    result = refine("claims.sa")
    assert result.exit_code == 3
    assert result.stdout.startswith("PROVED")
    assert f"No answer because {reason.value}" in result.stdout


@pytest.mark.parametrize("reason", [Reason.INTERRUPTED, Reason.TIMEOUT, Reason.MEMORY])
def test_goals_after_a_limit_are_not_begun(folder: Path, monkeypatch: pytest.MonkeyPatch, reason: Reason) -> None:
    """One UNKNOWN each, all with the same reason."""
    from sa.base.verdict import Unknown
    from sa.engines import results
    from sa.question.asked import Decision

    begun = list[str]()

    def stop(goal: Any, *rest: Any) -> Iterator[Any]:
        begun.append(goal.name)
        yield Decision(Unknown(reason))

    (folder / "two.sa").write_text(ABSTRACT + SECOND)
    monkeypatch.setattr(results, "found", stop)
    found = document(refine("two.sa", "two.sa", "--json"))
    assert begun == ["T"]
    assert [g["unknown"]["reason"] for g in found["outcomes"][0]["goals"]] == [reason.name.lower()] * 2
    assert found["status"] == 3


@pytest.mark.slow
def test_a_question_that_is_too_hard_ends_at_the_limit(folder: Path) -> None:
    """The solver is stopped in the middle of its work: no linear arithmetic tells sums of three cubes."""
    (folder / "hard.sa").write_text(
        CUBES.format("if (x * x * x + y * y * y + z * z * z == 42) { r := 1; } else { r := 0; }")
    )
    (folder / "easy.sa").write_text(CUBES.format("r := 0;"))
    started = time.monotonic()
    result = refine("hard.sa", "easy.sa", "--timeout", "1", "--quiet")
    assert (result.exit_code, result.stdout) == (3, "UNKNOWN  easy.sa refines hard.sa\n")
    assert time.monotonic() - started < 10.0


SECOND = "thread U {\n  rely unchanged x;\n  x := x + 2;\n}\n"
CUBES = "global x, y, z, r : int;\nthread T {{\n  rely unchanged x, y, z, r;\n  {}\n}}\n"
LONG = "thread T {\n  local a, b : int = 0;\n" + "  a := a + b; b := a - b;\n" * 20_000 + "}\n"


@pytest.fixture
def endless(folder: Path) -> tuple[str, ...]:
    """A command that takes far longer than its test: a huge file."""
    (folder / "long.sa").write_text(LONG)
    here = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})"
    return (sys.executable, "-c", f"{here}; from sa.cli.main import main; main()", "refine", "long.sa", "long.sa")


@pytest.mark.slow
def test_a_timeout_stops_reading_too(endless: tuple[str, ...]) -> None:
    """Status 3 soon after the limit."""
    started = time.monotonic()
    ended = subprocess.run([*endless, "--timeout", "0.5"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (3, "")
    assert "the time limit was reached" in ended.stdout
    assert time.monotonic() - started < 10


@pytest.mark.slow
def test_a_memory_limit_ends_with_unknown(endless: tuple[str, ...]) -> None:
    """Status 3, wherever it is reached."""
    ended = subprocess.run([*endless, "--memory", "80"], capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 3
    assert "the memory limit was reached" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_ctrl_c_ends_with_unknown(endless: tuple[str, ...]) -> None:
    """No traceback, status 3."""
    running = subprocess.Popen(endless, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not below(running.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    # The worker is there; a moment later it works.
    time.sleep(0.5)
    os.kill(running.pid, signal.SIGINT)
    out, errors = running.communicate(timeout=20)
    assert (running.returncode, errors) == (3, "")
    assert "it was interrupted" in out


def test_a_thread_that_breaks_its_own_guarantee_is_named(tmp_path: Path) -> None:
    (tmp_path / "abs.sa").write_text("global x : int = 0; thread T { x := 1; }")
    (tmp_path / "conc.sa").write_text("global x : int = 0; thread T { guarantee x' == x; x := 1; }")
    result = CliRunner().invoke(application(), ["refine", str(tmp_path / "abs.sa"), str(tmp_path / "conc.sa")])
    assert "T breaks its guarantee x' == x" in " ".join(result.stdout.split())


def test_a_parameter_that_only_the_abstract_side_has_is_said_to_be_chosen_by_nobody_or_at_the_start(
    tmp_path: Path,
) -> None:
    (tmp_path / "abs.sa").write_text("param N : int; global x : int = 0; thread T { x := 1; }")
    conc = "global x : int = 0; thread T { x := 1; }"
    (tmp_path / "conc.sa").write_text(conc)
    (tmp_path / "chosen.sa").write_text(f'{conc} refinement r {{ abstract "abs.sa"; choose init; }}')
    for name, said in (("conc", "for all values of the abstract `N`"), ("chosen", "chooses `N` at the start")):
        result = CliRunner().invoke(application(), ["refine", str(tmp_path / "abs.sa"), str(tmp_path / f"{name}.sa")])
        assert said in " ".join(result.stdout.split())


@pytest.mark.parametrize("reason", [Reason.TIMEOUT, Reason.INTERRUPTED])
def test_an_answer_without_its_certificate_is_an_answer_and_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reason: Reason
) -> None:
    """A limit that is reached while the certificate is written is no UNKNOWN beside a PROVED."""

    def slow(*_: object) -> str:
        raise LimitReached(reason)

    monkeypatch.setattr("sa.app.certificate.refinement_certificate", slow)
    result = refine("abs.sa", "good.sa", "--certificate", "out.json")
    assert (result.exit_code, result.stdout.count("PROVED  good.sa"), "UNKNOWN" in result.stdout) == (2, 1, False)
    assert f"SA903: cannot write `out.json`: {reason.value}" in result.stderr
    assert not (folder / "out.json").exists()


def test_a_proof_about_programs_without_runs_says_so(folder: Path) -> None:
    (folder / "abs.sa").write_text("global x : int = 0; thread T { x := 1; }")
    (folder / "conc.sa").write_text("global x : int = 0; init x == 1; thread T { x := 7; }")
    result = refine("abs.sa", "conc.sa")
    assert result.exit_code == 0
    assert "There are no runs, so this proof says nothing" in " ".join(result.stdout.split())
    assert "There are no runs" not in refine("abs.sa", "abs.sa").stdout


SEVERAL = "global r : int = 0; thread T { if (r == 0) { local x : int = 1; r := x; } else { local x : 0..7; r := x; } }"


def test_a_name_that_several_locals_have_is_none_in_a_relation_and_in_a_claim(folder: Path) -> None:
    (folder / "abs.sa").write_text("global r : int = 0; thread T { local x : int = 1; r := x; }")
    for relation in ("relate x", "relate conc.x == abs.x", "inv conc.x >= 0"):
        block = f'refinement q {{ abstract "abs.sa"; {relation}; }}'
        (folder / "conc.sa").write_text(SEVERAL + block)
        result = refine("conc.sa")
        assert (result.exit_code, "more than one local of `T` is called `x`" in result.stderr) == (2, True)
    (folder / "conc.sa").write_text(SEVERAL)
    for claim in ("c.T refines a.T relate x", "c.T preserves x >= 0", "c preserves T.x >= 0"):
        (folder / "s.sa").write_text(f'import "abs.sa" as a; import "conc.sa" as c; lemma one : {claim};')
        result = CliRunner().invoke(application(), ["prove", "s.sa"])
        assert (result.exit_code, "more than one local of `T` is called `x`" in result.stderr) == (2, True)
