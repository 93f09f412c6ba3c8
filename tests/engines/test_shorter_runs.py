"""A run that the checker has accepted stands, whatever becomes of the attempt to shorten it."""

from __future__ import annotations

import pytest

from sa.base.limits import LimitReached, Limits
from sa.base.verdict import Reason
from sa.certificates.run import Run
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.engines.runner import Ruled
from sa.engines.shorter_runs import shorter
from sa.question.asked import Asked, Refuted, Settled
from tests.transform.test_shorten import NOISE, SHORT, question, random_run


def found() -> tuple[Asked, Ruled]:
    """A long run that was accepted."""
    threads, bad = question(NOISE % "await x == 1; x := 2; x := 0; assert x == 1;")
    run = next(run for seed in range(50) if (run := random_run(threads, bad, seed)) and len(run.turns) > SHORT)
    return Asked(threads, (bad,), ()), Ruled("walks", Refuted(bad, run, ""), Accepted(), 0.0)


def test_a_shorter_run_takes_the_place_of_an_accepted_one() -> None:
    asked, ruled = found()
    short = shorter(asked, ruled, lambda _: Accepted(), Limits()).settled.evidence
    assert isinstance(short, Run)
    assert isinstance(ruled.settled.evidence, Run)
    assert len(short.turns) < len(ruled.settled.evidence.turns)


def test_a_shorter_run_that_is_rejected_is_not_shown() -> None:
    asked, ruled = found()
    assert shorter(asked, ruled, lambda _: Rejected("step", "it is none"), Limits()) is ruled


@pytest.mark.parametrize("reason", [Reason.TIMEOUT, Reason.WORK, Reason.MEMORY])
def test_a_limit_in_between_loses_no_answer(reason: Reason) -> None:
    asked, ruled = found()

    def judge(_: Settled) -> Ruling:
        raise LimitReached(reason)

    assert shorter(asked, ruled, judge, Limits()) is ruled
