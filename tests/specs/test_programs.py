"""Small programs and their broken twins: locks, buffers, counters, and what else threads do with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.engines.verify import Options

FOLDER = Path(__file__).parents[2] / "specs" / "programs"

#: Those that take more than a second.
SLOW = {"any-number-of-seqlock", "bakery-unbounded", "bank", "maxreg", "refcount", "seqlock-2", "stack-array"}
FILES = [
    pytest.param(p, marks=pytest.mark.slow if p.stem in SLOW else (), id=p.stem) for p in sorted(FOLDER.glob("*.sa"))
]


@pytest.mark.parametrize("path", FILES)
def test_a_program_is_answered_as_it_expects(path: Path) -> None:
    answer = verify(VerifyRequest(str(path), False, Options(limits(120.0, None))))
    assert answer.outcome.expected is not None
    assert answer.outcome.verdict is answer.outcome.expected
