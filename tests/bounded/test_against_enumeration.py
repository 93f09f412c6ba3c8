"""The engine and an enumeration agree on the number of rounds in which something bad is reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from sa.automata.automaton import Automaton
from sa.bounded.search import Coverage, Reached
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from tests.bounded.judging import Irreducible, TooMany, found_in, rounds_needed, small_question
from tests.invariants.judge import random_question

WAYS = ((8, True), (8, False), (None, True))
MOST = 3


def compared(questions: Iterable[tuple[tuple[Automaton, ...], Bad]]) -> Counter[str]:
    """How many questions were bad within the bounds in how many rounds, and how many not; each asked in all ways."""
    counts = Counter[str]()
    for number, (threads, bad) in enumerate(questions):
        unwind = number % 3
        try:
            expected = rounds_needed(threads, bad, MOST, unwind)
        except (TooMany, Irreducible) as problem:
            counts[type(problem).__name__] += 1
            continue
        counts["good" if expected is None else f"round {expected}"] += 1
        for width, canonical in WAYS:
            said = found_in(threads, bad, MOST, unwind, width, canonical)
            if expected is None:
                assert not isinstance(said, Reached), (number, width, canonical)
                assert said is None or (isinstance(said, Coverage) and (said.complete or said.rounds == MOST)), number
            else:
                assert isinstance(said, Reached), (number, expected, width, canonical)
                assert said.rounds == expected, (number, expected, width, canonical)
                assert isinstance(check_run(threads, bad, said.run), Accepted), number
    return counts


def test_programs_need_as_many_rounds_as_enumeration_says() -> None:
    counts = compared(random_question(seed) for seed in range(20))
    assert counts["good"] > 1
    assert counts["round 1"] > 1


def test_small_threads_need_as_many_rounds_as_enumeration_says() -> None:
    counts = compared(map(small_question, range(40)))
    assert min(counts[what] for what in ("good", "round 1", "round 2")) > 1


def test_a_value_that_bounds_determine_is_not_that_of_a_step_that_is_not_taken() -> None:
    threads, bad = small_question(4338)
    for width, canonical in WAYS:
        said = found_in(threads, bad, MOST, 2, width, canonical)
        assert isinstance(said, Reached) and said.rounds == rounds_needed(threads, bad, MOST, 2) == 1


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_many_programs_need_as_many_rounds_as_enumeration_says(part: int) -> None:
    counts = compared(random_question(1000 + 250 * part + seed) for seed in range(250))
    assert counts["good"] > 50
    counts = compared(small_question(1000 + 1000 * part + seed) for seed in range(1000))
    assert min(counts[what] for what in ("good", "round 1", "round 2", "round 3")) > 0
