"""Choices among all integers that a label, ι or what follows determines."""

from __future__ import annotations

import pytest

from tests.simulation.examples import answer

ANY = "local k : int = 0; havoc k; "
OTHER = "local j : int = 0; havoc j; "
BELOW = "local k, l : int = 0; havoc k; havoc l; assume k < l; "


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        (ANY + "@a(k) skip;", "@a(3) skip;"),
        (ANY + "@a(k) skip;", OTHER + "@a(2 * j) skip;"),
        (ANY + "@a(k) skip;", OTHER + "@a(j + 1) skip;"),
        (ANY + "@a(2 * k) skip;", OTHER + "assume j % 2 == 0; @a(j) skip;"),
        (ANY + "@a(3 * k + 1) skip;", OTHER + "@a(6 * j - 5) skip;"),
        (BELOW + "@a(k, l) skip;", OTHER + "@a(j, j + 3) skip;"),
    ],
)
def test_what_a_label_shows_determines_the_choice(abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete) == "proved"


def test_what_iota_relates_determines_the_choice() -> None:
    assert answer(ANY + "x := x + 2 * k;", "x := x + 6;", "global x : int = 0;") == "proved"


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        (ANY + "assume k > 0; @a(k) skip;", ANY + "assume k > 0; @a(k + 1) skip;"),
        (ANY + "assume k > 0; @a(k) skip;", OTHER + "assume j >= 0; @a(j + 1) skip;"),
        (ANY + "@b skip; @a(k) skip;", OTHER + "@b skip; @a(j) skip;"),
        (BELOW + "@a(k) skip; @b(l) skip;", OTHER + "@a(j) skip; @b(j + 3) skip;"),
    ],
)
def test_what_follows_determines_the_choice(abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete) == "proved"


def test_a_choice_that_nothing_determines_is_any_that_is_allowed() -> None:
    shared = "global x : int = 0;"
    assert answer("local k : int = 0; atomic { havoc k; assume k > 0; x := x + k; }", "x := x + 1;", shared) == "proved"
    assert answer(BELOW + "@a(k) skip;", "@a(3) skip;") == "proved"
