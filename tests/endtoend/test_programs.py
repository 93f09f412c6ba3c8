"""From texts to verdicts: the tool against the oracle on random programs and changed copies of them.

The oracle decides by enumeration the same goals that the tool is asked about; that these say what the texts
mean is tested in `tests/refinement`, and in `tests/oracle` that automata do what texts say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Reason, Verdict
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from sa.question.goals import goals
from tests.endtoend.asking import read
from tests.generators.refinements import Question, random_question
from tests.oracle.game import Decision, decide, decided_at_start

#: Seconds for the tool to answer one question.
TIMEOUT = 10.0


class Tally(Struct):
    """What came out over many goals; UNKNOWN by reason, and by what is in the question."""

    total: int = 0
    simulated: int = 0
    at_start: int = 0
    refused: int = 0
    pairwise: int = 0
    wrong: list[tuple[int, str]] = field(default_factory=list)
    reasons: Counter[Reason] = field(default_factory=Counter)
    goals: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


def _judge(question: Question, tally: Tally) -> None:
    abstract, concrete, block = read(question.abstract, question.concrete)
    decisions = [decide(goal) for goal in goals(abstract, concrete, block, whole=False)]
    try:
        outcome = refine(abstract, concrete, block, Options(limits(TIMEOUT, None)))
    except InputError as refused:
        refusal = refused
    else:
        _compare(question, decisions, outcome, tally)
        return
    # The only mistake that the generator makes is a precondition that nobody satisfies.
    assert {d.code for d in refusal.diagnostics} == {"SA407"}, question
    assert not any(decision.opening for decision in decisions), question
    tally.refused += 1


def _compare(question: Question, decisions: list[Decision], outcome: Outcome, tally: Tally) -> None:
    if outcome.composition is not None:
        # Shown pair by pair, asked of the programs as a whole.
        outcome = replace(outcome, results=(replace(outcome.results[0], verdict=outcome.verdict),))
        tally.pairwise += 1
    for decision, result in zip(decisions, outcome.results, strict=True):
        tally.total += 1
        tally.simulated += decision.simulated
        tally.at_start += decided_at_start(decision)
        tally.goals.update(question.tags)
        if result.unknown is not None:
            tally.unknown.update({*question.tags, "all"})
            tally.reasons[result.unknown.reason] += 1
        elif (result.verdict is Verdict.PROVED) != decision.simulated:
            tally.wrong.append((question.seed, result.goal.name))


def _tally(seeds: Iterable[int]) -> Tally:
    tally = Tally()
    for seed in seeds:
        _judge(random_question(seed), tally)
    return tally


def test_thirty_questions_are_answered_as_the_oracle_answers_them() -> None:
    tally = _tally(range(30))
    assert not tally.wrong
    assert 0 < tally.simulated < tally.total


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(4))
def test_questions_are_answered_as_the_oracle_answers_them(block: int) -> None:
    tally = _tally(range(1_000 + 100 * block, 1_100 + 100 * block))
    assert not tally.wrong
    assert 0.3 <= tally.simulated / tally.total <= 0.7
    assert tally.at_start < 0.6 * tally.total
    assert tally.reasons[Reason.CHECKER] == 0
    assert tally.unknown["all"] <= 0.05 * tally.total, tally.reasons
