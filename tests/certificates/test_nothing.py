"""Nothing is no evidence, and a certificate of nothing is not accepted."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sa.app.certificate import verification_certificate
from sa.app.verify import VerifyRequest, verify
from sa.base.diagnostic import InputError
from sa.base.limits import Limits
from sa.checker.ruling import Accepted, Undecided
from sa.engines.verify import Options as VerifyOptions
from tests.certificates.test_rejected import LOCKED, PAIR, _refined, ruling
from tests.fuzz.certificates import holders

#: Lists and objects in which something must be.
NEEDED = {"questions", "goals", "claims", "proofs", "runs", "pairs", "threads", "positions", "files", "sources"}


def _verified(folder: Path, text: str) -> Any:
    (folder / "p.sa").write_text(text)
    request = VerifyRequest(str(folder / "p.sa"), False, VerifyOptions(Limits(), 0))
    return json.loads(verification_certificate(str(folder / "c.json"), request, verify(request)))


@pytest.mark.parametrize("name", ["composed", "refuted", "locked", "overtaken"])
def test_no_evidence_is_no_proof(tmp_path: Path, name: str) -> None:
    if name in ("locked", "overtaken"):
        text = LOCKED if name == "locked" else LOCKED.replace("await !busy { busy := true; }", "await !busy;")
        document = _verified(tmp_path, text)
    else:
        document = _refined(tmp_path, PAIR[0], PAIR[1].replace("t := x", "t := x" if name == "composed" else "t := 0"))
    assert ruling(tmp_path, document) == Accepted()
    tried = 0
    for where, key in list(holders(document)):
        if key in NEEDED and where[key]:
            kept, where[key] = where[key], type(where[key])()
            # Some of them are no certificates at all.
            with suppress(InputError):
                assert not isinstance(ruling(tmp_path, document), Accepted), key
            where[key] = kept
            tried += 1
    assert tried >= 4


def test_a_certificate_of_nothing_settles_nothing(tmp_path: Path) -> None:
    document = _verified(tmp_path, "global x : int = 0;\nthread A { x := 1; }\n")
    assert ruling(tmp_path, document) == Undecided("verdict", "nothing is claimed")
