"""Programs with any number of threads are answered as their files expect, and the certificates are accepted."""

from __future__ import annotations

import json
from itertools import takewhile
from pathlib import Path

import pytest

from sa.app.certificate import verification_certificate
from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.shape import Entry
from sa.checker.judge import judge_program
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted
from sa.checker.solvers import Z3
from sa.engines.portfolio_of_families import CONJUNCTIONS, CROWDS
from sa.engines.verify import Options

FAMILY = Path(__file__).parents[2] / "specs" / "family"
SLOW = {"readers", "monitor"}
FILES = [
    pytest.param(p, marks=pytest.mark.slow if p.stem in SLOW else (), id=p.stem) for p in sorted(FAMILY.glob("*.sa"))
]

#: The engines without those that work long on what they cannot do.
QUICK = tuple(takewhile(lambda turn: turn.engine is not CONJUNCTIONS, CROWDS))


@pytest.mark.parametrize("path", FILES)
def test_each_claim_is_answered_as_expected_and_the_certificate_is_accepted(path: Path, tmp_path: Path) -> None:
    request = VerifyRequest(str(path), False, Options(limits(60.0, None), portfolio=QUICK))
    answer = verify(request)
    expected = [f for f in answer.outcome.findings if f.claim.expect is not None]
    assert expected
    assert [f.verdict for f in expected] == [f.claim.expect for f in expected]
    document = json.loads(verification_certificate(str(tmp_path / "c.json"), request, answer))
    resources = Resources(limits(60.0, None), 0, Z3)
    judged = list(judge_program(answer.outcome.program, Entry(document["questions"][0]), resources))
    assert [j.verdict for j in judged] == [f.verdict for f in answer.outcome.findings]
    assert all(isinstance(j.ruling, Accepted) for j in judged if j.verdict is not Verdict.UNKNOWN)
