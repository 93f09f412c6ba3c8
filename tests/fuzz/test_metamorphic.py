"""Answers that are tied to each other; more of them with `python -m tests.fuzz.metamorphic`."""

from __future__ import annotations

from random import Random

import pytest

from sa.base.verdict import Verdict
from tests.fuzz.metamorphic import LAWS, REFLEXIVITY, Law, Tally, random_pair, try_laws


@pytest.mark.parametrize(
    "seeds",
    [range(5), pytest.param(range(10_000, 10_060), marks=[pytest.mark.slow, pytest.mark.fuzz])],
)
def test_no_law_is_broken(seeds: range) -> None:
    tally = Tally()
    for seed in seeds:
        try_laws(seed, tally)
    assert not tally.broken
    assert {Verdict.PROVED, Verdict.REFUTED} <= set(tally.verdicts)
    assert tally.tried[REFLEXIVITY] == len(seeds)
    assert sum(tally.lost.values()) <= 0.05 * sum(tally.tried.values())


@pytest.mark.parametrize("law", LAWS[:-1], ids=lambda law: law.name)
def test_laws_change_what_they_say(law: Law) -> None:
    """A law that changes nothing cannot be broken."""
    pairs = [random_pair(seed) for seed in range(40)]
    changed = [(pair, law.change(Random(1), pair)) for pair in pairs]
    assert any(after is not None and after.texts() != pair.texts() for pair, after in changed)
