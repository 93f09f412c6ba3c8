"""Time against the number of threads: `python -m bench.families`.

A ring: each thread reads its neighbour's variable and writes its own, or its neighbour's. In the symmetric family all
threads are the same but for their places, in the asymmetric one constants depend on the thread. Measured are generation
and the solver's checks of everything that was generated. The exponent is that of t ~ n^e between the last two sizes.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console
from rich.table import Table

from sa.base.limits import limits
from sa.cli.start import collect_seldom
from sa.generation.checks import verify
from sa.generation.generate import automata, generate
from sa.generation.visibility import Level
from sa.language.load import load_program
from sa.smt.session import Session

RESULTS = Path(__file__).resolve().parent / "results"
SIZES = (2, 4, 8, 16, 32)

_THREAD = """
thread T[i : 0..{last}] {{
  local seen : int = 0;
  while (true) {{
    seen := x[i];
    if (seen < {limit}) {{
      x[(i + 1) % {count}] := {value};
    }} else {{
      atomic {{ if (x[(i + 1) % {count}] > 0) {{ x[(i + 1) % {count}] := x[(i + 1) % {count}] - 1; }} }}
    }}
    @shown(seen) x[i] := 0;
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Point:
    """Seconds for a family of some size."""

    threads: int
    symmetric: bool
    generation: float
    checks: float


def ring(count: int, symmetric: bool) -> str:
    """The family as a program."""
    limit, value = ("3", "seen + 1") if symmetric else ("2 + i % 5", "seen + 1 + i % 3")
    return f"global x : int[{count}] = 0;" + _THREAD.format(last=count - 1, count=count, limit=limit, value=value)


def point(count: int, symmetric: bool, timeout: float) -> Point:
    """Generate, check, measure. Raises NotGenerated and LimitReached."""
    bounds = limits(timeout, None)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ring.sa"
        path.write_text(ring(count, symmetric))
        threads = load_program(str(path)).program.threads
    start = perf_counter()
    made = automata(generate(threads, Level.HIDDEN, bounds))
    generated = perf_counter()
    verify(Session(bounds), made)
    return Point(count, symmetric, generated - start, perf_counter() - generated)


def exponent(points: list[Point]) -> float:
    """e in t ~ n^e between the two largest sizes."""
    small, large = sorted(points, key=lambda p: p.threads)[-2:]
    growth = (large.generation + large.checks) / (small.generation + small.checks)
    return math.log(growth) / math.log(large.threads / small.threads)


def main() -> int:
    """Measure both families, print, store."""
    collect_seldom()
    parser = argparse.ArgumentParser(prog="python -m bench.families", description="Time against the number of threads.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="threads (2 4 8 16 32)")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for each family (600)")
    options = parser.parse_args()
    console, everything = Console(), list[Point]()
    point(2, True, options.timeout)
    for symmetric in (False, True):
        points = [point(n, symmetric, options.timeout) for n in sorted(options.sizes)]
        table = Table(title="symmetric ring" if symmetric else "asymmetric ring", pad_edge=False)
        for column in ("threads", "generation s", "checks s", "total s"):
            table.add_column(column, justify="right")
        for p in points:
            total = p.generation + p.checks
            table.add_row(str(p.threads), f"{p.generation:.2f}", f"{p.checks:.2f}", f"{total:.2f}")
        console.print(table)
        if len(points) > 1:
            console.print(f"grows as n^{exponent(points):.2f} between the two largest sizes")
        everything += points
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "families.json").write_text(json.dumps([asdict(p) for p in everything], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
