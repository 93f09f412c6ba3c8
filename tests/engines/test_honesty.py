"""No failure of a part ever becomes an answer: each part is broken on purpose, and the verdict is looked at."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from sa.base.limits import LimitReached, Limits, limits
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.relation import Relation
from sa.checker import composition
from sa.checker.check import Accepted, check
from sa.checker.ruling import Rejected, Undecided
from sa.engines import results
from sa.engines.goals import decide
from sa.engines.options import Options
from sa.engines.outcome import combined
from sa.engines.refine import refine
from sa.language.load import load_program
from sa.smt import session
from tests.generators.automata import random_goal

SPECS = Path(__file__).parents[2] / "specs"


def _verdict(folder: str, seconds: float | None = None) -> Verdict:
    abstract, concrete = (load_program(str(SPECS / folder / name)).program for name in ("abs.sa", "conc.sa"))
    return refine(abstract, concrete, None, Options(limits(seconds, None))).verdict


FOLDERS = ("paper/strength-reduction", "paper/strength-reduction/broken-step", "closed/cross-jumping")


@pytest.fixture(params=FOLDERS)
def folder(request: pytest.FixtureRequest) -> str:
    assert _verdict(request.param) is not Verdict.UNKNOWN
    return str(request.param)


@pytest.mark.parametrize("ruling", [Rejected("o", "w", "h"), Undecided("o", "w", "h")])
def test_what_the_checker_does_not_accept_is_unknown(monkeypatch: pytest.MonkeyPatch, folder: str, ruling: Any) -> None:
    monkeypatch.setattr(results, "check", lambda *_: ruling)
    monkeypatch.setattr(composition, "check_composition", lambda *_: ruling)
    assert _verdict(folder, 3.0) is Verdict.UNKNOWN


def test_a_limit_during_the_check_is_unknown(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    def stop(*_: Any) -> Any:
        raise LimitReached(Reason.TIMEOUT)

    monkeypatch.setattr(results, "check", stop)
    monkeypatch.setattr(composition, "check_composition", stop)
    assert _verdict(folder, 3.0) is Verdict.UNKNOWN


def test_a_solver_that_never_answers_settles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.Session, "_ask", lambda *_: session.Undecided("on purpose"))
    for seed in range(8):
        goal = random_goal(seed).goal
        evidence = decide(goal, Limits()).evidence
        if not isinstance(evidence, Unknown):
            monkeypatch.undo()
            assert isinstance(check(goal, evidence, Limits()), Accepted), seed
            monkeypatch.setattr(session.Session, "_ask", lambda *_: session.Undecided("on purpose"))


@pytest.mark.parametrize(
    ("rate", "goals"),
    [(0.05, 20), (0.3, 20), *(pytest.param(rate, 400, marks=pytest.mark.fuzz) for rate in (0.05, 0.3))],
)
def test_a_solver_that_often_gives_up_never_makes_a_wrong_verdict(
    monkeypatch: pytest.MonkeyPatch, rate: float, goals: int
) -> None:
    rng, asked = Random(1), session.Session._ask

    def unreliable(self: Any, *rest: Any) -> Any:
        return session.Undecided("on purpose") if rng.random() < rate else asked(self, *rest)

    monkeypatch.setattr(session.Session, "_ask", unreliable)
    given_up = 0
    for seed in range(goals):
        sample = random_goal(seed)
        evidence = decide(sample.goal, limits(30.0, None)).evidence
        ruling = None if isinstance(evidence, Unknown) else check(sample.goal, evidence, Limits())
        if isinstance(ruling, Accepted):
            assert isinstance(evidence, Relation) == sample.decision.simulated, seed
        else:
            given_up += 1
    assert given_up


def test_no_goals_are_no_proof() -> None:
    assert combined(()) is Verdict.UNKNOWN
