"""Random questions about families of any number: what is proved holds with 0 to 3 copies, by enumeration.

The judge enumerates ordinary programs with so many copies. What is refuted fails there with as many as the play has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from sa.question.goals import goals
from tests.endtoend.asking import read
from tests.generators.family_pairs import FamilyPair, random_family_pair
from tests.oracle.explicit import restrict_goal
from tests.oracle.game import decide

#: Seconds for one question. What is not decided by then is UNKNOWN, as it should be.
TIMEOUT = 5.0

#: Values that the programs do not leave.
RANGE = (-5, 9)


#: Pairs of joint locations up to which games are enumerated.
MOST = 20_000


def holds(pair: FamilyPair, counts: tuple[int, ...]) -> bool | None:
    """Whether the claim is true with so many copies; None where that takes too long to find out."""
    (goal,) = goals(*read(*pair.with_copies(counts)), whole=True)
    if len(goal.concrete.locations) * len(goal.abstract.locations) > MOST:
        return None
    return decide(restrict_goal(goal, *RANGE)).simulated


def instances(pair: FamilyPair, most: int) -> tuple[tuple[int, ...], ...]:
    """Numbers of copies: up to `most` of one family, of two families three copies in all."""
    if len(pair.families) == 1:
        return tuple((n,) for n in range(most + 1))
    return ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1))


def judge(seeds: Iterable[int], most: int) -> tuple[Counter[str], list[int]]:
    """How many questions were answered how, and which wrongly; with `most` copies at most."""
    counted, wrong = Counter[str](), list[int]()
    for seed in seeds:
        pair = random_family_pair(seed)
        outcome = refine(*read(*pair.texts()), Options(limits(TIMEOUT, None)))
        counted[outcome.verdict.value] += 1
        if _is_wrong(pair, outcome, most):
            wrong.append(seed)
    return counted, wrong


def _is_wrong(pair: FamilyPair, outcome: Outcome, most: int) -> bool:
    match outcome.verdict:
        case Verdict.PROVED:
            return any(holds(pair, counts) is False for counts in instances(pair, most))
        case Verdict.REFUTED:
            return holds(pair, outcome.copies) is True
        case _:
            return False


def test_what_is_proved_holds_with_up_to_two_copies() -> None:
    counted, wrong = judge(range(8), 2)
    assert not wrong
    assert counted["PROVED"] and counted["REFUTED"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_holds_with_up_to_three_copies(first: int) -> None:
    assert not judge(range(first, first + 200), 3)[1]
