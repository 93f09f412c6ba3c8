"""Commands on inputs that nobody would write; more of them with `python -m tests.fuzz.inputs`."""

from __future__ import annotations

import pytest

from tests.fuzz.inputs import fuzz


@pytest.mark.parametrize(
    "seeds", [range(120), pytest.param(range(1_000_000, 1_005_000), marks=[pytest.mark.slow, pytest.mark.fuzz])]
)
def test_every_input_ends_with_an_answer_or_coded_errors(seeds: range) -> None:
    tally = fuzz(seeds)
    assert not tally.wrong
    assert {status for _, status in tally.counts} >= {0, 1, 2}
    assert sum(tally.certificates.values()) > 0.1 * len(seeds)
    assert set(tally.certificates) >= {0, 1, 2}
