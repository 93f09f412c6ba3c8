"""Refutations where Duplicator has infinitely many answers: choices among all integers, silent loops."""

from __future__ import annotations

import pytest

from tests.simulation.examples import answer

ANY = "local k : int = 0; havoc k; "
OTHER = "local j : int = 0; havoc j; "
BELOW = "local k, l : int = 0; havoc k; havoc l; assume k < l; "


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        (ANY + "@a(2 * k) skip;", OTHER + "@a(j) skip;"),
        (ANY + "@a(2 * k + 1) skip;", OTHER + "@a(4 * j) skip;"),
        (ANY + "assume k > 0; @a(k) skip;", ANY + "assume k >= 0; @a(k) skip;"),
        (BELOW + "@a(k, l) skip;", OTHER + "@a(j, j) skip;"),
    ],
)
def test_no_choice_shows_what_is_asked_for(abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete) == "refuted"


def test_a_choice_that_must_be_made_too_early_is_answered_by_another_value() -> None:
    assert answer(ANY + "@b skip; @a(k) skip;", "local j : int = 0; @b skip; havoc j; @a(j) skip;") == "refuted"


COUNT = "local k : int = 0; while (*) {{ k := k + {}; }} @a(k) skip;"


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        (COUNT.format(1), "@a(-1) skip;"),
        (COUNT.format(2), "@a(3) skip;"),
        (COUNT.format(2), OTHER + "assume j >= 0; @a(j) skip;"),
        ("local k : int = 0; while (*) { choose { k := k + 2; } or { k := k - 2; } } @a(k) skip;", "@a(7) skip;"),
        ("local k : int = 0; while (*) { havoc k; assume k > 3; } @a(k) skip;", "@a(2) skip;"),
        (ANY + "assume k < 0; @a(k) skip;", COUNT.format(1)),
    ],
)
def test_no_number_of_turns_leads_to_what_is_asked_for(abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete) == "refuted"
