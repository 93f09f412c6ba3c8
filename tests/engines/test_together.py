"""Engines in several processes: the same answers as in one, and nothing is lost when a process dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from time import monotonic, sleep

import pytest

from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, Limits, check_limits, limits
from sa.base.verdict import Reason
from sa.engines.engine import ClaimEngine, Decider, Prover, Refuter, Turn
from sa.engines.portfolio_of_claims import CLAIMS, Portfolio
from sa.engines.portfolio_of_families import CROWDS
from sa.engines.technique import Technique
from sa.engines.verification import Verification
from sa.engines.verify import Options, verify
from sa.processes.streams import Over, Said, side_by_side
from sa.question.asked import Asked, Excluded, Refuted
from tests.language.texts import program_of

THREE = """
global x, y : int = 0;
thread T { while (true) { x := x + 2; } }
thread U { while (y < 5) { y := y + 1; } assert y == 5; }
invariant even : x % 2 == 0;
invariant small : x < 7;
"""

FAMILY = """
global owner : int = 0;
thread T[i : *] { await owner == 0 { owner := i; } CS: skip; owner := 0; }
invariant mutex : forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS);
invariant nobody : forall i : T :: !(at T[i].CS);
"""


def called(name: str) -> Technique:
    """A technique that is of no interest but for its name."""
    return Technique(name, "")


def ask(text: str, jobs: int, portfolio: Portfolio = CLAIMS, bounds: Limits | None = None) -> Verification:
    made = verify(program_of(text), Options(bounds or Limits(), portfolio=portfolio, jobs=jobs))
    assert not multiprocessing.active_children()
    return made


def said(made: Verification) -> list[str]:
    return [f.verdict.value for f in made.findings]


def dying(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Ends its process, as a system does that is out of memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    yield


def telling(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """What the first engine finds; then its process dies."""
    first = CLAIMS[0].engine
    assert isinstance(first, Decider)
    for found in first.decide(asked, budget, report):
        if isinstance(found, Excluded | Refuted):
            yield found
    os.kill(os.getpid(), signal.SIGKILL)


def sleeper(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """Never ends by itself, and obeys nobody."""
    sleep(600)
    yield


@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.parametrize("text", [THREE, FAMILY], ids=["threads", "family"])
def test_answers_are_those_of_one_process(text: str, jobs: int) -> None:
    assert said(ask(text, jobs)) == said(ask(text, 1))


def test_what_a_process_found_stays_when_it_dies() -> None:
    """The first engine kills whoever asks it, after it has refuted a claim."""
    portfolio = (Turn(Decider(called("telling"), {}, telling), 1.0),)
    made = ask(THREE, 2, portfolio)
    assert "REFUTED" in said(made) and "UNKNOWN" in said(made)
    reasons = {f.unknown.reason for f in made.findings if f.unknown is not None}
    assert reasons == {Reason.MEMORY}


def test_others_go_on_when_a_process_dies() -> None:
    """Every process asks all engines, each in another order: one of them comes to the good ones first."""
    portfolio = (Turn(Prover(called("dying"), {}, dying), 0.1), *CLAIMS)
    assert said(ask(THREE, 2, portfolio)) == said(ask(THREE, 1))


def test_nobody_waits_for_an_engine_once_all_is_settled() -> None:
    started = monotonic()
    portfolio: Portfolio = (Turn(Refuter(called("sleeper"), {}, sleeper), 0.1), *CLAIMS)
    assert said(ask(THREE, 2, portfolio)) == said(ask(THREE, 1))
    assert monotonic() - started < 60.0


def test_all_is_tried_that_one_process_tries() -> None:
    """Where nothing settles a claim, each engine was asked about it."""
    engines: list[ClaimEngine] = [turn.engine for turn in CLAIMS[1:3]]
    made = ask(
        "global x : int = 0; thread T { havoc x; } invariant i : x == 0;", 2, tuple(Turn(e, 1.0) for e in engines)
    )
    assert said(made) == ["UNKNOWN"]
    assert {t.engine for t in made.tried} == {e.name for e in engines}


def test_time_is_limited_for_all() -> None:
    def wasting(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        report(Event("wasting"))
        while True:
            check_limits(budget.bounds)
        yield

    started = monotonic()
    made = ask(THREE, 2, (Turn(Prover(called("wasting"), {}, wasting), 1.0),), limits(0.5, None))
    assert {f.unknown.reason for f in made.findings if f.unknown is not None} == {Reason.TIMEOUT}
    assert monotonic() - started < 30.0


def test_families_may_be_asked_about_too() -> None:
    assert said(ask(FAMILY, 2, CROWDS)) == ["PROVED", "REFUTED"]


def test_streams_end_with_their_reasons() -> None:
    def limited(say: object) -> None:
        raise LimitReached(Reason.TIMEOUT)

    found = list(side_by_side([lambda say: say(1), limited], None, ()))
    assert sorted((f.stream, f.result) for f in found if isinstance(f, Said)) == [(0, 1)]
    assert {f.stream: f.reason for f in found if isinstance(f, Over)} == {0: None, 1: Reason.TIMEOUT}


def test_a_bug_in_a_stream_is_told() -> None:
    def broken(say: object) -> None:
        raise KeyError("x")

    (over,) = side_by_side([broken], None, ())
    assert isinstance(over, Over)
    with pytest.raises(RuntimeError, match="KeyError"):
        over.heed()
    assert not multiprocessing.active_children()


def test_a_bug_that_one_process_would_not_come_to_costs_no_answer() -> None:
    """Engines further on are asked at once; alone they would not have been asked."""

    def broken(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        raise KeyError("x")
        yield

    late: Portfolio = (
        *CLAIMS,
        *(Turn(Prover(called(f"broken {n}"), {}, broken), 0.1) for n in range(len(CLAIMS))),
    )
    assert said(ask(THREE, 2, late)) == said(ask(THREE, 1))
    with pytest.raises(RuntimeError, match="KeyError"):
        ask(THREE, 2, (Turn(Prover(called("broken"), {}, broken), 0.1), *CLAIMS))
