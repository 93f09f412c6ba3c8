"""The eager schema and the engine's agree with the enumeration on whether something bad is reached within bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from bench.eager import is_bad_within
from sa.base.limits import Limits
from sa.bounded.search import task
from sa.explicit.system import system
from tests.bounded.judging import Irreducible, TooMany, rounds_needed, small_question

MOST = 3


def compared(seeds: Iterable[int]) -> Counter[int | None]:
    """How many questions need how many rounds."""
    counts = Counter[int | None]()
    for seed in seeds:
        threads, bad = small_question(seed)
        unwind = seed % 3
        try:
            expected = rounds_needed(threads, bad, MOST, unwind)
        except (TooMany, Irreducible):
            continue
        s = system(threads, (bad,))
        dags = task(s, unwind, exactly=True).dags
        for rounds in range(1, MOST + 1):
            said, _ = is_bad_within(s, dags, rounds, 8, Limits())
            assert said == (expected is not None and expected <= rounds), (seed, rounds)
        counts[expected] += 1
    return counts


def test_guessed_rounds_need_as_many_as_enumeration_says() -> None:
    counts = compared(range(60))
    assert min(counts[what] for what in (None, 1, 2)) > 3


@pytest.mark.fuzz
def test_of_many_questions_too() -> None:
    compared(range(10_000, 15_000))
