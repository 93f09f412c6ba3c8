"""Random programs, each judged in two ways: what became of them, and the texts of those that do not agree."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeAlias

#: What became of so many programs from a seed on, and the texts of those that do not agree.
Tally: TypeAlias = tuple[Counter[str], list[str]]


def tally(count: int, seed: int, judged: Callable[[Random, Path], tuple[str, str]]) -> Tally:
    """What became of so many programs: each is made and judged, which tells a result and the program's text."""
    found, wrong = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            result, text = judged(Random(f"{seed}-{number}"), Path(name))
            found[result.split(":")[0]] += 1
            if result.startswith("wrong"):
                wrong.append(f"/* {seed}-{number}: {result} */\n{text}")
    return found, wrong


def command(about: str | None, run: Callable[[int, int], Tally]) -> None:
    """A command that runs a comparison: prints programs that do not agree, and fails if there is one."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found, wrong = run(options.count, options.seed)
    for text in wrong[:3]:
        print(text)
    print(dict(found), file=sys.stderr)
    sys.exit(bool(wrong))
