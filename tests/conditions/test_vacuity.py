"""What can never happen is warned of where a user wrote it, and nowhere else."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.conditions.vacuity import vacuity
from tests.language.texts import program_of


def _codes(text: str) -> list[str]:
    return [d.code for d in vacuity((program_of(text),), Limits())]


def test_a_statement_of_which_one_way_is_impossible_can_be_taken() -> None:
    """An atomic block is a step for each way through it; of these four, two contradict themselves."""
    text = "global x : 0..3 = 0; thread T { atomic { if (x > 1) { x := 0; } if (x > 1) { x := 3; } } x := 1; }"
    assert _codes(text) == []


def test_a_statement_of_which_no_way_is_possible_is_never_taken() -> None:
    text = "global x : 0..3 = 0; thread T { choose { atomic { assume x > 5; x := 0; } } or { skip; } }"
    assert _codes(text) == ["SA504"]


def test_a_place_that_nothing_leads_to_is_not_one_where_a_thread_waits() -> None:
    lost = "global x : int; automaton T { location a initial; location b; edge a -> a { x := 1; } }"
    assert _codes(lost) == []
    assert _codes(lost.replace("a -> a", "a -> b")) == ["SA505"]


def test_an_initial_value_that_may_be_outside_of_its_range_is_warned_of_unless_an_init_says_where_it_is() -> None:
    text = (
        "param A : int; init A >= {}; global x : 0..3 = A; global y : 0..4 = x + 1; init x != 9; thread T { x := y; }"
    )
    assert _codes(text.replace("{}", "0").replace("x != 9", "A <= 3")) == []
    assert _codes(text.replace("{}", "0")) == ["SA514"]
    assert _codes(text.replace("{}", "0").replace("x + 1", "x + 2")) == ["SA514", "SA514"]
