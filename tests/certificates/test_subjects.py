"""Every verdict of specs/ has a certificate that both solvers accept, and judging them takes less than deciding."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.certify import Choice
from sa.base.verdict import Verdict
from sa.checker.judgement import Judgement
from sa.checker.ruling import Accepted
from sa.smt.cvc5_session import is_installed
from tests.certificates.subjects import Subject, judged, proved, subjects

ALL = tuple(subjects())
#: One of every sort of evidence that is quick to find.
SAMPLE = {
    "paper/branch-elimination",
    "paper/constant-folding/broken-environment",
    "closed/dead-code-elimination",
    "closed/constant-folding",
    "tutorial/05-a-lock",
    "tutorial/05-a-lock/forgotten",
    "mutex/peterson.sa",
    "mutex/peterson-broken.sa",
    "proofs/gcd.sa",
    "proofs/helping.sa",
    "proofs/rejected/an-axiom-is-missing.sa",
    "proofs/rejected/theorem-1-local-invariant.sa",
    "proofs/rejected/theorem-2-as-printed.sa",
    "proofs/rejected/theorem-3-as-printed.sa",
    "proofs/rejected/theorem-5-as-printed.sa",
}
SECOND = Choice.BOTH if is_installed() else Choice.Z3


def accepted(subject: Subject, made: Judgement) -> None:
    """Everything that is said to be proved or refuted is; of the rest, which only scripts have, nothing is said."""
    assert made.fault is None
    assert made.judged
    for one in made.judged:
        open_step = subject.command == "prove" and one.verdict is Verdict.UNKNOWN
        assert one.ruling == (None if open_step else Accepted()), one
    # GCD's axioms have quantifiers: there the second solver may have no answer.
    assert not made.open_questions or "gcd" in subject.name


@pytest.mark.parametrize("subject", [s for s in ALL if s.name in SAMPLE], ids=lambda s: s.name)
def test_a_verdict_comes_with_a_certificate_that_is_accepted(subject: Subject, tmp_path: Path) -> None:
    verdict, _ = proved(subject, tmp_path / "c.json")
    assert subject.command == "prove" or verdict in ("PROVED", "REFUTED")
    accepted(subject, judged(subject, tmp_path / "c.json", SECOND))


def test_the_sample_is_part_of_the_specs() -> None:
    assert {s.name for s in ALL} >= SAMPLE


@pytest.mark.fuzz
def test_all_verdicts_come_with_certificates_that_are_accepted_faster_than_they_are_found(tmp_path: Path) -> None:
    deciding = judging = 0.0
    for subject in ALL:
        path = tmp_path / "c.json"
        verdict, seconds = proved(subject, path)
        assert subject.command == "prove" or verdict in ("PROVED", "REFUTED"), subject.name
        accepted(subject, judged(subject, path, SECOND))
        deciding += seconds
        judging += judged(subject, path, Choice.Z3).seconds
    assert judging < deciding
