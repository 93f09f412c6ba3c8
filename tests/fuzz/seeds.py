"""The same verdict for every seed: `python -m tests.fuzz.seeds` asks every pair of `specs/closed` twenty times."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from time import perf_counter

from bench.subjects import SPECS, folders_with_pairs
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.endtoend.asking import read

FOLDERS = tuple(folders_with_pairs(SPECS / "closed"))


def verdict(folder: Path, seed: int, timeout: float) -> Verdict:
    """The answer to a pair of files."""
    texts = ((folder / name).read_text(encoding="utf-8") for name in ("abs.sa", "conc.sa"))
    return refine(*read(*texts), Options(limits(timeout, None), seed)).verdict


def main() -> None:
    """Prints the pairs whose answers differ, and how many answers there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=30.0)
    given = parser.parse_args()
    started, total, flips, lost = perf_counter(), Counter[Verdict](), 0, 0
    for folder in FOLDERS:
        found = Counter(verdict(folder, seed, given.timeout) for seed in range(given.seeds))
        total.update(found)
        flips += Verdict.PROVED in found and Verdict.REFUTED in found
        lost += len(found) > 1
        if len(found) > 1:
            print(folder.relative_to(SPECS), {v.value: n for v, n in found.items()}, flush=True)
    counts = ", ".join(f"{n} {v.value}" for v, n in total.most_common())
    print(
        f"{len(FOLDERS)} pairs, {given.seeds} seeds: {counts}; {flips} flips, {lost} with an UNKNOWN among them;",
        end=" ",
    )
    print(f"{perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
