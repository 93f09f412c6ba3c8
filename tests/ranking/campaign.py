"""Many seeds of the comparisons of this folder: `python -m tests.ranking.campaign KIND FIRST LAST`.

`ends` are claims about infinite runs, each with and without `fair`, and `progress`; `pairs` is what `refine --preserve`
answers of pairs; `forged` is evidence for what is false. Each prints a tally; a wrong answer ends it with the seed.
"""

from __future__ import annotations

import sys
from collections import Counter
from time import process_time

from msgspec.structs import replace

from sa.base.limits import Limits, allot
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.preservation import Kept
from sa.engines.verify import Options, verify
from sa.language.elaborate.program import program
from tests.oracle.endings import graph, nobody_is_stuck, true_in
from tests.ranking.programs import program as random_program
from tests.ranking.test_against_the_oracle import UNITS, answer, holds_by_definition
from tests.ranking.test_preservation import compared as compared_pair
from tests.ranking.test_tampered import looked_at

_WORDS = {True: "proved", False: "refuted", None: "unknown"}


def ends(seed: int, tally: Counter[str]) -> None:
    """Each claim of a random program by all ways, fair and not, against strongly connected components."""
    p = program(Source(f"seed {seed}", random_program(seed)))
    g = graph(p.threads, 400)
    if g is None:
        tally["programs with too many states"] += 1
        return
    tally["programs"] += 1
    (progress,) = p.invariants
    assert all(map(true_in(g, progress.formula), g.steps)) == nobody_is_stuck(g), (seed, "progress")
    answers = verify(replace(p, ends=()), Options(allot(Limits(), UNITS["all"]))).findings
    (verdict,) = (f.verdict for f in answers if f.claim.name == "progress")
    assert verdict in (Verdict.UNKNOWN, Verdict.PROVED if nobody_is_stuck(g) else Verdict.REFUTED), (seed, "progress")
    tally[f"progress: {verdict.name.lower()}"] += 1
    asked = dict.fromkeys(replace(e, fair=False) for e in p.ends)
    for one in (replace(e, fair=fair) for e in asked for fair in (False, True)):
        expected, found = holds_by_definition(g, one), answer(p, one, "all")
        assert found in (None, expected), (seed, one.name, one.fair, expected)
        kind = "terminates" if one.until is None else "leads"
        tally[f"{kind}{', fair' if one.fair else ''}: {_WORDS[found]}"] += 1


def pairs(seed: int, tally: Counter[str]) -> None:
    """What is preserved of a random pair, with loops taken to end and not, against all words."""
    found = dict[tuple[Kept, Verdict], int]()
    compared_pair(seed, found)
    tally["pairs" if found else "pairs with too many states"] += 1
    tally.update({f"{kept.name.lower()}: {verdict.name.lower()}": n for (kept, verdict), n in found.items()})


def forged(seed: int, tally: Counter[str]) -> None:
    """Evidence for what is false, of a random program."""
    tally["refused"] += looked_at(seed)
    tally["programs"] += 1


def main() -> None:
    """The tally of these seeds; every hundredth seed it is printed as it is."""
    kind, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    look, tally = {"ends": ends, "pairs": pairs, "forged": forged}[kind], Counter[str]()
    for seed in range(first, last):
        look(seed, tally)
        if (seed + 1 - first) % 100 == 0 or seed + 1 == last:
            print(f"{kind} {first} to {seed}, {process_time():.0f} s: {dict(sorted(tally.items()))}", flush=True)


if __name__ == "__main__":
    main()
