"""Random pairs over all integers: evidence is accepted, and few pairs are left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.generators.choosing import random_pair
from tests.simulation.examples import answer


def _answers(seeds: Iterable[int]) -> Counter[str]:
    return Counter(answer(*random_pair(seed), "global x : int = 0;") for seed in seeds)


def test_thirty_pairs_have_accepted_evidence() -> None:
    assert _answers(range(30))["unknown"] <= 1


@pytest.mark.fuzz
def test_two_in_a_hundred_pairs_at_most_are_left_open() -> None:
    found = _answers(range(1000, 2000))
    assert found["unknown"] <= 20
    assert min(found["proved"], found["refuted"]) > 200
