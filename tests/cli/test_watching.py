"""What one can see of the work: events in a file, a profile, progress on terminals; and which engines there are."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bench.subjects import SPECS
from sa.base.budget import Event
from sa.base.meter import Part, metered, timed
from sa.cli.main import application
from sa.cli.progress import progress_line

PETERSON = str(SPECS / "mutex" / "peterson.sa")
GCD = (str(SPECS / "closed/gcd/abs.sa"), str(SPECS / "closed/gcd/conc.sa"))


def sacheck(*arguments: str) -> Result:
    return CliRunner().invoke(application(), list(arguments))


def test_events_are_lines_of_json_with_times_that_grow(tmp_path: Path) -> None:
    assert sacheck("refine", *GCD, "--no-cache", "--trace", str(tmp_path / "t")).exit_code == 0
    events = [json.loads(line) for line in (tmp_path / "t").read_text().splitlines()]
    assert [e["seconds"] for e in events] == sorted(e["seconds"] for e in events)
    assert {"simulation:states=initial", "simulation:answers=first"} <= {e["engine"] for e in events}
    assert any(e.get("lemmas", 0) > 0 and e["questions"] > 0 for e in events)
    assert events[-1]["phase"] == "the end"


def test_a_trace_that_cannot_be_written_is_wrong_input(tmp_path: Path) -> None:
    made = sacheck("verify", PETERSON, "--trace", str(tmp_path / "no" / "folder"))
    assert (made.exit_code, "SA903" in made.stderr) == (2, True)


def test_a_profile_names_engines_and_seconds() -> None:
    made = sacheck("verify", PETERSON, "--no-cache", "--profile")
    assert made.exit_code == 0 and " s  explicit-state: " in made.stderr and " s  " not in made.stdout.split("\n")[0]


def test_a_profile_tells_the_time_of_the_solver_and_of_each_kind_of_obligation() -> None:
    told = sacheck("refine", *GCD, "--no-cache", "--profile").stderr.splitlines()
    (beside,) = [i for i, line in enumerate(told) if line.startswith("time of the checker by kind")]
    engines = [(float(line.split()[0]), float(line.split()[2])) for line in told[1:beside] if line.count(" s  ") == 2]
    assert all(solver <= spent for spent, solver in engines)
    assert any(solver > 0 for _, solver in engines)
    kinds = {line.rpartition("    ")[2]: int(line.split()[2]) for line in told[beside + 1 :]}
    assert kinds["step"] > kinds["start"] > 0


def test_nothing_is_timed_where_nobody_listens() -> None:
    heard = list[tuple[Part, str]]()
    with timed(Part.SOLVER, "before"):
        pass
    with (
        suppress(ValueError),
        metered(lambda part, kind, seconds: heard.append((part, kind))),
        timed(Part.OBLIGATION, "inside"),
    ):
        raise ValueError
    with timed(Part.SOLVER, "after"):
        pass
    assert heard == [(Part.OBLIGATION, "inside")]


def test_engines_that_are_named_are_asked_and_no_others() -> None:
    """Not all runs are within so few rounds, and nothing is wrong with Peterson's algorithm."""
    assert sacheck("verify", PETERSON, "--engine", "bmc", "--rounds", "2", "--unwind", "1").exit_code == 3
    assert sacheck("refine", *GCD, "--engine", "game").exit_code == 3


@pytest.mark.parametrize("command", [("verify", PETERSON), ("refine", *GCD)])
def test_an_engine_that_is_not_there_is_wrong_input(command: tuple[str, ...]) -> None:
    made = sacheck(*command, "--engine", "nobody")
    assert (made.exit_code, "SA914" in made.stderr) == (2, True)


def test_the_list_says_what_each_engine_can_answer() -> None:
    listed = json.loads(sacheck("engines", "--json").stdout)["engines"]
    answers = {e["name"]: e["answers"] for e in listed["verify"]}
    assert (answers["bmc"], answers["houdini"]) == (["PROVED", "REFUTED"], ["PROVED"])
    assert "random-walks  REFUTED" in sacheck("engines").stdout


def test_a_technique_is_asked_with_parameters() -> None:
    """Nothing is wrong with Peterson's algorithm, and intervals do not say why."""
    intervals = "abstract-interpretation:domain=intervals"
    asked = json.loads(sacheck("verify", PETERSON, "--engine", intervals, "--json").stdout)
    assert {tried["engine"] for claim in asked["claims"] for tried in claim["tried"]} == {intervals}


def test_a_parameter_that_no_engine_has_is_wrong_input_with_what_there_is() -> None:
    made = sacheck("verify", PETERSON, "--engine", "chc:encoding=circles")
    assert made.exit_code == 2 and "SA914" in made.stderr and "chc:encoding=control-points" in made.stderr


def test_progress_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    line = progress_line("3 of 9 claims decided", Event("control points", {"points": 412}), 12.34)
    assert len(line) < 40 and line.startswith(" 12.3 s  3 of 9 claims decided")


def test_progress_is_in_the_terms_of_who_waits() -> None:
    points = Event("control points", {"points": 412, "fused": 371})
    assert progress_line("3 of 9 claims decided", points, 14.0) == " 14.0 s  3 of 9 claims decided, 412 control points"
    search = Event("likely-answers", {"pairs": 1, "lemmas": 1210, "questions": 77, "open": 3})
    assert progress_line("", search, 2.0) == "  2.0 s  1 pair of locations, 1,210 lemmas"
    assert progress_line("", Event(""), 1.0) == "  1.0 s  reading"
    assert progress_line("", Event("begins"), 1.0) == "  1.0 s  searching"


#: A claim that no engine settles soon.
SLOW = """
global a, b : int = 0;
thread A { while (*) { a := a + 1; } }
thread B { while (*) { b := b + 1; } }
invariant hard : a * a != 2 * b * b || a == 0;
"""


@pytest.mark.slow
@pytest.mark.parametrize("on_terminal", [True, False])
def test_progress_is_shown_on_terminals_only(tmp_path: Path, on_terminal: bool) -> None:
    (tmp_path / "p.sa").write_text(SLOW)
    ours, theirs = pty.openpty()
    # Where nothing was shown the test fails and does not wait.
    os.set_blocking(ours, False)
    command = [
        sys.executable,
        "-c",
        "from sa.cli.start import main; main()",
        "verify",
        str(tmp_path / "p.sa"),
        "--timeout",
        "8",
    ]
    stderr = theirs if on_terminal else subprocess.PIPE
    env = {**os.environ, "TERM": "xterm", "SACHECK_CACHE": ""}
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, env=env, timeout=60, check=False)
    assert made.returncode == 3
    said = os.read(ours, 65536).decode() if on_terminal else made.stderr.decode()
    for end in (ours, theirs):
        os.close(end)
    assert ("\x1b[2K" in said and " s  0 of 1 claim decided" in said) is on_terminal
    assert "\x1b[2K" not in made.stdout.decode()
