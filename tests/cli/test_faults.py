"""A solver that fails somewhere never makes an answer; more of this with `python -m tests.cli.faults`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator

import pytest

from sa.smt import session
from tests.cli.faults import COMMANDS, FAULTS, attempts, workshop
from tests.cli.measuring import arguments, environment


@pytest.fixture(scope="module", autouse=True)
def shop() -> Iterator[None]:
    """The files, once for all tests."""
    with workshop():
        yield


@pytest.mark.parametrize("count", [1, pytest.param(15, marks=[pytest.mark.slow, pytest.mark.fuzz])])
@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_a_question_that_fails_costs_the_answer_at_most(line: tuple[str, ...], count: int) -> None:
    found = [(fault, *run) for fault in FAULTS for run in attempts(line, fault, count, count)]
    assert not [run for run in found if run[-1]]
    assert any(status != usual for _, _, status, usual, _ in found)


def test_a_tool_that_believed_what_it_does_not_know_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "Undecided", lambda why: session.UNSAT)
    assert [run[-1] for run in attempts(("certify", "broken.json"), "unknown", 5, 0) if run[-1]]


@pytest.mark.parametrize(
    ("manner", "line"),
    [
        ("gone", ("prove", "script.sa", "--jobs", "2")),
        ("crashing", ("verify", "claims.sa")),
        ("gone", ("certify", "bad.json")),
        ("crashing", ("generate", "conc2.sa")),
    ],
)
def test_a_process_that_dies_in_the_middle_gives_no_answer(manner: str, line: tuple[str, ...]) -> None:
    run = subprocess.run(
        arguments(manner, *line, "--json"),
        cwd=os.getcwd(),
        env=environment(4),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (3, "")
    assert json.loads(run.stdout)
