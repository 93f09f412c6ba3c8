"""The rules fuzzed at length: `python -m tests.scripts.fuzz --instances 20000` prints the table of `results.md`.

An instance counts when all its conditions hold and it is alive: λ can be false, θ is not empty, a component
step and an environment step that changes something are possible. `rate` is their share among the samples.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

from tests.scripts.rule import Rule, fuzz
from tests.scripts.rules import RULES, VARIANTS

#: So many samples for each instance that is wanted, at most.
PATIENCE = 50


def line(rule: Rule[Any], name: str, instances: int, seed: int, enough: int = 0) -> str:
    """One row of the table."""
    start = perf_counter()
    tally = fuzz(rule, instances, PATIENCE * instances, seed, enough)
    seconds = perf_counter() - start
    rate = f"{100 * tally.instances / tally.samples:.0f} %"
    found = len(tally.counterexamples)
    return f"| {rule.name} | {name} | {tally.instances} | {found} | {rate} | {seconds:.0f} |"


def main() -> None:
    """Prints a row for every rule and for every variant of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=20_000, help="for the rules and for redundant conditions")
    parser.add_argument("--variants", type=int, default=4_000, help="instances for what is to be refuted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--enough", type=int, default=0, help="counterexamples after which a variant is left")
    parser.add_argument("--rule", default="", help="only rules with this in their name")
    given = parser.parse_args()
    print("| rule | dropped or exchanged | instances | counterexamples | rate | seconds |")
    print("|---|---|---:|---:|---:|---:|")
    for rule in RULES:
        if given.rule in rule.name:
            print(line(rule, "", given.instances, given.seed), flush=True)
            for v in (v for v in VARIANTS if v.rule.name == rule.name):
                size = given.instances if v.redundant else given.variants
                name = f"{v.name} (redundant)" if v.redundant else v.name
                print(line(v.rule, name, size, given.seed, given.enough), flush=True)


if __name__ == "__main__":
    main()
