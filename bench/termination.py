"""Termination of C programs beside Table II of Popeea, Rybalchenko and Wilhelm (2014): `python -m bench.termination`.

The programs are written for this table, in the manner of those that the paper names. Its figures are of its machine:
what they say is only which of its two ways is faster.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "terminating"
ANSWERS = {0: "proved", 1: "refuted", 3: "unknown"}


class Subject(NamedTuple):
    """A program, what is asked, and the paper's figures for one like it: without blocks, and with them."""

    name: str
    asked: str
    paper: tuple[str, str]


SUBJECTS = (
    Subject("two-lower-one-number", "termination", ("2 s", "3 s")),
    Subject("signal-given", "termination", ("308 s", "4 s")),
    Subject("signal-given", "no-deadlock", ("", "")),
    Subject("signal-missing", "termination", ("", "")),
    Subject("signal-missing", "no-deadlock", ("", "")),
    Subject("dining-philosophers", "termination", ("T/O", "7 s")),
)


def row(subject: Subject, timeout: int) -> str:
    """A line of the table; times are of the processor."""
    path = FOLDER / f"{subject.name}.c"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = ("sacheck", "verify", "--quiet", "--property", subject.asked, "--timeout", str(timeout), str(path))
    status = subprocess.run((sys.executable, "-m", *command), capture_output=True, check=False).returncode
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    lines = sum(1 for line in path.read_text().splitlines() if line.strip())
    answer = ANSWERS.get(status, f"status {status}")
    return f"| {subject.name} | {lines} | {subject.asked} | {answer} | {seconds:.1f} s | {' | '.join(subject.paper)} |"


def main() -> None:
    """The table, as Markdown."""
    print("| program | lines | asked | answer | time | paper, Comp | paper, RedComp |\n|---|---|---|---|---|---|---|")
    for subject in SUBJECTS:
        print(row(subject, 120), flush=True)


if __name__ == "__main__":
    main()
