"""`sacheck verify` on classic algorithms: proved from plain threads, and siblings with one wrong line refuted.

A verdict means that the independent checker accepted the evidence: `app.verify` gives none without.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.subjects import SPECS
from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options as VerifyOptions

FILES = tuple(sorted((SPECS / "mutex").glob("*.sa")))
BROKEN = "-broken"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_algorithm_has_the_verdict_that_it_expects(path: Path) -> None:
    outcome = verify(VerifyRequest(str(path), False, VerifyOptions(limits(120.0, None)))).outcome
    assert outcome.findings
    assert outcome.verdict is outcome.expected is (Verdict.REFUTED if BROKEN in path.stem else Verdict.PROVED)


def test_every_algorithm_has_a_sibling_with_one_wrong_line() -> None:
    proved = [p for p in FILES if BROKEN not in p.stem]
    assert [p for p in FILES if p not in proved] == [p.with_stem(p.stem + BROKEN) for p in proved]
    for path in proved:
        right, wrong = (_code(p) for p in (path, path.with_stem(path.stem + BROKEN)))
        assert 1 <= len(set(right) ^ set(wrong)) <= 2, path


def test_nobody_is_given_hints() -> None:
    for path in FILES:
        assert not {"rely", "inv", "env", "automaton", "assume"} & set(path.read_text().replace("{", " ").split()), path


def _code(path: Path) -> list[str]:
    lines = (line.partition("//")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("expect")]
