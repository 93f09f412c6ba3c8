"""Reduction and termination beside the tables of Popeea, Rybalchenko and Wilhelm (2014): `python -m bench.reduction`.

Three threads add under two locks, with so many statements in each section; `x` begins with any number here, since with
a known one there are so few states that they are enumerated. In the second kind the last thread also writes outside of
its section. In the last two a loop takes the place of the statements. The programs of Table II are written in the
manner of those that the paper names; nothing is reduced where termination is asked for. The paper's figures are of its
machine: what they say is only which of its two ways is faster.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "terminating"
ANSWERS = {0: "proved", 1: "refuted", 3: "unknown"}
TIMEOUT = 120


class Subject(NamedTuple):
    """A name, statements in a section (None: a loop), whether a write is outside, and the paper's Comp and RedComp."""

    name: str
    size: int | None
    outside: bool
    paper: tuple[str, str]


SUBJECTS = (
    Subject("P1-1", 1, False, ("7 s", "2 s")),
    Subject("P1-5", 5, False, ("101 s", "32 s")),
    Subject("P1-10", 10, False, ("840 s", "64 s")),
    Subject("P1-50", 50, False, ("T/O", "2400 s")),
    Subject("P2-5", 5, True, ("270 s", "140 s")),
    Subject("P2-10", 10, True, ("1020 s", "220 s")),
    Subject("P2-50", 50, True, ("T/O", "3778 s")),
    Subject("P1-loop", None, False, ("", "")),
    Subject("P2-loop", None, True, ("", "")),
)


class Ending(NamedTuple):
    """A program of Table II, the property, and the paper's Comp and RedComp for one like it."""

    name: str
    asked: str
    paper: tuple[str, str]


ENDINGS = (
    Ending("two-lower-one-number", "termination", ("2 s", "3 s")),
    Ending("signal-given", "termination", ("308 s", "4 s")),
    Ending("signal-given", "no-deadlock", ("", "")),
    Ending("signal-missing", "termination", ("", "")),
    Ending("signal-missing", "no-deadlock", ("", "")),
    Ending("dining-philosophers", "termination", ("T/O", "7 s")),
)


def text(subject: Subject, claim: str = "x == 3 * X + 3 || x == 3 * X + 7") -> str:
    """The program, with what is claimed of `x` at the end of all threads."""

    def body(counter: str, added: str) -> str:
        if subject.size is not None:
            return f"  y := y + {added};\n" * subject.size
        return f"  {counter} := 0;\n  while ({counter} < k) {{ y := y + {added}; {counter} := {counter} + 1; }}\n"

    return (
        "param X, k : int;\nglobal mx, my : 0..3 = 0;\nglobal x : int = X;\nglobal y : int = 2;\n"
        f"thread T1 {{\n  local a, i : int = 0;\n  lock(mx);\n  a := x;\n  lock(my);\n{body('i', 'a')}  unlock(my);\n"
        f"  a := a + 1;\n  lock(my);\n{body('i', 'a')}  unlock(my);\n  x := 2 * x + a;\n  unlock(mx);\n}}\n"
        "thread T2 {\n  lock(mx);\n  x := x + 2;\n  unlock(mx);\n}\n"
        f"thread T3 {{\n  local j : int = 0;\n  lock(my);\n{body('j', '2')}  unlock(my);\n"
        f"{'  y := y + 1;' if subject.outside else ''}\n}}\n"
        f"invariant ends : at T1.exit && at T2.exit && at T3.exit ==> {claim};\n"
    )


def row(subject: Subject, timeout: int = TIMEOUT) -> str:
    """A line of the table; times are of the processor."""
    written = text(subject)
    lines = sum(1 for line in written.splitlines() if line.strip())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{subject.name}.sa"
        path.write_text(written)
        with_blocks, without = (_asked(path, timeout, options) for options in ((), ("--no-reduction",)))
    return f"| {subject.name} | {lines} | {with_blocks} | {without} | {' | '.join(subject.paper)} |"


def ending_row(subject: Ending, timeout: int = TIMEOUT) -> str:
    """A line of Table II."""
    path = FOLDER / f"{subject.name}.c"
    lines = sum(1 for line in path.read_text().splitlines() if line.strip())
    answer = _asked(path, timeout, ("--property", subject.asked))
    return f"| {subject.name} | {lines} | {subject.asked} | {answer} | {' | '.join(subject.paper)} |"


def _asked(path: Path, timeout: int, options: tuple[str, ...]) -> str:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = ("sacheck", "verify", "--quiet", "--no-cache", "--timeout", str(timeout), *options, str(path))
    status = subprocess.run((sys.executable, "-m", *command), capture_output=True, check=False).returncode
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return f"{ANSWERS.get(status, f'status {status}')}, {seconds:.1f} s"


def main() -> None:
    """The tables, or one of them, as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", choices=("I", "II"), help="this table only")
    only = parser.parse_args().table
    if only in (None, "I"):
        print("| program | lines | with reduction | `--no-reduction` | paper, Comp | paper, RedComp |")
        print("|---|---|---|---|---|---|")
        for subject in SUBJECTS:
            print(row(subject), flush=True)
    if only in (None, "II"):
        print("\n| program | lines | asked | answer | paper, Comp | paper, RedComp |\n|---|---|---|---|---|---|")
        for ending in ENDINGS:
            print(ending_row(ending), flush=True)


if __name__ == "__main__":
    main()
