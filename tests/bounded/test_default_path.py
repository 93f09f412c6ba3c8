"""What the engine says, with bounds and without, against an enumeration of all states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.bounded.bounded_model_checking import by_rounds
from sa.bounded.wanted import Wanted
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.question.asked import Asked, Excluded, Note, Refuted
from tests.bounded.judging import small_question
from tests.invariants.judge import distance, random_question


def compared(wanted: Wanted, questions: Iterable[tuple[tuple[Automaton, ...], Bad]], seconds: float) -> Counter[str]:
    """What the engine says of questions; runs are accepted, and what is proved or covered is never bad."""
    counts = Counter[str]()
    for number, (threads, bad) in enumerate(questions):
        said, is_bad = list[Excluded | Refuted | Note](), distance(threads, bad) is not None
        try:
            asked = Asked(threads, (bad,), ())
            said += by_rounds(wanted, asked, Budget(limits(seconds, None)), unheard)
        except LimitReached:
            counts["limit"] += 1
        for answer in said:
            match answer:
                case Refuted():
                    assert is_bad, number
                    assert isinstance(check_run(threads, bad, answer.evidence), Accepted), number  # type: ignore[arg-type]
                    counts["refuted"] += 1
                case Excluded():
                    assert not is_bad, number
                    counts["proved"] += 1
                case Note(words):
                    assert not (is_bad and words.startswith("all runs")), number
                    counts["missed" if is_bad else "nothing found"] += 1
    return counts


def test_what_is_said_of_small_programs_is_true() -> None:
    counts = compared(Wanted(2, 1), map(small_question, range(30_000, 30_030)), 20)
    assert counts["refuted"] > 10 and counts["proved"] > 1


@pytest.mark.fuzz
def test_what_is_said_of_many_programs_is_true() -> None:
    compared(Wanted(), map(small_question, range(30_000, 33_000)), 60)
    compared(Wanted(), map(random_question, range(30_000, 31_000)), 60)
