"""A solver that fails somewhere never makes an answer; more of this with `python -m tests.cli.faults`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from sa.smt import session
from tests.cli.faults import COMMANDS, FAULTS, attempts, sacheck, workshop
from tests.cli.measuring import arguments, environment
from tests.cli.test_replace_file import hardly_any_room


@pytest.fixture(scope="module", autouse=True)
def shop() -> Iterator[None]:
    """The files, once for all tests."""
    with workshop():
        yield


@pytest.mark.parametrize(
    ("faults", "count"),
    [(("unknown", "bug"), 1), pytest.param(tuple(FAULTS), 15, marks=[pytest.mark.slow, pytest.mark.fuzz])],
    ids=["some", "all"],
)
@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_a_question_that_fails_costs_the_answer_at_most(
    line: tuple[str, ...], faults: tuple[str, ...], count: int
) -> None:
    found = [(fault, *run) for fault in faults for run in attempts(line, fault, count, count)]
    assert not [run for run in found if run[-1]]
    assert any(status != usual for _, _, status, usual, _ in found)


def test_a_tool_that_believed_what_it_does_not_know_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "Undecided", lambda why: session.UNSAT)
    assert [run[-1] for run in attempts(("certify", "broken.json"), "unknown", 5, 0) if run[-1]]


@pytest.mark.parametrize(
    ("manner", "free", "line"),
    [
        ("gone", 4, ("prove", "script.sa")),
        ("crashing", 20, ("prove", "script.sa", "--jobs", "2")),
        ("crashing", 4, ("verify", "claims.sa")),
        ("gone", 4, ("certify", "bad.json")),
        ("crashing", 4, ("generate", "conc2.sa")),
    ],
)
def test_a_process_that_dies_in_the_middle_gives_no_answer(manner: str, free: int, line: tuple[str, ...]) -> None:
    run = subprocess.run(
        arguments(manner, *line, "--json"),
        cwd=os.getcwd(),
        env=environment(free),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (3, "")
    assert json.loads(run.stdout)


@pytest.mark.parametrize(
    "line",
    [
        ("refine", "abs.sa", "good.sa", "--certificate", "new"),
        ("verify", "claims.sa", "--certificate", "new"),
        ("certify", "conc2.json", "--export", "new"),
        ("refine", "abs.sa", "good.sa", "--certificate", "good.json"),
    ],
    ids=" ".join,
)
def test_a_full_disk_leaves_what_there_was(line: tuple[str, ...]) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    with hardly_any_room():
        run = sacheck(*line)
    assert (run.exit_code, run.stderr.partition(":")[0]) == (2, "error SA903")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_runs_at_once_share_a_cache_and_a_file_that_they_write(tmp_path: Path) -> None:
    concretes = ("good.sa", "bad.sa", "good.sa", "bad.sa")
    kept, cache = tmp_path / "c.json", tmp_path / "cache"
    runs = [
        subprocess.Popen(
            arguments("counted", "refine", "abs.sa", concrete, "-q", "--certificate", str(kept)),
            env=environment(10_000) | {"SACHECK_CACHE": str(cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for concrete in concretes
    ]
    while any(run.poll() is None for run in runs):
        if kept.exists():
            # Never half of one.
            assert json.loads(kept.read_text())["questions"]
        sleep(0.01)
    assert [(run.communicate()[1], run.returncode) for run in runs] == [("", 0), ("", 1)] * 2
    assert sacheck("certify", str(kept), "--source", ".").exit_code == 0
    assert [path.suffix for path in cache.iterdir()] == [".evidence"] * 2
    assert os.listdir(tmp_path) in (["c.json", "cache"], ["cache", "c.json"])
