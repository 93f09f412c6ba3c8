"""Programs of `specs/cooperative`, right and broken ones, are answered as they expect, with evidence that stands."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from sa.app.certificate import verification_certificate
from sa.app.certify import CertifyRequest, certify
from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.checker.judgement import status_of
from sa.checker.second import Choice
from sa.engines.verify import Options

FILES = sorted((Path(__file__).parents[2] / "specs" / "cooperative").glob("*.sa"))


@pytest.mark.fuzz
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_is_answered_as_it_expects_and_the_evidence_stands(path: Path, tmp_path: Path) -> None:
    copy(path, tmp_path)
    request = VerifyRequest(str(tmp_path / path.name), False, Options(limits(60.0, None)))
    answer = verify(request)
    assert answer.outcome.expected is not None
    assert answer.outcome.verdict is answer.outcome.expected
    written = tmp_path / "proof.json"
    written.write_text(verification_certificate(str(written), request, answer))
    assert status_of(certify(CertifyRequest(str(written), None, Choice.Z3, False, limits(60.0, None)))) == 0
