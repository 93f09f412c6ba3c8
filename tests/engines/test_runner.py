"""The protocol of engines: whoever plugs in is believed nothing, and nobody spends what belongs to others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import inf
from time import monotonic, sleep

import pytest
from msgspec.structs import replace

import sa.engines.runner as runner
import sa.engines.verify as engines
from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, Limits, limits, spend
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.run import Bad, Ending, Run
from sa.certificates.threads import Joint
from sa.engines.engine import ClaimEngine, Prover, Refuter, Turn, answers
from sa.engines.judging import QuestionsDiffer
from sa.engines.portfolio_of_claims import CLAIMS, CONJUNCTIONS, Portfolio
from sa.engines.technique import Technique
from sa.engines.verification import Verification, tried_about
from sa.engines.verify import Options, verify
from sa.question.asked import Asked, Excluded, Refuted
from sa.question.claims import claims_of
from sa.report.help import what_may_help_claims
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.report.verify import verification_document
from tests.bounded.finding import run_into
from tests.language.texts import program_of

SoFar = Callable[[Unknown], Verification]
TWO = "global x : int = 0;\nthread T { x := 1; }\ninvariant low : x <= 1;\ninvariant none : x == 0;\n"


def called(name: str) -> Technique:
    """A technique that is of no interest but for its name."""
    return Technique(name, "")


def shown(made: Verification) -> str:
    """The answer with all that there is to say of what is unknown."""
    return show_document(verification_document(made), Screen(100))


def liar(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Says of everything that no state is ever reached."""
    yield Excluded(asked.bads, Joint(asked.threads, (), asked.bads, asked.axioms), "belief")


def slanderer(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """Shows the run of another claim, or one that ends before anything happens."""
    for bad in asked.bads:
        for other in reversed(asked.bads):
            run = run_into(asked.threads, other)
            if run is not None:
                yield Refuted(bad, run, "hearsay")
                yield Refuted(bad, Run(run.start, (), Ending.VIOLATED), "hearsay")


def stranger(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Proves the claims of threads that do nothing."""
    idle = tuple(replace(t, edges=()) for t in asked.threads)
    (found,) = BOXES.decide(replace(asked, threads=idle), budget, report)
    assert isinstance(found, Excluded)
    yield found


def sleeper(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Uses up all the work that it gets."""
    while True:
        spend(budget.bounds, 1000)
    yield


BOXES = CLAIMS[0].engine
LIES: tuple[ClaimEngine, ...] = (
    Prover(called("liar"), {}, liar),
    Refuter(called("slanderer"), {}, slanderer),
    Prover(called("stranger"), {}, stranger),
)


def ask(portfolio: Portfolio, bounds: Limits | None = None) -> Verification:
    return verify(program_of(TWO), Options(bounds or Limits(), portfolio=portfolio))


def said(made: Verification) -> list[str]:
    return [f.verdict.value for f in made.findings]


@pytest.mark.parametrize("engine", LIES, ids=lambda e: e.name)
def test_wrong_evidence_is_caught_and_others_are_asked(engine: ClaimEngine) -> None:
    alone = ask((Turn(engine, 1.0),))
    assert said(alone)[0] == "UNKNOWN" and said(alone)[1] in ("UNKNOWN", "REFUTED")
    assert {f.unknown.reason for f in alone.findings if f.unknown} == {Reason.CHECKER}
    assert said(ask((Turn(engine, 1.0), *CLAIMS))) == ["PROVED", "REFUTED"]


def test_an_engine_that_wastes_its_share_leaves_the_others_theirs() -> None:
    started = monotonic()
    made = ask((Turn(Prover(called("sleeper"), {}, sleeper), 0.1), *CLAIMS), limits(5.0, None))
    assert said(made) == ["PROVED", "REFUTED"]
    assert [t.ended for t in made.tried if t.engine == "sleeper"] == [Reason.WORK]
    assert monotonic() - started < 5.0


@pytest.mark.parametrize("dead", range(len(CLAIMS)), ids=lambda n: CLAIMS[n].engine.name)
def test_the_others_answers_stand_when_an_engine_is_out_of_time(dead: int) -> None:
    """Each engine in turn ends before it begins."""

    def broken(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
        raise LimitReached(Reason.WORK)
        yield

    portfolio = list(CLAIMS)
    portfolio[dead] = Turn(Refuter(called("broken"), {}, broken), 0.1)
    assert said(ask(tuple(portfolio), limits(60.0, None))) == ["PROVED", "REFUTED"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_else_is_bad_about_a_refuted_claim_is_not_asked_about(jobs: int) -> None:
    """Several steps may break the guarantee; a run to one of them is the answer."""
    text = "global x : int = 0; thread T { guarantee x' <= 1; x := 2; while (true) { x := x + 1; } }"

    def one(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
        assert len(asked.bads) > 1
        for bad in asked.bads:
            if (run := run_into(asked.threads, bad)) is not None:
                yield Refuted(bad, run, "a run")
        pytest.fail("asked for more")

    def slow(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        """Works for a minute at least: another process asks it at once."""
        while True:
            sleep(0.05)
            spend(budget.bounds, 1000)
        yield

    portfolio = (Turn(Refuter(called("one"), {}, one), 1.0), Turn(Prover(called("slow"), {}, slow), 1.0))
    made = verify(program_of(text), Options(limits(60.0, None), portfolio=portfolio, jobs=jobs))
    assert said(made) == ["REFUTED"]
    assert "slow" not in [t.engine for t in made.tried]


def test_what_an_engine_can_say_is_in_its_type() -> None:
    assert [answers(e) for e in LIES] == [(Verdict.PROVED,), (Verdict.REFUTED,), (Verdict.PROVED,)]


def test_claims_that_forget_what_is_bad_are_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engines.claims_of
    monkeypatch.setattr(engines, "claims_of", lambda program: tuple(replace(c, bads=()) for c in made(program)))
    with pytest.raises(QuestionsDiffer):
        ask(CLAIMS)


def test_what_was_tried_is_told_with_how_far_it_came() -> None:
    """Of the claim that is open: who was asked, and what it said last."""
    program = program_of("global x : int = 0; thread T { while (true) { x := x + 1; } } invariant small : x < 1000000;")
    made = verify(program, Options(Limits(), portfolio=(CLAIMS[0],)))
    (tried,) = tried_about(made, made.findings[0].claim)
    assert tried.engine == "explicit-state"
    assert tried.last is not None
    assert tried.last.counts["states"] > 1_000
    assert re.search(r"What was tried:\n +explicit-state +[\d.]+ s  [\d,]+ states", shown(made))
    assert "ranges for `x`" in (what_may_help_claims(made) or "")


def test_an_engine_says_that_a_program_is_too_large_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of joint locations there are more than it looks at."""
    monkeypatch.setattr("sa.invariants.joint_conjunctions.JOINT", 3)
    text = "global x : int = 0; thread T { havoc x; } thread U { skip; } invariant small : x < 5;"
    made = verify(program_of(text), Options(Limits(), portfolio=tuple(t for t in CLAIMS if t.engine is CONJUNCTIONS)))
    assert "joint locations are too many" in shown(made)


def test_a_long_search_does_not_keep_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not end soon is asked again when all others have been asked."""
    monkeypatch.setattr(runner, "ROUNDS", (200_000, inf))
    order = list[str]()

    def slow(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        order.append("slow")
        while budget.bounds.end != inf:
            spend(budget.bounds, 1000)
        return
        yield

    def quick(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        order.append("quick")
        return
        yield

    portfolio: Portfolio = (
        Turn(Prover(called("slow"), {}, slow), 1.0),
        Turn(Prover(called("quick"), {}, quick), 1.0),
    )
    made = verify(program_of(TWO), Options(Limits(), portfolio=portfolio))
    assert order == ["slow", "quick", "slow"]
    assert [(t.engine, t.ended) for t in made.tried] == [("slow", Reason.WORK), ("quick", None), ("slow", None)]


def test_the_phase_at_which_a_limit_was_reached_is_counted() -> None:
    """And the engine that was asked then is among those that were tried."""
    told = list[Verification]()

    def stopped(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        begun = monotonic()
        while monotonic() - begun < 0.3:
            pass
        told.append(so_far[0](Unknown(Reason.MEMORY)))
        return
        yield

    so_far: list[SoFar] = []
    options = Options(Limits(), portfolio=(Turn(Prover(called("stopped"), {}, stopped), 1.0),))
    verify(program_of(TWO), options, so_far.append)
    assert told[0].seconds["search"] >= 0.3
    assert [(t.engine, t.ended) for t in told[0].tried] == [("stopped", Reason.MEMORY)]


def test_an_engine_whose_formulas_get_too_deep_gives_up_and_the_next_one_is_asked() -> None:
    def deep(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        yield from deep(asked, budget, report)

    made = verify(program_of(TWO), Options(Limits(), portfolio=(Turn(Prover(called("deep"), {}, deep), 1.0), *CLAIMS)))
    assert made.tried[0].engine == "deep" and made.tried[0].ended is Reason.BOUND
    assert all(finding.verdict is not Verdict.UNKNOWN for finding in made.findings)


def _idle(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Works until its share is used up."""
    while True:
        spend(budget.bounds, 1000)
    yield


def test_once_a_claim_is_refuted_the_others_have_as_much_work_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "AFTER_A_RUN", 300_000)
    honest = Refuter(called("honest"), {}, lambda a, b, r: (Refuted(x, y, "") for x in a.bads if (y := _run_of(a, x))))
    portfolio = (Turn(honest, 1.0), Turn(Prover(called("idle"), {}, _idle), 1.0))
    begun = monotonic()
    made = verify(program_of(TWO), Options(limits(60.0, None), portfolio=portfolio))
    assert monotonic() - begun < 10.0
    assert [f.verdict for f in made.findings] == [Verdict.UNKNOWN, Verdict.REFUTED]
    assert any("after the first violation" in note for note in made.notes)


def test_a_limit_of_the_translation_that_is_reached_leaves_the_others_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runner, "AFTER_A_RUN", 0.1)
    program = program_of(TWO)
    claim = next(c for c in claims_of(program) if c.name.endswith("none"))
    honest = Refuter(called("honest"), {}, lambda a, b, r: (Refuted(x, y, "") for x in a.bads if (y := _run_of(a, x))))
    limited = replace(program, bounds=(claim.origin,))
    made = verify(limited, Options(limits(60.0, None), portfolio=(Turn(honest, 1.0),)))
    assert not any("after the first violation" in note for note in made.notes)


def _run_of(asked: Asked, bad: Bad) -> Run | None:
    return run_into(asked.threads, bad)
