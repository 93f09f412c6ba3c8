"""Time against program size: `python -m bench.growth`.

Generated threads of 50, 200 and 1,000 statements against transformed copies (`bench.generated`), right
ones and ones with a single wrong constant. Start-up (imports, grammar, solver) is paid on a small pair
before anything is measured. The exponent is that of t ~ n^e between the last two sizes.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.generated import broken_pair, generated_pair
from bench.measure import measure
from sa.cli.start import collect_seldom

RESULTS = Path(__file__).resolve().parent / "results"
SIZES = (50, 200, 1000)


@dataclass(frozen=True, slots=True)
class Point:
    """What a pair of one size took."""

    statements: int
    broken: bool
    verdict: str
    seconds: float
    pairs: int
    lemmas: int
    solver_calls: int
    memory: float


def point(statements: int, seed: int, broken: bool, timeout: float) -> Point:
    """Generate, write, measure."""
    texts = (broken_pair if broken else generated_pair)(statements, seed)
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder) / "abs.sa", Path(folder) / "conc.sa"
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        measured = measure(*paths, timeout)
    statistics = [result.statistics for result in measured.outcome.results]
    return Point(
        statements,
        broken,
        measured.outcome.verdict.value,
        measured.total,
        sum(s.pairs for s in statistics),
        sum(s.lemmas for s in statistics),
        sum(s.solver_calls for s in statistics),
        measured.memory,
    )


def exponent(points: list[Point]) -> float | None:
    """e in t ~ n^e between the two largest sizes; None with fewer than two."""
    if len(points) < 2:
        return None
    small, large = sorted(points, key=lambda p: p.statements)[-2:]
    return math.log(large.seconds / small.seconds) / math.log(large.statements / small.statements)


def as_table(points: list[Point], title: str) -> Table:
    """The points of one direction."""
    table = Table(title=title, pad_edge=False)
    for column in ("statements", "verdict", "s", "ms/statement", "pairs", "lemmas", "calls", "MiB"):
        table.add_column(column, justify="right")
    for p in points:
        table.add_row(
            f"{p.statements:,}",
            p.verdict,
            f"{p.seconds:.2f}",
            f"{1000 * p.seconds / p.statements:.1f}",
            f"{p.pairs:,}",
            f"{p.lemmas:,}",
            f"{p.solver_calls:,}",
            f"{p.memory:.0f}",
        )
    return table


def main() -> int:
    """Measure both directions, print, store. Exit status 1 if a verdict is wrong."""
    collect_seldom()
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description="Time against program size.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="statements (50 200 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for each pair (120)")
    options = parser.parse_args()
    console = Console(width=max(170, Console().width))
    point(10, options.seed, False, options.timeout)
    everything: list[Point] = []
    for broken, title, right in ((False, "correct copies", "PROVED"), (True, "one wrong constant", "REFUTED")):
        points = []
        for size in sorted(options.sizes):
            with console.status(f"{title}, {size} statements"):
                points.append(point(size, options.seed, broken, options.timeout))
        console.print(as_table(points, title))
        if (e := exponent(points)) is not None:
            console.print(f"grows as n^{e:.2f} between the two largest sizes")
        wrong = [p for p in points if p.verdict != right]
        if wrong:
            console.print(f"[bold red]{len(wrong)} of {len(points)} not {right}[/]")
        everything += points
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "growth.json").write_text(json.dumps([asdict(p) for p in everything], indent=1) + "\n")
    return int(any(p.verdict != ("REFUTED" if p.broken else "PROVED") for p in everything))


if __name__ == "__main__":
    raise SystemExit(main())
