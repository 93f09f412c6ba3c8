"""Limits hold whatever the solver does, and what ends a process early is no answer (decision 006).

How well they hold is measured by `python -m tests.cli.measuring`; the bounds here leave room for a busy machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from sa.processes.group import below
from tests.cli.measuring import ABSTRACT, CONCRETE, arguments, environment, measured

REFINE = ("refine", "abs.sa", "conc.sa")
BLOCK = 'refinement {0} {{ abstract "abs.sa"; concrete "abs.sa"; }}\n'

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers need fork")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two programs that only a solver can compare."""
    (tmp_path / "abs.sa").write_text(ABSTRACT)
    (tmp_path / "conc.sa").write_text(CONCRETE)
    (tmp_path / "two.sa").write_text(BLOCK.format("a") + BLOCK.format("b"))
    return tmp_path


@pytest.mark.parametrize("manner", ["deaf", "dead"])
def test_a_solver_that_does_not_return_is_stopped_at_the_time_limit(manner: str, folder: Path) -> None:
    end = measured([*arguments(manner, *REFINE), "--timeout", "1"], folder)
    assert (end.status, end.errors) == (3, "")
    assert end.out.startswith("UNKNOWN  ")
    assert "the time limit was reached" in end.out
    assert 0.9 < end.seconds < 10


def test_of_a_worker_that_had_to_be_killed_it_is_known_which_engines_it_asked(folder: Path) -> None:
    (folder / "claim.sa").write_text("global x : int = 0;\nthread T { x := x + 1; }\ninvariant some : x >= 0;\n")
    command = ("verify", "claim.sa", "--engine", "houdini:candidates=claims", "--timeout", "4")
    end = measured(arguments("dead", *command), folder, free=3)
    assert (end.status, end.errors) == (3, "")
    # On a busy machine the time may be over before an engine is asked.
    asked = any(folder.glob("reached-*"))
    assert ("the time limit was reached: the engine claims was asked" in end.out) or not asked


@pytest.mark.parametrize("manner", ["hungry", "greedy"])
def test_a_solver_that_takes_all_memory_is_stopped_at_the_memory_limit(manner: str, folder: Path) -> None:
    end = measured([*arguments(manner, *REFINE), "--memory", "256"], folder)
    assert (end.status, end.errors) == (3, "")
    assert end.out.startswith("UNKNOWN  ")
    assert "the memory limit was reached" in end.out
    assert 240 * 2**20 < end.peak < 340 * 2**20


@pytest.mark.parametrize(
    "command", [REFINE, ("verify", "conc.sa"), ("check", "abs.sa"), ("refine", "abs.sa", "conc.sa", "--whole")]
)
def test_json_is_one_document_with_the_reason(command: tuple[str, ...], folder: Path) -> None:
    end = measured([*arguments("deaf", *command), "--timeout", "0.8", "--json"], folder)
    document = json.loads(end.out)
    assert (end.status, document["status"], document["verdict"]) == (3, 3, "UNKNOWN")
    assert '"timeout"' in end.out


def started(folder: Path, *line: str, free: int = 0) -> tuple[subprocess.Popen[str], int]:
    """A process whose solver has begun to misbehave, and its worker."""
    process = subprocess.Popen(
        line, cwd=folder, env=environment(free), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = monotonic() + 30
    while not (reached := list(folder.glob("reached-*"))) and monotonic() < deadline:
        sleep(0.01)
    sleep(0.1)
    return process, int(reached[0].name.partition("-")[2])


@pytest.mark.parametrize("manner", ["deaf", pytest.param("dead", marks=[pytest.mark.slow, pytest.mark.fuzz])])
def test_what_was_answered_before_a_limit_stands(manner: str, folder: Path) -> None:
    (folder / "one.sa").write_text(BLOCK.format("a"))
    free = measured(arguments("counted", "refine", "one.sa", "--quiet"), folder).errors.count("?")
    assert free > 0
    for option in ("--quiet", "--json"):
        for old in folder.glob("reached-*"):
            old.unlink()
        process, _ = started(folder, *arguments(manner, "refine", "two.sa", option), free=free)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 3
        if option == "--quiet":
            assert [line.split()[0] for line in out.splitlines()] == ["PROVED", "UNKNOWN"]
        else:
            document = json.loads(out)
            assert document["verdict"] == "UNKNOWN"
            # Of a process in which nothing can run any more nothing is known but what it said before.
            assert manner == "dead" or document["outcomes"][0]["verdict"] == "PROVED"


@pytest.mark.parametrize(("manner", "how"), [("gone", "it ended with status 101"), ("crashing", "SIGSEGV")])
def test_a_solver_that_ends_the_process_gives_no_answer(manner: str, how: str, folder: Path) -> None:
    end = measured(arguments(manner, *REFINE), folder)
    assert (end.status, end.errors) == (3, "")
    assert end.out.startswith("UNKNOWN  ")
    assert "the worker process died" in end.out
    assert how in end.out


def running(pid: int) -> bool:
    """Whether a process still runs; one that nobody has asked about yet does not."""
    with suppress(OSError):
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    return False


def ends(pid: int) -> bool:
    """Whether a process ends soon."""
    deadline = monotonic() + 5
    while running(pid) and monotonic() < deadline:
        sleep(0.01)
    return not running(pid)


def test_a_worker_that_is_killed_gives_no_answer(folder: Path) -> None:
    process, worker = started(folder, *arguments("deaf", *REFINE, "--json"))
    os.kill(worker, signal.SIGKILL)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (3, "")
    unknown = json.loads(out)["unknown"]
    assert unknown == {"reason": "crashed", "detail": "it was ended by SIGKILL"}


@pytest.mark.parametrize("who", ["worker", "supervisor", "time"])
def test_processes_of_the_worker_do_not_outlive_it(who: str, folder: Path) -> None:
    limit = ("--timeout", "4") if who == "time" else ()
    process, worker = started(folder, *arguments("forking", *REFINE, *limit))
    inner = below(worker)
    assert inner
    if who != "time":
        os.kill(worker if who == "worker" else process.pid, signal.SIGINT if who == "supervisor" else signal.SIGKILL)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (3, "")
    assert out.startswith("UNKNOWN")
    assert ends(worker) and all(ends(each) for each in inner)


@pytest.mark.parametrize("manner", ["deaf", "dead", "fragile"])
def test_ctrl_c_ends_with_unknown_and_leaves_nothing_running(manner: str, folder: Path) -> None:
    process, worker = started(folder, *arguments(manner, *REFINE))
    begun = monotonic()
    os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (3, "")
    assert "it was interrupted" in out
    assert monotonic() - begun < 10
    assert ends(worker)


def test_a_second_ctrl_c_ends_it_at_once(folder: Path) -> None:
    process, worker = started(folder, *arguments("dead", *REFINE))
    os.kill(process.pid, signal.SIGINT)
    sleep(0.1)
    begun = monotonic()
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, "it was interrupted" in out) == (3, True)
    assert monotonic() - begun < 5
    assert ends(worker)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_does_not_outlive_its_supervisor(number: signal.Signals, folder: Path) -> None:
    process, worker = started(folder, *arguments("forking", *REFINE))
    inner = below(worker)
    os.kill(process.pid, number)
    process.communicate(timeout=20)
    assert process.returncode == -number
    assert inner
    assert ends(worker) and all(ends(each) for each in inner)


def state(pid: int) -> str:
    """The letter that the system has for what a process is doing."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="who is halted stands in /proc")
def test_ctrl_z_halts_all_and_they_go_on(folder: Path) -> None:
    process, worker = started(folder, *arguments("forking", *REFINE))
    all_of_them = (process.pid, worker, *below(worker))
    for number, halted in ((signal.SIGTSTP, True), (signal.SIGCONT, False)):
        os.kill(process.pid, number)
        deadline = monotonic() + 5
        while any((state(each) == "T") != halted for each in all_of_them) and monotonic() < deadline:
            sleep(0.01)
        assert [state(each) == "T" for each in all_of_them] == [halted] * 3
    os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors, "it was interrupted" in out) == (3, "", True)


def test_two_runs_at_once_do_not_disturb_each_other(folder: Path) -> None:
    usual = arguments("gone", *REFINE, "-q")
    runs = [
        subprocess.Popen(
            usual, cwd=folder, env=environment(free), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for free in (10_000, 0)
    ]
    ends = [(run.communicate(timeout=30)[0], run.returncode) for run in runs]
    assert ends == [("PROVED  conc.sa refines abs.sa\n", 0), ("UNKNOWN  abs.sa and conc.sa\n", 3)]


@pytest.mark.parametrize("command", [(*REFINE,), (*REFINE, "--json"), ("show", "abs.sa"), ("--help",)])
def test_an_answer_that_cannot_be_written_is_an_error(command: tuple[str, ...], folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("the system has no device that is always full")
    with open("/dev/full", "w") as full:
        line = arguments("deaf", *command) if command[0] != "refine" else arguments("gone", *command)
        run = subprocess.run(
            line, cwd=folder, env=environment(10_000), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (run.returncode, run.stderr) == (
        2,
        "error SA903: cannot write to standard output: No space left on device\n",
    )


def test_a_closed_standard_output_is_an_error(folder: Path) -> None:
    line = " ".join(arguments("gone", *REFINE))
    run = subprocess.run(
        f"{line} >&-", shell=True, cwd=folder, env=environment(10_000), stderr=subprocess.PIPE, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (2, "error SA903: cannot write to standard output: it is closed\n")


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    line = " ".join(arguments("gone", *REFINE))
    run = subprocess.run(
        ["bash", "-c", f"{line} | true; echo ${{PIPESTATUS[0]}}"],
        cwd=folder,
        env=environment(10_000),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("0\n", "")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "verify",
            "global x : 0..1 = 0;\nthread T { x := 1; }\ninvariant a : x >= 0;\ninvariant b : x * x * x != 27;\n",
        ),
        (
            "prove",
            'import "abs.sa" as a;\nimport "abs.sa" as b;\nlemma one : a refines b;\nlemma two : a preserves x != 7;\n',
        ),
    ],
)
def test_a_report_so_far_names_every_claim(command: str, text: str, folder: Path) -> None:
    (folder / "claims.sa").write_text(text)
    free = measured(arguments("counted", command, "claims.sa", "--json"), folder).errors.count("?")
    for asked in (free // 2, free - 1):
        for old in folder.glob("reached-*"):
            old.unlink()
        process, _ = started(folder, *arguments("deaf", command, "claims.sa", "--json"), free=asked)
        os.kill(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=20)
        document = json.loads(out)
        parts = document["claims" if command == "verify" else "steps"]
        assert (process.returncode, errors, document["verdict"]) == (3, "", "UNKNOWN")
        assert len(parts) == 2
        assert {p["unknown"]["reason"] for p in parts if p["verdict"] == "UNKNOWN" and p["unknown"]} == {"interrupted"}
