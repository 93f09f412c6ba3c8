"""Interval decision diagrams against binary ones: `python -m bench.domains`.

Two kinds of data over six variables with constants to 1,000: program-like boxes (a location and flags are fixed, one
or two counters are bounded by few different constants), and boxes with any bounds on every variable. The same
boxes are built, united, intersected, compared and projected by `sa.domains` and by `bench.binary`, in the same
process, each time with empty caches; what counts is the ratio. States near the corners of the boxes are looked up in
both: a difference ends the run with status 1.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from rich.console import Console
from rich.table import Table

from bench import binary
from sa.domains import diagram, quantify
from sa.domains.store import Node, Store, reachable

RESULTS = Path(__file__).resolve().parent / "results"
VARIABLES = 6
OPERATIONS = ("build", "union", "meet", "inclusion", "project")

#: Levels with their least and greatest values.
Bounds: TypeAlias = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds of one operation on one kind of data, the best of some repetitions."""

    data: str
    operation: str
    intervals: float
    binary: float


def program_like(rng: Random) -> Bounds:
    """A box as at some location of a program: location, two flags, counters."""
    bounds = [(0, *[rng.randrange(60)] * 2), (1, *[rng.randrange(2)] * 2), (2, *[rng.randrange(2)] * 2)]
    for level in rng.sample((3, 4, 5), rng.randint(1, 2)):
        low = rng.choice((0, 1, 10, 100))
        bounds.append((level, low, rng.choice((low, 255, 500, 1000))))
    return tuple(sorted(bounds))  # type: ignore[arg-type]  # mypy takes the unpacked pair for a sequence of any length


def mid_size(rng: Random) -> Bounds:
    """A box of middle size with any place."""
    lows = [rng.randrange(1000) for _ in range(VARIABLES)]
    return tuple((level, low, min(1000, low + rng.randrange(100))) for level, low in enumerate(lows))


class Intervals:
    """The diagrams of `sa.domains`."""

    def __init__(self) -> None:
        self.store = Store()

    def build(self, data: list[Bounds]) -> Node:
        """The union of boxes."""
        made = [quantify.box_of(self.store, {v: (a, b) for v, a, b in bounds}) for bounds in data]
        return diagram.join_all(self.store, made)

    def union(self, f: Node, g: Node) -> Node:
        """Join."""
        return diagram.join(self.store, f, g)

    def meet(self, f: Node, g: Node) -> Node:
        """Meet."""
        return diagram.meet(self.store, f, g)

    def inclusion(self, f: Node, g: Node) -> bool:
        """Order."""
        return diagram.included(self.store, f, g)

    def forget(self, f: Node, level: int) -> Node:
        """Without one variable."""
        return quantify.forget(self.store, f, frozenset((level,)))

    def size(self, f: Node) -> int:
        """Inner nodes."""
        return len(reachable(self.store, (f,)))

    def clear(self) -> None:
        """Empty the caches."""
        for cache in (self.store.meets, self.store.joins, self.store.inclusions, self.store.forgotten):
            cache.clear()


class Binary:
    """The diagrams of `bench.binary`."""

    def __init__(self) -> None:
        self.diagrams = binary.Diagrams()

    def build(self, data: list[Bounds]) -> int:
        """The union of boxes."""
        return binary.join_all(self.diagrams, [binary.box(self.diagrams, bounds) for bounds in data])

    def union(self, f: int, g: int) -> int:
        """Join."""
        return binary.apply(self.diagrams, "or", f, g)

    def meet(self, f: int, g: int) -> int:
        """Meet."""
        return binary.apply(self.diagrams, "and", f, g)

    def inclusion(self, f: int, g: int) -> bool:
        """Order."""
        return binary.included(self.diagrams, f, g)

    def forget(self, f: int, level: int) -> int:
        """Without one variable."""
        return binary.forget(self.diagrams, f, level)

    def size(self, f: int) -> int:
        """Inner nodes."""
        return binary.size(self.diagrams, f)

    def clear(self) -> None:
        """Empty the caches."""
        self.diagrams.cache.clear()


def best(times: int, before: Callable[[], None], work: Callable[[], Any]) -> float:
    """The least milliseconds that the work took, each time after `before`."""
    found = list[float]()
    for _ in range(times):
        before()
        gc.collect()
        start = time.process_time()
        work()
        found.append(1000 * (time.process_time() - start))
    return min(found)


def project(engine: Any, f: Any) -> Any:
    """What a set says of its middle variable."""
    for level in reversed(range(VARIABLES)):
        if level != VARIABLES // 2:
            f = engine.forget(f, level)
    return f


def measured(engine: Any, first: list[Bounds], second: list[Bounds], times: int) -> tuple[dict[str, float], list[int]]:
    """Milliseconds by operation; and the sizes of what came out, or 0 and 1 for an answer."""
    f, g = engine.build(first), engine.build(second)
    united, common = engine.union(f, g), engine.meet(f, g)
    everything = dict[str, Callable[[], Any]](
        build=lambda: engine.build(first),
        union=lambda: engine.union(f, g),
        meet=lambda: engine.meet(f, g),
        inclusion=lambda: engine.inclusion(f, united) and engine.inclusion(common, g),
        project=lambda: project(engine, f),
    )
    seconds = {name: best(times, engine.clear, work) for name, work in everything.items()}
    assert engine.inclusion(f, united) and engine.inclusion(common, g)
    return seconds, [engine.size(s) for s in (f, g, united, common)]


def points(data: list[Bounds], rng: Random) -> list[dict[int, int]]:
    """States near the corners of boxes, in and out."""
    found = []
    for bounds in data:
        state = {v: rng.randrange(1001) for v in range(VARIABLES)}
        state.update((v, rng.choice((a - 1, a, b, b + 1)) if rng.random() < 0.2 else a) for v, a, b in bounds)
        found.append(state)
    return found


def agree(first: list[Bounds], second: list[Bounds], rng: Random) -> bool:
    """Whether both kinds of diagrams hold exactly the states near corners that the boxes hold."""
    ours, reference = Intervals(), Binary()
    f, g = ours.build(first), ours.build(second)
    b, c = reference.build(first), reference.build(second)
    unions = ours.union(f, g), reference.union(b, c)
    meets = ours.meet(f, g), reference.meet(b, c)
    for state in points([*first, *second], rng):
        inside = [any(all(lo <= state[v] <= hi for v, lo, hi in box) for box in boxes) for boxes in (first, second)]
        for (own, other), expected in ((unions, any(inside)), (meets, all(inside))):
            if diagram.contains(ours.store, own, state) != expected:
                return False
            if binary.contains(reference.diagrams, other, state) != expected:
                return False
    return True


@dataclass(frozen=True, slots=True)
class Comparison:
    """All engines on one kind of data: milliseconds, and nodes of two sets, their union and their meet."""

    rows: list[Row]
    nodes: list[int]
    binary_nodes: list[int]
    agree: bool


def compared(name: str, make: Callable[[Random], Bounds], boxes: int, seed: int, times: int) -> Comparison:
    """Make the data and measure."""
    rng = Random(seed)
    first, second = ([make(rng) for _ in range(boxes)] for _ in range(2))
    ours, nodes = measured(Intervals(), first, second, times)
    theirs, binary_nodes = measured(Binary(), first, second, times)
    found = [Row(name, o, ours[o], theirs[o]) for o in OPERATIONS]
    return Comparison(found, nodes, binary_nodes, agree(first, second, rng))


def as_table(comparisons: list[Comparison]) -> Table:
    """Times and ratios; a ratio over 1 means that interval diagrams are faster."""
    table = Table(title="sets of boxes", pad_edge=False)
    for column in ("data", "operation", "intervals ms", "binary ms", "binary / intervals"):
        table.add_column(column, justify="left" if column in ("data", "operation") else "right")
    for row in (r for c in comparisons for r in c.rows):
        ratio = f"{row.binary / row.intervals:.2f}"
        table.add_row(row.data, row.operation, f"{row.intervals:.2f}", f"{row.binary:.2f}", ratio)
    return table


def main() -> int:
    """Measure, print, store. Exit status 1 if the diagrams do not hold the same states."""
    parser = argparse.ArgumentParser(prog="python -m bench.domains", description="Interval against binary diagrams.")
    parser.add_argument("--boxes", type=int, default=1000, help="boxes in a set (1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=5, help="repetitions, of which the best counts (5)")
    options = parser.parse_args()
    # Binary diagrams are as deep as there are cuts.
    sys.setrecursionlimit(100_000)
    kinds = (("program-like", program_like), ("mid-size", mid_size))
    found = [compared(name, make, options.boxes, options.seed, options.times) for name, make in kinds]
    console = Console(width=max(100, Console().width))
    console.print(as_table(found))
    for comparison in found:
        console.print(f"nodes {comparison.nodes}, binary {comparison.binary_nodes}", highlight=False)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "domains.json").write_text(json.dumps([asdict(c) for c in found], indent=1) + "\n")
    if not all(c.agree for c in found):
        console.print("[bold red]the diagrams do not hold the same states[/]")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
