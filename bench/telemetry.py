"""What each engine of the portfolios settles: `python -m bench.telemetry TABLE`.

A row of the frozen table (`bench.verdicts`) says which engine settled each claim or goal. What settles nothing in a
whole table is a candidate to go.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.answering import Answer, Settled
from bench.verdicts import TABLE, rows_of
from sa.app.engines import listed


def main() -> int:
    """Print how many claims, goals and questions each engine settled."""
    parser = argparse.ArgumentParser(prog="python -m bench.telemetry", description="What each engine settles.")
    parser.add_argument(
        "table", nargs="?", type=Path, default=TABLE, help="a frozen table (bench/results/verdicts.jsonl)"
    )
    options = parser.parse_args()
    rows = tuple(rows_of(options.table).values())
    Console(width=max(120, Console().width), highlight=False).print(_counted(rows))
    return 0


def _counted(rows: Sequence[Answer]) -> Table:
    claims = Counter(one.engine for row in rows for one in _decided(row))
    questions = Counter(name for row in rows for name in {one.engine for one in _decided(row)})
    made = Table("engine", "claims and goals", "questions", title=f"{len(rows)} questions")
    for name in sorted({*_engines(), *claims}, key=lambda name: (-questions[name], name)):
        made.add_row(name or "(by other parts)", str(claims[name]), str(questions[name]))
    return made


def _decided(row: Answer) -> Iterator[Settled]:
    return (one for one in row.settled if one.verdict in ("PROVED", "REFUTED"))


def _engines() -> Iterator[str]:
    return (name for command in ("verify", "refine") for technique in listed(command) for name in technique.engines)


if __name__ == "__main__":
    raise SystemExit(main())
