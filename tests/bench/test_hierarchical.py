"""The thesis' families: each bound is the least one, as far as environments of threads can tell."""

import pytest

from bench.hierarchical import FAMILIES
from tests.invariants.test_environments import bads, excluded
from tests.language.texts import program_of


@pytest.mark.parametrize("name", [n for n in FAMILIES if n != "ring"])
@pytest.mark.parametrize("less", [0, 1])
def test_the_bound_is_kept_and_the_broken_one_is_not(name: str, less: int) -> None:
    program = program_of(FAMILIES[name][0](2, less))
    assert (excluded(program.threads, bads(program)) == bads(program)) is (less == 0)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_largest_program_has_as_many_threads_as_the_table_says(name: str) -> None:
    make, sizes = FAMILIES[name]
    assert len(program_of(make(sizes[-1], 0)).threads) == sizes[-1]
