"""The families of cooperative programs: the smallest of each is right, and its broken twin is not."""

import pytest

from bench.cooperative import FAMILIES, PAPER
from sa.base.limits import Limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options, verify
from tests.language.texts import program_of


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("more", [0, 1])
def test_the_claim_holds_and_the_broken_one_does_not(name: str, more: int) -> None:
    make, sizes = FAMILIES[name]
    wanted = Verdict.REFUTED if more else Verdict.PROVED
    assert verify(program_of(make(sizes[0], more)), Options(Limits())).verdict is wanted


def test_the_paper_has_figures_of_sizes_that_are_measured() -> None:
    assert all(set(PAPER[name]) <= set(FAMILIES[name][1]) for name in PAPER)
