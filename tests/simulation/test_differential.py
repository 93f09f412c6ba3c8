"""The engine against the oracle: never a wrong answer, and few without one.

Random finite goals with silent cycles, labels with values, locals on both sides, environments that are not
transitive, nondeterministic updates. The oracle decides each by enumeration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from msgspec import Struct, field

from sa.base.limits import limits
from sa.base.verdict import Unknown
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.goals import decide
from tests.generators.automata import Sample, random_goal
from tests.oracle.game import decided_at_start


class Tally(Struct):
    """What came out over many goals."""

    total: int = 0
    simulated: int = 0
    at_start: int = 0
    wrong: list[int] = field(default_factory=list)
    unchecked: list[int] = field(default_factory=list)
    goals: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


def _judge(sample: Sample, tally: Tally) -> None:
    tally.total += 1
    tally.simulated += sample.decision.simulated
    tally.at_start += decided_at_start(sample.decision)
    tally.goals.update(sample.tags)
    evidence = decide(sample.goal, limits(60.0, None)).evidence
    if isinstance(evidence, Unknown):
        tally.unknown.update({*sample.tags, "all"})
        return
    if isinstance(evidence, Relation) != sample.decision.simulated:
        tally.wrong.append(sample.seed)
    if not isinstance(check(sample.goal, evidence, limits(60.0, None)), Accepted):
        tally.unchecked.append(sample.seed)


def _tally(seeds: Iterable[int]) -> Tally:
    tally = Tally()
    for seed in seeds:
        _judge(random_goal(seed), tally)
    return tally


def _assert_right(tally: Tally) -> None:
    assert not tally.wrong, f"wrong verdicts at seeds {tally.wrong}"
    assert not tally.unchecked, f"evidence not accepted at seeds {tally.unchecked}"


def test_a_hundred_verdicts_agree_with_the_oracle_and_the_checker() -> None:
    _assert_right(_tally(range(100)))


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(10))
def test_verdicts_agree_with_the_oracle_and_the_checker(block: int) -> None:
    tally = _tally(range(500 * block, 500 * (block + 1)))
    _assert_right(tally)
    assert 0.3 <= tally.simulated / tally.total <= 0.7
    assert tally.at_start < tally.total / 2
    assert tally.unknown["all"] < 0.05 * tally.total
    for tag, count in tally.goals.items():
        assert tally.unknown[tag] <= max(2, 0.05 * count), f"too many unknown with {tag}"
