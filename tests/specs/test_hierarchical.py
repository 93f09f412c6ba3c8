"""Hierarchies of threads and their broken twins, as their files expect; and what `--main` shows of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.cli.main import application
from sa.engines.verify import Options

FOLDER = Path(__file__).parents[2] / "specs" / "hierarchical"
FILES = sorted(FOLDER.glob("*.sa"))


@pytest.mark.fuzz
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_spec_gets_the_verdict_that_it_expects(path: Path) -> None:
    outcome = verify(VerifyRequest(str(path), False, Options(limits(60.0, None)))).outcome
    assert outcome.expected is not None, "the spec expects nothing"
    assert outcome.verdict is outcome.expected


def test_every_spec_has_a_broken_twin() -> None:
    names = {path.stem for path in FILES}
    assert {f"{name}-broken" for name in names if not name.endswith("-broken")} <= names


def shown(*arguments: str) -> str:
    """What `verify` prints."""
    return CliRunner().invoke(application(), ["verify", *arguments], env={"COLUMNS": "120"}).output


def test_a_thread_that_is_not_there_is_told() -> None:
    assert "SA914" in shown(str(FOLDER / "pipeline.sa"), "--main", "Nobody")


def test_a_main_thread_goes_without_engines_of_ones_own() -> None:
    assert "--main" in shown(str(FOLDER / "pipeline.sa"), "--main", "Main", "--engine", "bmc")
