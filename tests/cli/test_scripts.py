"""Commands on proof scripts: `check` looks at the script and its programs, other commands want a program."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sa.cli.main import application

ABSTRACT = "global x : int = 0;\nfunction f(int) : int;\naxiom f(0) == 1;\nthread T { x := 1; }\n"
CONCRETE = "global x : int = 0;\nfunction f(int) : int;\naxiom f(0) >= 1;\nthread T { x := f(0); }\n"
SCRIPT = """\
import "abs.sa" as abs;
import "conc.sa" as conc;
lemma first : conc.T refines abs.T relate x;
theorem last : conc preserves x >= 0;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a script and its programs."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("abs", ABSTRACT), ("conc", CONCRETE), ("script", SCRIPT)):
        (tmp_path / f"{name}.sa").write_text(text)
    return tmp_path


def sacheck(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(application(), list(arguments))


def test_check_counts_steps_and_programs(folder: Path) -> None:
    """Status 0."""
    result = sacheck("check", "script.sa")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "script.sa: 2 steps, 2 programs\n", "")


def test_check_reports_what_is_wrong_with_a_script(folder: Path) -> None:
    """Status 2."""
    (folder / "script.sa").write_text(SCRIPT.replace("relate x", "relate y").replace("conc preserves", "con preserves"))
    result = sacheck("check", "script.sa")
    assert result.exit_code == 2
    assert "script.sa:3:43: error SA452" in result.stderr
    assert "script.sa:4:16: error SA604" in result.stderr


def test_check_looks_for_vacuity_in_the_programs(folder: Path) -> None:
    """A warning of a program is one of the script."""
    (folder / "abs.sa").write_text(ABSTRACT + "init x > 0;\n")
    result = sacheck("check", "script.sa")
    assert result.exit_code == 0
    assert "abs.sa:4:1: warning SA502" in result.stderr


def test_axioms_that_contradict_each_other_only_together_are_an_error(folder: Path) -> None:
    """All axioms of all programs are assumed."""
    (folder / "conc.sa").write_text(CONCRETE.replace(">= 1", ">= 2"))
    assert sacheck("check", "abs.sa", "conc.sa").exit_code == 0
    result = sacheck("check", "script.sa")
    assert result.exit_code == 2
    assert "SA501" in result.stderr


@pytest.mark.parametrize("command", ["verify", "simulate", "show", "generate"])
def test_a_command_on_programs_does_not_take_a_script(folder: Path, command: str) -> None:
    """Status 2, with a hint."""
    result = sacheck(command, "script.sa")
    assert result.exit_code == 2
    assert "SA601" in result.stderr
