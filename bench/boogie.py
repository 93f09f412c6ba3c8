"""Problems that CIVL's users know, asked of CIVL too: `python -m bench.boogie [--runs 5]`.

Each folder of `bench/civl` has the problem in sacheck's language and in Boogie's, with the layers, movers, ghost
variables and yield assertions that CIVL needs and nobody writes for sacheck. Both run as processes of their own, in
turns; seconds are processor time with start-up, the least of all runs. Needs `boogie` (Debian: `apt install boogie`).
"""

from __future__ import annotations

import argparse
import math
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

FOLDER = Path(__file__).resolve().parent / "civl"
BOOGIE = ("boogie", "-noinfer", "-typeEncoding:m", "-useArrayTheory")
SACHECK = (str(Path(sys.executable).with_name("sacheck")),)


def _command(folder: Path) -> tuple[str, ...]:
    """What is asked of sacheck: refinement where there is an abstract program."""
    if (folder / "abs.sa").exists():
        return (*SACHECK, "refine", "--no-cache", "--timeout", "60", str(folder / "abs.sa"), str(folder / "conc.sa"))
    return (*SACHECK, "verify", "--no-cache", "--timeout", "60", str(folder / "prog.sa"))


def _run(command: Sequence[str]) -> tuple[str, float]:
    """What a command prints, and the processor time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _said(text: str) -> str:
    """`PROVED` where all was verified, otherwise the first line or Boogie's count of errors."""
    if counted := re.search(r"finished with \d+ verified, (\d+) errors?", text):
        return "PROVED" if counted[1] == "0" else f"{counted[1]} errors"
    return text.split(maxsplit=1)[0] if text else "nothing"


def main() -> None:
    """Print a line for each problem, and the geometric mean of the ratios."""
    parser = argparse.ArgumentParser(prog="python -m bench.boogie", description="Times beside CIVL's.")
    parser.add_argument("--runs", type=int, default=5, help="runs of each, in turns (5)")
    runs = parser.parse_args().runs
    if shutil.which(BOOGIE[0]) is None:
        sys.exit("boogie is not installed")
    table = Table("problem", "sacheck", "seconds", "CIVL", "seconds", "ratio")
    ratios = list[float]()
    for folder in sorted(p for p in FOLDER.iterdir() if p.is_dir()):
        ours, theirs = list[tuple[str, float]](), list[tuple[str, float]]()
        for _ in range(runs):
            ours.append(_run(_command(folder)))
            theirs.append(_run((*BOOGIE, str(folder / "boogie.bpl"))))
        least, other = min(t for _, t in ours), min(t for _, t in theirs)
        ratios.append(least / other)
        row = (folder.name, _said(ours[0][0]), f"{least:.2f}", _said(theirs[0][0]), f"{other:.2f}", f"{ratios[-1]:.2f}")
        table.add_row(*row)
    console = Console()
    console.print(table)
    console.print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
