"""Refinements with any number of copies are answered as their files expect, and the certificates are accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sa.app.certificate import refinement_certificate
from sa.app.refine import RefineRequest, refine
from sa.base.limits import limits
from sa.certificates.shape import Entry
from sa.checker.family_question import asked_of
from sa.checker.judge import judge_refinement
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted
from sa.checker.solvers import Z3
from sa.engines.options import Options

FOLDER = Path(__file__).parents[2] / "specs" / "family" / "refine"
ASKING = [p for p in sorted(FOLDER.glob("*/*.sa")) if not p.stem.endswith("abs")]

#: A quick share; the others take longer.
QUICK = {"cas", "torn", "lock-late", "eliminated", "no-version", "flag-last", "checked-twice"}
FILES = [
    pytest.param(p, marks=() if p.stem in QUICK else pytest.mark.slow, id=f"{p.parent.name}-{p.stem}") for p in ASKING
]


@pytest.mark.parametrize("path", FILES)
def test_each_question_is_answered_as_expected_and_the_certificate_is_accepted(path: Path, tmp_path: Path) -> None:
    request = RefineRequest((str(path),), False, Options(limits(200.0, None)))
    answers = list(refine(request))
    assert [a.outcome.verdict for a in answers] == [a.outcome.expected for a in answers]
    document = json.loads(refinement_certificate(str(tmp_path / "c.json"), request, answers))
    for answer, entry in zip(answers, document["questions"], strict=True):
        asked = asked_of(answer.question.abstract, answer.question.concrete, answer.question.block, False)
        judged = list(judge_refinement(asked, Entry(entry), Resources(limits(200.0, None), 0, Z3)))
        assert judged and all(isinstance(j.ruling, Accepted) for j in judged)
