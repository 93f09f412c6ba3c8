"""What is learned from runs proves what many threads keep together; what it proves of random programs is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.ruling import Accepted
from sa.invariants.learned import by_runs
from sa.question.asked import Asked
from tests.generators.steering import steering_program
from tests.invariants.judge import distance
from tests.language.texts import program_of
from tests.oracle.explicit import restrict

#: Values that the programs do not leave when they are enumerated, and states that are enumerated at most.
RANGE, STATES = (-2, 4), 20_000


def bads_of(program: Program) -> tuple[Bad, ...]:
    """That no assertion fails, and each claim."""
    return (Bad(Failing(), None), *(Bad(None, i.formula) for i in program.invariants))


def proved(program: Program) -> tuple[Bad, ...]:
    """What is excluded, after the checker has accepted it."""
    done = list[Bad]()
    for found in by_runs(Asked(program.threads, bads_of(program), program.axioms), Budget(Limits()), unheard):
        assert isinstance(found.evidence, Lemmas)
        assert check_lemmas(found.evidence, Limits()) == Accepted()
        done += found.bads
    return tuple(done)


def compared(seeds: Iterable[int]) -> Counter[str]:
    """What is proved of random programs is true of them where their numbers are few, by enumeration."""
    counts = Counter[str]()
    for seed in seeds:
        program = program_of(steering_program(Random(seed)))
        excluded = proved(program)
        confined = tuple(restrict(t, *RANGE) for t in program.threads)
        for bad in bads_of(program):
            away = distance(confined, bad, STATES)
            assert away is None or bad not in excluded, seed
            counts["proved" if bad in excluded else "violated" if away is not None else "open"] += 1
    return counts
