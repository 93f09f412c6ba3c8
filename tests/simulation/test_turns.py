"""Loops of the abstract side that are seen only at their end: an answer makes as many turns as it needs."""

from __future__ import annotations

import pytest

from tests.simulation.examples import answer

COUNT = "local k : int = 0; while (*) {{ k := k + {}; }} @a(k) skip;"
ANY = "local j : int = 0; havoc j; assume j >= 0; "


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        (COUNT.format(1), ANY + "@a(j) skip;"),
        (COUNT.format(2), ANY + "@a(4 * j) skip;"),
        (COUNT.format(2), COUNT.format(4)),
        (
            "local k : int = 0; while (*) { choose { k := k + 2; } or { k := k - 2; } } @a(k) skip;",
            "local j : int = 0; havoc j; @a(2 * j) skip;",
        ),
    ],
)
def test_as_many_turns_as_the_label_asks_for(abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete) == "proved"


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        ("local k : int = 0; havoc k; assume k >= 0; @a(k) skip;", COUNT.format(1)),
        ("local k : int = 0; havoc k; @a(2 * k) skip;", COUNT.format(2)),
    ],
)
def test_the_other_way_round_a_choice_answers_a_loop(abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete) == "proved"


LOOP = "local i, s, n : int = 0; havoc n; assume n >= 0; while (i < n) { i := i + 1; s := s + 3; } "


def test_a_loop_with_a_bound_makes_its_turns_at_once() -> None:
    assert answer(LOOP + "@a(s) skip;", "local n : int = 0; havoc n; assume n >= 0; @a(3 * n) skip;") == "proved"
    assert answer(LOOP + "@a(i) skip;", "local n : int = 0; havoc n; assume n >= 0; @a(n) skip;") == "proved"


def test_a_store_in_a_loop_is_promoted_to_its_end() -> None:
    shared = "global x, n : int;"
    local = "rely unchanged x, n; local i, k : int = 0; "
    abstract = local + "while (i < n) { x := x + 1; i := i + 1; }"
    concrete = local + "k := x; while (i < n) { k := k + 1; i := i + 1; } x := k;"
    assert answer(abstract, concrete, shared) == "proved"


def test_what_a_turn_finds_is_what_the_turn_before_left() -> None:
    abstract = "local i, z : int = 0; while (i < 9) { z := i; i := i + 1; } @a(z) skip;"
    assert answer(abstract, "@a(8) skip;") == "proved"


def test_a_turn_answers_a_turn_where_the_counters_stand_for_other_variables_too() -> None:
    begin = "local n, s, k : int = 0; havoc n; assume n >= 0; k := n; s := 0; "
    tests_above = begin + "while (k > 0) { s := s + k; k := k - 1; } @r(s) skip;"
    leaves = begin + "skip; while (true) { if (k == 0) { break; } s := k + s; k := k - 1; } @r(s) skip;"
    assert answer(tests_above, leaves) == "proved"
