"""Fusing changes nothing that a claim speaks of."""

from __future__ import annotations

import pytest

from tests.frontends.c.concurrent import COMPILER, run

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler is installed")


@pytest.mark.parametrize(
    ("count", "seed"),
    [(10, 0), pytest.param(100, 1, marks=pytest.mark.fuzz), pytest.param(5_000, 2, marks=pytest.mark.fuzz)],
)
def test_random_programs_fail_where_they_do_with_each_elementary_step_alone(count: int, seed: int) -> None:
    tally, wrong = run(count, seed)
    assert wrong == []
    assert tally["agrees, fails"] > count * 0.2
