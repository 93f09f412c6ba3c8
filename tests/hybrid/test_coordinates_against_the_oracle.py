"""Remainders and differences as control: what is proved on random programs is what enumeration does not refute.

Numbers grow for ever, so the judge looks at those states that are reached within a range.
Figures: results_coordinates.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from sa.automata.automaton import Automaton
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.checker.claims import Claimed, claimed
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import COORDINATES, Portfolio
from sa.engines.verify import Options, verify
from tests.generators.growing import growing_program
from tests.invariants.judge import distance
from tests.language.texts import program_of
from tests.oracle.explicit import restrict

#: Seconds for one program. What is not decided by then is UNKNOWN, as it should be.
TIMEOUT = 4.0

#: The values within which the judge looks, and about how many states it looks at.
RANGE, STATES = (-3, 9), 3_000

ENGINES: Portfolio = (Turn(COORDINATES, 1.0),)


def judge(seeds: Iterable[int], engines: Portfolio = ENGINES) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How many claims were answered how, with those that are said to hold and do not."""
    counted, wrong = Counter[str](), list[tuple[int, str]]()
    for seed in seeds:
        program = program_of(growing_program(Random(seed)))
        confined = tuple(restrict(t, *RANGE) for t in program.threads)
        outcome = verify(program, Options(limits(TIMEOUT, None), portfolio=engines))
        for claim, finding in zip(claimed(program), outcome.findings, strict=True):
            counted[finding.verdict.value] += 1
            assert finding.verdict is not Verdict.REFUTED
            if finding.verdict is Verdict.PROVED and violated(claim, confined):
                wrong.append((seed, claim.what))
    return counted, wrong


def violated(claim: Claimed, confined: tuple[Automaton, ...]) -> bool:
    """Whether the claim is false in some state that the judge looks at."""
    return any(distance(confined, bad, STATES) is not None for bad in claim.bads)


def test_what_is_proved_of_remainders_and_differences_holds() -> None:
    counted, wrong = judge(range(3))
    assert not wrong
    assert counted["PROVED"] and counted["UNKNOWN"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_of_remainders_and_differences_holds_of_many_programs(first: int) -> None:
    assert not judge(range(first, first + 500))[1]
