"""Random programs with locks: what reduction says of them is what the enumeration of all their states says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted
from sa.engines.engine import Turn
from sa.engines.judging_claims import judged
from sa.engines.portfolio_of_claims import STATES
from sa.engines.reduction import by_reduction
from sa.question.asked import Asked, Excluded
from sa.question.claims import claims_of
from tests.generators.locking import random_program
from tests.invariants.judge import distance
from tests.language.texts import program_of

BOUNDS = Limits()


def bads_of(program: Program) -> tuple[Bad, ...]:
    """All that is bad about a program."""
    return tuple(dict.fromkeys(bad for claim in claims_of(program) for bad in claim.bads))


def by_blocks(program: Program) -> Iterator[tuple[Bad, bool]]:
    """What is excluded, and what a run leads to: enumerated block by block, and accepted by the checker."""
    asked = Asked(program.threads, bads_of(program), program.axioms)
    for settled in by_reduction((Turn(STATES, 1.0),), asked, Budget(BOUNDS, 0), unheard):
        ruling = judged(program.threads, program.axioms, settled, BOUNDS, 0)
        assert isinstance(ruling, Accepted), ruling
        yield from ((bad, isinstance(settled, Excluded)) for bad in settled.bads)


def compare(seed: int) -> Counter[str]:
    """Whether both say the same of each bad thing, and what they say."""
    program = program_of(random_program(Random(seed)))
    found = Counter[str]()
    for bad, excluded in by_blocks(program):
        assert excluded == (distance(program.threads, bad) is None), (seed, bad)
        found["excluded" if excluded else "reached"] += 1
    return found


def test_reduction_says_what_enumeration_says() -> None:
    """Of some dozens of programs; both answers occur."""
    found = sum((compare(seed) for seed in range(20)), Counter[str]())
    assert found["excluded"] > 5
    assert found["reached"] > 5


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(20))
def test_reduction_says_what_enumeration_says_of_thousands(part: int) -> None:
    """The same for many seeds."""
    for seed in range(1_000 + part * 500, 1_500 + part * 500):
        compare(seed)


def test_blocks_that_are_equal_as_steps_and_end_in_different_failures() -> None:
    """Found at random: the run says which failure it is about."""
    assert compare(5386)["reached"] > 0
