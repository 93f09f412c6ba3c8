"""Sums of terms that are not affine, such as elements and values of functions, are compared as they grow."""

from __future__ import annotations

import pytest

from tests.simulation.examples import answer

LOOP = "local i, s : int = 0; while (i < n) {{ s := s + {}; i := i + 1; }} @result({}) skip;"

#: What is shared, and what is added in each round.
ADDED = [
    ("param n : int; function f(int) : int;", "f(i)"),
    ("param n : int; global a : int[*];", "a[i]"),
    ("param n, k : int;", "k * i"),
    ("param n : int;", "i / 3"),
]


@pytest.mark.parametrize(("shared", "term"), ADDED)
def test_a_factor_moves_out_of_a_loop(shared: str, term: str) -> None:
    assert answer(LOOP.format(f"4 * ({term})", "s"), LOOP.format(term, "4 * s"), shared) == "proved"


def test_another_factor_is_another_sum() -> None:
    shared = "param n : int; global a : int[*];"
    assert answer(LOOP.format("4 * a[i]", "s"), LOOP.format("a[i]", "3 * s"), shared) == "refuted"


def test_a_loop_that_sums_up_two_arrays_is_split() -> None:
    shared = "param n : int; global a, b : int[*];"
    one = "local i, s : int = 0; while (i < n) { s := s + a[i] - b[i]; i := i + 1; } @result(s) skip;"
    two = "local i, s, t : int = 0; while (i < n) { s := s + a[i]; t := t + b[i]; i := i + 1; } @result(s - t) skip;"
    assert answer(one, two, shared) == "proved"
