"""Atomic blocks: one step, enabled only if it can run to its end."""

from __future__ import annotations

import pytest

from tests.language.texts import arrows, thread_of

G = "global x, y : int = 0; global b : bool = false; "


def steps(body: str) -> list[str]:
    """The edges of an atomic block with this body."""
    return arrows(thread_of(G + f"thread T {{ atomic {{ {body} }} }}"))[:-1]


def test_later_statements_see_what_earlier_ones_wrote() -> None:
    assert steps("x := 1; y := x + 1; x := x + y;") == ["q0 -> q1 { x, y := 3, 2 }"]


def test_ifs_are_merged_so_that_many_of_them_are_one_edge() -> None:
    body = "".join(f"if (x == {i}) {{ y := {i}; }} " for i in range(50))
    assert len(steps(body)) == 1


def test_both_branches_of_an_if_meet_in_a_conditional_value() -> None:
    assert steps("if (b) { x := 1; } else { x := 2; y := 3; }") == [
        "q0 -> q1 { x, y := if b then 1 else 2, if b then y else 3 }"
    ]


def test_an_assumption_is_about_the_values_at_its_place_and_strengthens_the_guard() -> None:
    assert steps("x := x + 1; assume x > 5;") == ["q0 -> q1 when x >= 5 { x := x + 1 }"]


def test_an_assumption_in_a_branch_counts_where_the_branch_is_taken() -> None:
    assert steps("if (b) { assume x > 5; }") == ["q0 -> q1 when x >= 6 || !b"]


def test_what_cannot_run_to_its_end_is_no_edge() -> None:
    assert steps("x := 1; assume x > 5;") == []


def test_each_branch_of_a_choice_is_an_edge() -> None:
    assert steps("choose { x := 1; } or { x := 2; } y := x;") == [
        "q0 -> q1 { x, y := 1, 1 }",
        "q0 -> q1 { x, y := 2, 2 }",
    ]


def test_branches_with_labels_stay_apart() -> None:
    assert steps("if (b) { @a x := 1; } else { x := 2; }") == [
        "q0 -> q1 @a when b { x := 1 }",
        "q0 -> q1 when !b { x := 2 }",
    ]


def test_a_label_inside_shows_the_values_at_its_place() -> None:
    assert steps("x := x + 1; @print(x) x := 0;") == ["q0 -> q1 @print(x + 1) { x := 0 }"]


def test_a_failure_inside_is_a_failure_of_the_step_where_it_is_reached() -> None:
    assert steps("assume b; x := x + 1; assert x > 0; assume y > 0;") == [
        "q0 -> q1 when x >= 0 && y >= 1 && b { x := x + 1 }",
        "q0 -> fail @fail when x <= -1 && b",
    ]


def test_a_failure_in_a_branch_is_one_under_its_condition() -> None:
    assert "q0 -> fail @fail when x <= 0 && b" in steps("if (b) { assert x > 0; }")


def test_a_range_is_checked_with_the_values_at_its_place() -> None:
    thread = thread_of("global r : 0..3; thread T { atomic { if (r < 3) { r := r + 1; } } }")
    assert "fail" not in {e.target for e in thread.edges}


def test_a_local_inside_exists_during_the_step_only() -> None:
    thread = thread_of(G + "thread T { atomic { local t : int = x; x := y; y := t; } }")
    assert arrows(thread)[0] == "q0 -> q1 { x, y := y, x }"
    assert "t" not in {v.var.name for v in thread.variables}


def test_a_local_without_a_value_is_a_choice_of_the_step() -> None:
    thread = thread_of(G + "thread T { atomic { local t : 0..3; x := t; y := t; } }")
    step = thread.edges[0]
    assert [c.var.name for c in step.choices] == ["t?1"]
    assert {t for _, t in step.updates} == {step.choices[0].var}


def test_await_is_an_assumption_with_a_body() -> None:
    thread = thread_of(G + "thread T { @go await x > 0 { x := x - 1; } }")
    assert arrows(thread)[0] == "q0 -> q1 @go when x >= 1 { x := x - 1 }"


def test_a_free_choice_is_two_edges() -> None:
    assert steps("if (*) { x := 1; }") == ["q0 -> q1 { x := 1 }", "q0 -> q1"]


def test_a_label_in_a_branch_is_shown_by_the_outcome_that_takes_it_only() -> None:
    labels = [(edge.split(" when ")[0], "@got" in edge) for edge in steps("b := x == 0; if (b) { @got skip; }")]
    assert labels == [("q0 -> q1 @got", True), ("q0 -> q1", False)]


@pytest.mark.parametrize(
    "text",
    [
        "local n?1 : int; assume n?1 == 7; havoc n; y := n?1;",
        "havoc n; local n?1 : int; y := n?1;",
        "for i in 0..1 { local n?1 : int; if (i == 0) { n := n?1; } else { y := n?1; } }",
    ],
)
def test_choices_of_one_step_are_different_ones(text: str) -> None:
    (edge,) = [e for e in thread_of(f"global n, y : int = 5; thread T {{ atomic {{ {text} }} }}").edges if e.choices]
    first, second = (dict(edge.updates)[v] for v in sorted(dict(edge.updates), key=lambda v: v.name))
    assert len(edge.choices) == 2 and first is not second


def test_havoc_of_an_element_fails_where_its_index_does() -> None:
    text = "global a, b : int[3] = 0; global x : int = 7; thread T { havoc a[0 * b[x]]; }"
    assert any(e.failure is not None for e in thread_of(text).edges)
