"""The rules fuzzed at length: `python -m tests.proofs.fuzz --instances 20000` prints a table."""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

from tests.proofs.rule import Rule, fuzz
from tests.proofs.rules import RULES, VARIANTS


def line(rule: Rule[Any], name: str, instances: int, samples: int, seed: int, enough: int) -> str:
    """One row of the table."""
    start = perf_counter()
    tally = fuzz(rule, instances, samples, seed, enough)
    seconds = perf_counter() - start
    rate = f"{100 * tally.instances / tally.samples:.0f} %"
    counts = f"{tally.instances:>7} | {len(tally.counterexamples):>5} | {rate:>5} | {seconds:>6.1f}"
    return f"| {rule.name:<34} | {name:<44} | {counts} |"


def main() -> None:
    """Prints a row for every rule and for every variant of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rule", default="", help="only rules whose name begins so")
    given = parser.parse_args()
    print(f"| {'rule':<34} | {'condition dropped or exchanged':<44} | instances | counterexamples | rate | seconds |")
    for rule in RULES:
        if rule.name.startswith(given.rule):
            print(line(rule, "-", given.instances, 100 * given.instances, given.seed, 0), flush=True)
    for v in VARIANTS:
        if v.rule.name.startswith(given.rule):
            print(line(v.rule, v.name, given.instances, 100 * given.instances, given.seed, 0), flush=True)


if __name__ == "__main__":
    main()
