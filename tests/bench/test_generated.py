"""The generated pairs are what the growth measurement takes them for."""

import difflib
import random

import pytest

from bench.generated import ROUND, broken_pair, generated_pair, pieces_of


def changed(pair: tuple[str, str]) -> int:
    """How many lines of the second text are not in the first at that place."""
    source, target = (text.splitlines() for text in pair)
    return sum(line.startswith("+ ") for line in difflib.ndiff(source, target))


@pytest.mark.parametrize("n", [1, 50, 200, 1000])
def test_pieces_have_exactly_as_many_statements_as_asked_for(n: int) -> None:
    assert sum(piece.size for piece in pieces_of(n, random.Random(0))) == n


def test_size_counts_the_statements_of_a_piece() -> None:
    for make in ROUND:
        piece = make(random.Random(0))
        statements = [line for line in piece.source if line.strip().startswith(("if", "while")) or line.endswith(";")]
        assert piece.size == len(statements), make.__name__


def test_the_same_seed_gives_the_same_pair_and_another_seed_another() -> None:
    assert generated_pair(50, 3) == generated_pair(50, 3)
    assert generated_pair(50, 3) != generated_pair(50, 4)


def test_transformations_are_spread_over_the_whole_program() -> None:
    source, target = (text.splitlines() for text in generated_pair(200, 1))
    quarter = len(source) // 4
    for start in range(0, 4 * quarter, quarter):
        assert source[start : start + quarter] != target[start : start + quarter]


def test_the_broken_pair_differs_in_one_constant_where_nothing_is_transformed() -> None:
    source, target = broken_pair(3, 1)
    title_and_constant = 2
    assert changed((source, target.replace("\nexpect refuted;\n", ""))) == title_and_constant
