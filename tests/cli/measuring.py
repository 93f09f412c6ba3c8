"""How well limits hold: `python -m tests.cli.measuring` prints the table of decision 006.

Every solver of `stubborn` is given time and memory limits; the clock runs from the start of the process to its end,
memory is that of all its processes, looked at every other millisecond from outside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep

from msgspec import Struct

from sa.processes.group import held_by_all

ROOT = Path(__file__).parents[2]
#: Two programs that only a solver can compare.
#: With what their variables start, only a solver knows whether there is such a state.
ABSTRACT = "global x, y : int;\ninit x + y >= 3;\nthread T {\n  rely unchanged x, y;\n  x := y + y;\n}\n"
CONCRETE = ABSTRACT.replace("y + y", "2 * y") + "invariant small : x < 10;\n"


class Measured(Struct, frozen=True):
    """How a process ended: seconds, bytes at most, status, what it wrote."""

    seconds: float
    peak: int
    status: int
    out: str
    errors: str


def arguments(manner: str, *command: str) -> list[str]:
    """What starts `sacheck` with a misbehaving solver."""
    return [sys.executable, "-m", "tests.cli.stubborn", manner, *command]


def environment(free: int = 0) -> dict[str, str]:
    """Where such a process finds everything, and how many questions its solver answers as usual."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "FREE": str(free), "COLUMNS": "100", "SACHECK_CACHE": ""}


def measured(line: list[str], folder: Path, free: int = 0) -> Measured:
    """Run a process to its end."""
    started, peak = perf_counter(), 0
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(line, cwd=folder, env=environment(free), stdout=out, stderr=errors, text=True)
        while process.poll() is None:
            peak = max(peak, held_by_all(process.pid))
            sleep(0.002)
        seconds = perf_counter() - started
        out.seek(0)
        errors.seek(0)
        return Measured(seconds, peak, process.returncode, out.read(), errors.read())


def main() -> None:
    """Prints the table."""
    print("| solver | command | limit | reached | status |\n|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "abs.sa").write_text(ABSTRACT)
        (folder / "conc.sa").write_text(CONCRETE)
        for command in (["refine", "abs.sa", "conc.sa"], ["verify", "conc.sa", "--json"]):
            for manner in ("deaf", "dead"):
                for limit in ("0.5", "1", "3", "10"):
                    end = measured([*arguments(manner, *command), "--timeout", limit], folder)
                    print(f"| {manner} | {command[0]} | {limit} s | {end.seconds:.2f} s | {end.status} |", flush=True)
            for manner in ("hungry", "greedy"):
                for limit in ("256", "512", "1024", "4096"):
                    end = measured([*arguments(manner, *command), "--memory", limit], folder)
                    print(
                        f"| {manner} | {command[0]} | {limit} MB | {end.peak / 2**20:.0f} MB | {end.status} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
