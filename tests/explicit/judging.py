"""Searches judged by enumeration, and their evidence by the checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.packed import Columns
from sa.certificates.run import Bad, Failing
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.checker.states import check_states
from sa.explicit.evidence import proof, run_into
from sa.explicit.search import Effort, Search, search
from sa.explicit.system import system
from tests.explicit.programs import random_program
from tests.invariants.judge import distance
from tests.language.texts import program_of

PLAIN, REDUCED = Effort(100_000, 100, reduced=False), Effort(100_000, 100, reduced=True)
#: The same by whole levels, from the first states on.
LEVELS = Effort(100_000, 100, reduced=False, by_levels=100_000, singly=0, wide=1)
REDUCED_LEVELS = Effort(100_000, 100, reduced=True, by_levels=100_000, singly=0, wide=1)


def question(seed: int) -> tuple[tuple[Automaton, ...], tuple[Bad, ...]]:
    """Threads, and a failure and a claim about them."""
    program = program_of(random_program(Random(seed)))
    return program.threads, (Bad(Failing(), None), Bad(None, program.invariants[0].formula))


def searched(threads: tuple[Automaton, ...], bads: tuple[Bad, ...], effort: Effort) -> Search:
    """A search that ended, with evidence that the checker accepts."""
    found = search(system(threads, bads), effort, Limits())
    for number, bad in enumerate(bads):
        if number in found.bad:
            run = run_into(found, number)
            assert run is not None
            assert check_run(threads, bad, run) == Accepted()
    never = [bad for number, bad in enumerate(bads) if number not in found.bad]
    assert found.complete or not never
    if never:
        assert check_states(proof(found, never, ()), Limits()) == Accepted()
    return found


def compared(seeds: Iterable[int]) -> Counter[str]:
    """All ways to search, and enumeration, on random programs."""
    counts = Counter[str]()
    for seed in seeds:
        threads, bads = question(seed)
        plain, reduced = (searched(threads, bads, effort) for effort in (PLAIN, REDUCED))
        by_levels = [searched(threads, bads, effort) for effort in (LEVELS, REDUCED_LEVELS)]
        for found, same in zip(by_levels, (plain, reduced), strict=True):
            assert set(found.bad) == set(same.bad), seed
            assert not same.complete or set(found.reached) == set(same.reached), seed
            counts["by levels"] += isinstance(found.reached, Columns)
        for number, bad in enumerate(bads):
            away = distance(threads, bad)
            assert (number in plain.bad) == (number in reduced.bad) == (away is not None), (seed, number)
            counts["refuted" if number in plain.bad else "proved"] += 1
        counts["states"] += len(plain.reached)
        counts["reduced states"] += len(reduced.reached)
    return counts
