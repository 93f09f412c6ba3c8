"""Every verdict of specs/ has a certificate that both solvers accept, and judging them takes less than deciding."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.certify import Choice
from sa.checker.judgement import Judgement, worst
from sa.checker.ruling import Accepted
from sa.smt.cvc5_session import is_installed
from tests.certificates.subjects import Subject, judged, proved, subjects

ALL = tuple(subjects())
#: One of every sort of evidence that is quick to find.
SAMPLE = {
    "paper/branch-elimination",
    "paper/constant-folding/broken-environment",
    "paper/gcd",
    "closed/dead-code-elimination",
    "closed/constant-folding",
    "tutorial/05-a-lock",
    "tutorial/05-a-lock/forgotten",
    "mutex/peterson.sa",
    "mutex/peterson-broken.sa",
}
SECOND = Choice.BOTH if is_installed() else Choice.Z3


def accepted(made: Judgement) -> None:
    assert worst(made) == Accepted()
    # GCD's axioms have quantifiers: there the second solver may have no answer.
    assert not made.open_questions or made.document.files[-1:] == ("conc.sa",)


@pytest.mark.parametrize("subject", [s for s in ALL if s.name in SAMPLE], ids=lambda s: s.name)
def test_a_verdict_comes_with_a_certificate_that_is_accepted(subject: Subject, tmp_path: Path) -> None:
    verdict, _ = proved(subject, tmp_path / "c.json")
    assert verdict in ("PROVED", "REFUTED")
    accepted(judged(subject, tmp_path / "c.json", SECOND))


def test_the_sample_is_part_of_the_specs() -> None:
    assert {s.name for s in ALL} >= SAMPLE


@pytest.mark.fuzz
def test_all_verdicts_come_with_certificates_that_are_accepted_faster_than_they_are_found(tmp_path: Path) -> None:
    deciding = judging = 0.0
    for subject in ALL:
        path = tmp_path / "c.json"
        verdict, seconds = proved(subject, path)
        assert verdict in ("PROVED", "REFUTED"), subject.name
        accepted(judged(subject, path, SECOND))
        deciding += seconds
        judging += judged(subject, path, Choice.Z3).seconds
    assert judging < deciding
