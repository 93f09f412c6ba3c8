"""`--why`: where there is no answer, what was tried, how far it came, and what to try next; of every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import sa.engines.evidence_cache as recall
from sa.cli.main import application
from sa.engines.portfolio_of_goals import START, Depth, GoalPortfolio, portfolio

FILES = {
    "abs.sa": "global x : int = 0;\nthread T { x := x + 2; }\n",
    "conc.sa": "global x : int = 0;\nthread T { x := 1; x := 2; }\n",
    "last.sa": "global x : int = 0;\nthread T { x := 1; x := 2; skip; }\n",
    "claim.sa": "global x : int = 0;\nthread T { while (*) { x := x + 1; } }\ninvariant some : x >= 0;\n",
    "claim.c": "#include <assert.h>\nint x;\nint any(void);\n"
    "int main(void) { while (any()) x++; assert(x >= 0); return 0; }\n",
    "script.sa": 'import "abs.sa" as a;\nimport "conc.sa" as c;\nlemma step : c.T refines a.T relate x;\n',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files, where only the first engine of a pair is asked, which proves nothing."""

    def start(depth: Depth, names: tuple[str, ...] = ()) -> GoalPortfolio:
        return tuple(turn for turn in portfolio(depth, names) if turn.engine is START)

    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("SACHECK_CACHE", "")
    monkeypatch.setattr(recall, "portfolio", start)
    return tmp_path


def asked(*arguments: str) -> Result:
    """Ask in this process."""
    return CliRunner().invoke(application(), arguments)


COMMANDS = (
    (("verify", "--rounds", "1", "--unwind", "1", "claim.sa"), "bmc"),
    (("verify", "--rounds", "1", "--unwind", "1", "claim.c"), "bmc"),
    (("refine", "abs.sa", "conc.sa"), START.name),
    (("prove", "script.sa"), START.name),
    (("refine", "--chain", "abs.sa", "conc.sa", "last.sa"), START.name),
)


@pytest.mark.parametrize(("arguments", "engine"), COMMANDS, ids=lambda a: " ".join(a) if isinstance(a, tuple) else a)
def test_an_unknown_says_more_to_those_who_ask(arguments: tuple[str, ...], engine: str) -> None:
    brief, long, curt = (asked(*arguments, *more) for more in ((), ("--why",), ("--why", "--quiet")))
    assert [r.exit_code for r in (brief, long, curt)] == [3, 3, 3]
    assert "`--why` lists what was tried" in " ".join(brief.stdout.split())
    assert "What was tried" not in brief.stdout
    assert "What was tried" in long.stdout
    assert f"\n    {engine} " in long.stdout
    assert "What was tried" not in curt.stdout


def test_programs_read_it_without_being_asked() -> None:
    """JSON and pages have it all."""
    (outcome,) = json.loads(asked("refine", "abs.sa", "conc.sa", "--json", "--report", "page.html").stdout)["outcomes"]
    assert [(t["goal"], t["engine"]) for t in outcome["tried"]] == [("T", START.name)]
    (step,) = json.loads(asked("prove", "script.sa", "--json").stdout)["steps"]
    assert [(t["goal"], t["engine"]) for t in step["tried"]] == [("T", START.name)]
    assert "What was tried" in Path("page.html").read_text()


def test_what_is_advised_is_what_the_language_has() -> None:
    """C has no invariants, ranges or refinement blocks; a program of one thread has no others that disturb it."""
    told = " ".join(asked("verify", "--rounds", "1", "--unwind", "1", "claim.c").stdout.split())
    assert "What may help: fewer loop iterations" in told
    assert "invariant`" not in told
    assert "ranges" not in told


def test_details_have_the_warnings_about_the_files(folder: Path) -> None:
    (folder / "wide.sa").write_text("global x, y : int = 0;\nthread T { x := x * y; }\ninvariant same : x == 0;\n")
    brief, long, curt = (asked("verify", "wide.sa", *more) for more in ((), ("-v",), ("-v", "-q")))
    assert "1 warning about the files: sacheck check wide.sa" in brief.stderr
    assert "warning SA210" in long.stderr
    assert curt.stderr == ""
