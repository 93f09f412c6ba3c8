"""The frozen table: every question of `specs/` and of folders of cases, asked once as a user asks.

`python -m bench.verdicts`, or `make table`. A row says what was answered, which technique settled each claim or goal,
and the processor time. Rows are appended to a file as they come; a run that was stopped goes on where it was.
`--against TABLE` compares with an earlier table: nothing may be turned round, and nothing that was decided may be lost.
A question ends when its *processor* time is used up, so that a busy machine gives the same table.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from rich.console import Console

from bench.answering import Answer, Asking, answer
from bench.comparing import compared
from sa.app.suite import Command, questions_of

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "specs"
CASES = ROOT.parent / "shared" / "cases"
TABLE = ROOT / "bench" / "results" / "verdicts.jsonl"


def questions(folders: Sequence[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each question with its name and the arguments of its command, in an order in which any part is a sample."""
    found = dict[str, tuple[str, ...]]()
    for folder in folders:
        for question in questions_of((str(folder),)):
            paths = [Path(p) for p in question.paths]
            options = (*question.options, *_options(paths[-1]))
            command = question.command
            if paths[-1].name == "before.c":
                continue
            if paths[-1].name == "after.c":
                command, paths = Command.REFINE, [paths[-1].with_name("before.c"), paths[-1]]
                options = ("--function", "f", *options)
            name = f"{folder.name}/{paths[-1].relative_to(folder).as_posix()}"
            found[name] = (command.value, *map(str, paths), *options)
    yield from sorted(found.items(), key=lambda item: hashlib.sha256(item[0].encode()).digest())


def _options(path: Path) -> tuple[str, ...]:
    """The options in a file beside, which are for the question of the folder."""
    beside = path.with_name("options")
    return tuple(beside.read_text().split()) if beside.exists() else ()


def rows_of(table: Path) -> dict[str, Answer]:
    """The rows of a table by their names; none where there is no table. A line that was cut off is no row."""
    if not table.exists():
        return {}
    rows = dict[str, Answer]()
    for line in table.read_bytes().splitlines():
        try:
            row = msgspec.json.decode(line, type=Answer)
        except msgspec.DecodeError:
            continue
        rows[row.name] = row
    return rows


def main() -> int:
    """Ask what is not in the table yet, and compare. Exit status 1 if the table is worse than the earlier one."""
    parser = argparse.ArgumentParser(prog="python -m bench.verdicts", description="The frozen table of verdicts.")
    parser.add_argument("folders", nargs="*", type=Path, help="folders of questions (specs, ../shared/cases)")
    parser.add_argument("--table", type=Path, default=TABLE, help="where the rows are (bench/results/verdicts.jsonl)")
    parser.add_argument("--against", type=Path, help="an earlier table to compare with")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time for each question (60)")
    parser.add_argument("--memory", type=int, default=3000, help="megabytes for each question (3000)")
    parser.add_argument("--first", type=int, help="only so many questions: a sample")
    parser.add_argument("--only", help="only questions whose names contain this")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the sources of the sacheck that is asked")
    parser.add_argument("--certify", type=Path, metavar="TREE", help="have certificates checked by the sacheck there")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="questions at once (1)")
    options = parser.parse_args()
    before = None if options.against is None else rows_of(options.against)
    if before is not None and not before:
        parser.error(f"there are no rows in {options.against}")
    folders = options.folders or [f for f in (SPECS, CASES) if f.is_dir()]
    asked = [q for q in questions([f.resolve() for f in folders]) if options.only is None or options.only in q[0]]
    asking = Asking(options.tree.resolve(), options.seconds, options.memory, options.certify)
    asked = asked[: options.first]
    _fill(options.table, asked, asking, options.jobs)
    console = Console(width=max(140, Console().width), highlight=False)
    rows = rows_of(options.table)
    now = {name: rows[name] for name, _ in asked}
    decided = sum(row.verdict in ("PROVED", "REFUTED") for row in now.values())
    console.print(f"{len(now)} questions: {decided} decided, {sum(row.seconds for row in now.values()):.0f} s")
    refused = [row.name for row in now.values() if row.accepted is False]
    for name in refused:
        console.print(f"certificate not accepted: {name}", markup=False)
    if before is None:
        return int(bool(refused))
    comparison = compared(before, now)
    console.print(comparison.text, markup=False)
    return int(comparison.worse or bool(refused))


def _fill(table: Path, asked: Sequence[tuple[str, tuple[str, ...]]], asking: Asking, jobs: int) -> None:
    """Ask what the table does not have yet, and add each row when it is there."""
    known, one_at_a_time = rows_of(table), threading.Lock()
    open_ = [(name, arguments) for name, arguments in asked if name not in known]
    table.parent.mkdir(parents=True, exist_ok=True)
    if table.exists() and not table.read_bytes().endswith(b"\n"):
        # What was being written when the run before was stopped.
        with table.open("ab") as file:
            file.write(b"\n")

    def ask(name: str, arguments: tuple[str, ...]) -> None:
        row = answer(name, arguments, asking)
        with one_at_a_time, table.open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")
            print(f"{row.seconds:8.2f} s  {row.verdict:8} {name}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(ask, *question) for question in open_]:
            done.result()


if __name__ == "__main__":
    raise SystemExit(main())
