"""Sections that are steps, and their broken twins: as their files expect, step by step too where the case says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.reduction import SUBJECTS, Subject, text
from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import REDUCTION
from sa.engines.verify import Options
from sa.engines.verify import verify as decide
from tests.language.texts import program_of

FILES = sorted((Path(__file__).parents[2] / "specs" / "reduction").glob("*.sa"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_spec_gets_the_verdict_that_it_expects(path: Path) -> None:
    outcome = verify(VerifyRequest(str(path), False, Options(limits(60.0, None)))).outcome
    assert outcome.expected is not None, "the spec expects nothing"
    assert outcome.verdict is outcome.expected


def test_every_spec_has_a_broken_twin() -> None:
    names = {path.stem for path in FILES}
    assert {f"{name}-broken" for name in names if not name.endswith("-broken")} <= names


@pytest.mark.parametrize("subject", [s for s in SUBJECTS if s.name in ("P1-1", "P1-10")], ids=lambda s: s.name)
def test_the_programs_of_the_table_are_proved_by_reduction_alone_and_wrong_ends_are_refuted(subject: Subject) -> None:
    right, wrong = text(subject), text(subject, "x == 3 * X + 3")
    options = Options(limits(60.0, None), portfolio=(Turn(REDUCTION, 1.0),))
    assert decide(program_of(right), options).verdict is Verdict.PROVED
    assert decide(program_of(wrong), options).verdict is Verdict.REFUTED


def test_a_reduction_that_takes_more_than_its_share_is_made_in_a_later_round() -> None:
    subject = next(s for s in SUBJECTS if s.name == "P1-10")
    assert decide(program_of(text(subject)), Options(limits(60.0, None))).verdict is Verdict.PROVED
