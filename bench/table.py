"""Table 1 of the paper and all twins, in one process: `python -m bench.table`, with `--closed` without relies.

Results go to `bench/results/` and are compared with the run before and with `bench/baseline.json`
(`--record` writes the latter). Exit status 1 if a verdict is not the one that the spec expects.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measure import Measurement, measure
from bench.subjects import CLOSED, PAPER, SUBJECTS, twins_of
from sa.base.diagnostic import InputError

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
BASELINE = HERE / "baseline.json"
CLOSED_BASELINE = HERE / "baseline-closed.json"
#: A run against a baseline below this many seconds says nothing about speed.
NOISE = 0.02


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `paper` is None for twins, which the paper does not have."""

    name: str
    verdict: str
    expected: str
    total: float
    seconds: Mapping[str, float]
    pairs: int
    lemmas: int
    solver_calls: int
    memory: float
    paper: float | None


def row_of(name: str, measurement: Measurement, paper: float | None) -> Row:
    """The line for one question."""
    outcome = measurement.outcome
    statistics = [result.statistics for result in outcome.results]
    return Row(
        name,
        outcome.verdict.value,
        outcome.expected.value if outcome.expected else "",
        measurement.total,
        measurement.seconds,
        sum(s.pairs for s in statistics),
        sum(s.lemmas for s in statistics),
        sum(s.solver_calls for s in statistics),
        measurement.memory,
        paper,
    )


def run(root: Path, timeout: float, twins: bool) -> Iterator[Row]:
    """Every subject, then its twins. An input error is a line of its own, not the end of the run."""
    for subject in SUBJECTS:
        yield attempt(root, root / subject.folder, timeout, sum(subject.paper_seconds))
        for folder in twins_of(subject, root) if twins else ():
            yield attempt(root, folder, timeout, None)


def attempt(root: Path, folder: Path, timeout: float, paper: float | None) -> Row:
    """Measure one folder."""
    name = folder.relative_to(root).as_posix()
    start = time.perf_counter()
    try:
        return row_of(name, measure(folder / "abs.sa", folder / "conc.sa", timeout), paper)
    except InputError as wrong:
        codes = " ".join(sorted({d.code for d in wrong.diagnostics}))
        return Row(name, f"INPUT {codes}", "", time.perf_counter() - start, {}, 0, 0, 0, 0.0, paper)


def read_seconds(path: Path) -> dict[str, float]:
    """Seconds by name of an earlier run; empty if there is none."""
    if not path.exists():
        return {}
    return {row["name"]: row["total"] for row in json.loads(path.read_text())["rows"]}


def ratio(now: float, before: float | None) -> str:
    """`now` as a multiple of `before`, blank where there is nothing to compare."""
    if before is None:
        return ""
    return "=" if max(now, before) < NOISE else f"x{now / before:.2f}"


def as_table(rows: list[Row], last: Mapping[str, float], baseline: Mapping[str, float]) -> Table:
    """The rows with the paper's seconds, the run before and the baseline beside them."""
    phases = list(dict.fromkeys(phase for row in rows for phase in row.seconds))
    table = Table(title="Table 1 and twins", footer_style="bold", pad_edge=False)
    table.add_column("subject", no_wrap=True)
    table.add_column("verdict", no_wrap=True, min_width=7)
    for column in ("s", *phases, "pairs", "lemmas", "calls", "MiB", "paper s", "faster", "last", "baseline"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        right = row.verdict == row.expected
        table.add_row(
            row.name if row.paper else "  " + row.name.split("/", 1)[-1],
            row.verdict if right else f"[bold red]{row.verdict} (expected {row.expected or 'nothing'})[/]",
            f"{row.total:.3f}",
            *(f"{row.seconds[phase]:.3f}" if phase in row.seconds else "" for phase in phases),
            str(row.pairs),
            str(row.lemmas),
            str(row.solver_calls),
            f"{row.memory:.0f}",
            f"{row.paper:.3f}" if row.paper else "",
            f"{row.paper / row.total:.0f}x" if row.paper else "",
            ratio(row.total, last.get(row.name)),
            ratio(row.total, baseline.get(row.name)),
        )
    return table


def summary(rows: list[Row], baseline: Mapping[str, float]) -> str:
    """Total seconds of the subjects, of everything, and the number of wrong verdicts."""
    subjects = [row for row in rows if row.paper]
    ours, theirs = sum(row.total for row in subjects), sum(row.paper or 0.0 for row in subjects)
    everything = sum(row.total for row in rows)
    wrong = sum(row.verdict != row.expected for row in rows)
    compared = [(row.total, baseline[row.name]) for row in rows if row.name in baseline]
    against = f", {ratio(*map(sum, zip(*compared, strict=True)))} of the baseline" if compared else ""
    return (
        f"Table 1: {ours:.2f} s (paper {theirs:.0f} s, {theirs / ours:.0f} times as long). "
        f"All {len(rows)} questions: {everything:.2f} s{against}. "
        f"Verdicts other than expected: {wrong}."
    )


def write(path: Path, rows: list[Row]) -> None:
    """Rows as JSON, through a temporary file, so that a stopped run leaves no half."""
    path.parent.mkdir(exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps({"rows": [asdict(row) for row in rows]}, indent=1) + "\n")
    draft.replace(path)


def main() -> int:
    """Run, print, compare, store."""
    parser = argparse.ArgumentParser(prog="python -m bench.table", description="Table 1 of the paper, and all twins.")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each question (60)")
    parser.add_argument("--no-twins", action="store_true", help="only the subjects of the table")
    parser.add_argument("--closed", action="store_true", help="as closed programs, whose environments are inferred")
    parser.add_argument("--record", action="store_true", help="make this run the baseline")
    options = parser.parse_args()
    console = Console(width=max(170, Console().width))
    with console.status("running"):
        rows = list(run(CLOSED if options.closed else PAPER, options.timeout, not options.no_twins))
    name, recorded = ("closed.json", CLOSED_BASELINE) if options.closed else ("table.json", BASELINE)
    latest, baseline = RESULTS / name, read_seconds(recorded)
    console.print(as_table(rows, read_seconds(latest), baseline))
    console.print(summary(rows, baseline))
    write(latest, rows)
    if options.record:
        write(recorded, rows)
    return int(any(row.verdict != row.expected for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
