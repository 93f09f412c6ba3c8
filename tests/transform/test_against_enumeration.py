"""Random programs with locks: what transforms say of them is what the enumeration of all their states says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest

from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.certificates.simplified import Simplified
from sa.checker.ruling import Accepted
from sa.engines.engine import Turn
from sa.engines.judging_claims import judged
from sa.engines.normal_form import about_normal_form
from sa.engines.portfolio_of_claims import STATES
from sa.engines.reduction import by_reduction
from sa.question.asked import Asked, Excluded, Note, Settled
from sa.question.claims import claims_of
from tests.generators import counting
from tests.generators.locking import random_program
from tests.invariants.judge import distance
from tests.language.texts import program_of

BOUNDS = Limits()


def bads_of(program: Program) -> tuple[Bad, ...]:
    """All that is bad about a program."""
    return tuple(dict.fromkeys(bad for claim in claims_of(program) for bad in claim.bads))


def by_blocks(asked: Asked) -> Iterator[Settled | Note]:
    """What is excluded, and what a run leads to: enumerated block by block."""
    return by_reduction((Turn(STATES, 1.0),), asked, Budget(BOUNDS, 0), unheard)


def by_normal_form(asked: Asked) -> Iterator[Settled | Note]:
    """The same, enumerated in normal form."""
    return about_normal_form(Turn(STATES, 1.0)).engine.decide(asked, Budget(BOUNDS, 0), unheard)


def compare(
    seed: int,
    transformed: Callable[[Asked], Iterator[Settled | Note]] = by_blocks,
    text: Callable[[Random], str] = random_program,
) -> Counter[str]:
    """Whether both say the same of each bad thing, and what they say; the checker accepts the evidence."""
    program = program_of(text(Random(seed)))
    found = Counter[str]()
    for settled in transformed(Asked(program.threads, bads_of(program), program.axioms)):
        assert not isinstance(settled, Note)
        ruling = judged(program.threads, program.axioms, settled, BOUNDS, 0)
        assert isinstance(ruling, Accepted), (seed, ruling)
        for bad in settled.bads:
            excluded = isinstance(settled, Excluded)
            assert excluded == (distance(program.threads, bad) is None), (seed, bad)
            found["excluded" if excluded else "reached"] += 1
            found["simplified"] += isinstance(settled.evidence, Simplified)
    return found


def test_reduction_says_what_enumeration_says() -> None:
    """Of some dozens of programs; both answers occur."""
    found = sum((compare(seed) for seed in range(14)), Counter[str]())
    assert found["excluded"] > 5
    assert found["reached"] > 5


def test_reduction_by_what_words_count_says_what_enumeration_says() -> None:
    """The same where what excludes sections is a count of those inside."""
    found = sum((compare(seed, text=counting.random_program) for seed in range(6)), Counter[str]())
    assert min(found["excluded"], found["reached"]) > 2


@pytest.mark.parametrize("seed", [20_002, 20_066])
def test_steps_commute_by_what_is_known_of_a_third_thread(seed: int) -> None:
    """It is at one location, and its counter is in its range: sums over all threads say nothing otherwise."""
    assert compare(seed, text=counting.random_program)["excluded"]


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_reduction_by_what_words_count_says_what_enumeration_says_of_thousands(part: int) -> None:
    for seed in range(20_000 + part * 300, 20_300 + part * 300):
        compare(seed, text=counting.random_program)


def test_the_normal_form_says_what_enumeration_says() -> None:
    """Of some programs; both answers occur, and proofs about simpler threads."""
    found = sum((compare(seed, by_normal_form) for seed in range(12)), Counter[str]())
    assert min(found["excluded"], found["reached"], found["simplified"]) > 2


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_the_normal_form_says_what_enumeration_says_of_thousands(part: int) -> None:
    """The same for many seeds."""
    for seed in range(20_000 + part * 300, 20_300 + part * 300):
        compare(seed, by_normal_form)


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(20))
def test_reduction_says_what_enumeration_says_of_thousands(part: int) -> None:
    """The same for many seeds."""
    for seed in range(1_000 + part * 500, 1_500 + part * 500):
        compare(seed)


def test_blocks_that_are_equal_as_steps_and_end_in_different_failures() -> None:
    """Found at random: the run says which failure it is about."""
    assert compare(5386)["reached"] > 0
