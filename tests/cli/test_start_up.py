"""What `sacheck refine` loads before it begins, and what that costs beside loading the solver."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

#: What the command line and the worker of `refine` import for a proof of two threads.
PATH = (
    "sa.cli.main, sa.cli.refine, sa.app.cache, sa.app.refine, sa.engines.portfolio_of_goals, "
    "sa.report.refine, sa.report.terminal"
)

#: Rooms and libraries that such a proof does not need.
UNNEEDED = (
    "sa.generation",
    "sa.plays",
    "sa.values.guessed_moves",
    "sa.values.search",
    "sa.refinement.points",
    "sa.scripts",
    "sa.simulation.horn",
    "sa.frontends.c",
    "sa.language.elaborate.script",
    "sa.cli.verify",
    "pydantic",
    "rich",
)

MEASURE = """
import gc, sys, time
gc.set_threshold(250_000)  # as `sa.cli.start` has it
before = time.process_time()
import {what}
print(time.process_time() - before, *(m for m in sys.modules if m.split(".")[0] in ("sa", "pydantic", "rich")))
"""


def loaded(what: str, folder: Path) -> tuple[float, list[str]]:
    """The processor time of an import in seconds, and the modules there are then."""
    command = [sys.executable, "-c", MEASURE.format(what=what)]
    seconds, *modules = subprocess.check_output(command, env=environment(folder), text=True).split()
    return float(seconds), modules


def test_rooms_are_loaded_when_they_are_needed(tmp_path: Path) -> None:
    _, modules = loaded(PATH, tmp_path)
    assert [m for m in modules if m.startswith(UNNEEDED)] == []
    assert sum(m.startswith("sa.") for m in modules) < 256


def test_loading_takes_a_few_times_as_long_as_loading_the_solver(tmp_path: Path) -> None:
    loaded(PATH, tmp_path)  # writes the byte code
    # One right after the other, and the best of some pairs: a machine that is busy with other things may slow down one.
    ratios = [loaded(PATH, tmp_path)[0] / loaded("z3", tmp_path)[0] for _ in range(6)]
    # 3.4 when this was written, of which 1 is the solver and 1.3 are other libraries; 3.6 where texts are those of rich
    # and 6.4 where every room was loaded and data were dataclasses.
    assert min(ratios) < 4.5


PROGRAM = "global x : int = 0;\nthread T {{ rely unchanged x; {} }}\n"


def test_a_program_that_is_not_in_c_is_read_without_what_reads_c(tmp_path: Path) -> None:
    (tmp_path / "a.sa").write_text(PROGRAM.format("x := x + 2;"))
    load = "import sys; from sa.frontends.load import load_compared; load_compared('a.sa'); print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", load], cwd=tmp_path, env=environment(tmp_path), text=True)
    assert "sa.language.load" in modules.split()
    assert [m for m in modules.split() if m.startswith(("sa.frontends.c", "pycparser"))] == []


def test_a_small_proof_takes_a_few_times_as_long_as_loading_the_solver(tmp_path: Path) -> None:
    """The whole process, with all that it imports."""
    (tmp_path / "abs.sa").write_text(PROGRAM.format("x := x + 2;"))
    (tmp_path / "conc.sa").write_text(PROGRAM.format("local t : int = 0; t := x; t := t + 2; x := t;"))
    solver = spent([sys.executable, "-c", "import z3"], tmp_path)
    refine = [
        sys.executable,
        "-c",
        "from sa.cli.start import main; main()",
        "refine",
        "abs.sa",
        "conc.sa",
        "--no-cache",
    ]
    # 3.5 to 3.9 when this was written, on a busy machine; 5.4 before garbage was looked for less often and the reader
    # of C, the other commands and a second solver were left out.
    assert spent(refine, tmp_path) < 5.5 * solver


def spent(command: list[str], folder: Path) -> float:
    """The least processor time of a process, in seconds."""
    found = list[float]()
    for _ in range(6):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def environment(folder: Path) -> dict[str, str]:
    """Where processes find the package, and keep their byte code."""
    known = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**known, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONPYCACHEPREFIX": str(folder / "bytes")}
