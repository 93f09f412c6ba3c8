"""What a newcomer reads first works: the command is on the path, extras exist, a proof says nothing odd."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application
from tests.specs.tutorial import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def test_the_readme_puts_the_command_on_the_path_before_it_is_used_by_hand() -> None:
    made, put = README.index("make demo"), README.index('export PATH="$PWD/.venv/bin:$PATH"')
    assert made < put < README.index("sacheck init bank")


def test_extras_that_pages_name_exist_and_are_those_of_the_clone() -> None:
    """Before there is a release `pip install 'sacheck[…]'` finds nothing."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    found = [named for page in PAGES for named in re.findall(r"pip install [^`\n]*", page.read_text(encoding="utf-8"))]
    assert len(found) >= 3
    for command in found:
        extra = re.search(r"'\.\[(\w+)\]'", command)
        assert extra is not None, command
        assert extra[1] in known


def test_below_a_proof_nothing_is_said_of_pairs_that_were_not_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread does in its step what the other one is to do: only the whole programs show it."""
    (tmp_path / "abs.sa").write_text("global x, y : int = 0; thread T { x := 1; } thread U { y := 1; }")
    helping = "global x, y : int = 0; thread T { atomic { x := 1; y := 1; } } thread U { await y == 1; }"
    (tmp_path / "conc.sa").write_text(helping)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(application(), ["refine", "abs.sa", "conc.sa", "--no-cache", "--why"])
    assert result.stdout.startswith("PROVED")
    assert "proved for the whole programs, not thread by thread" in result.stdout
    assert "was not proved" not in result.stdout
