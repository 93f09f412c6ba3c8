"""Sequential C means what gcc says that it means."""

from __future__ import annotations

import pytest

from tests.frontends.c.sequential import COMPILER, run

pytestmark = pytest.mark.skipif(COMPILER is None, reason="gcc is not installed")


@pytest.mark.parametrize(
    ("count", "seed"),
    [(8, 0), pytest.param(30, 1, marks=pytest.mark.fuzz), pytest.param(10_000, 2, marks=pytest.mark.fuzz)],
)
def test_random_functions_end_with_the_values_that_gcc_computes(count: int, seed: int) -> None:
    tally, wrong = run(count, seed)
    assert wrong == []
    assert tally["agrees"] > count * 0.7
