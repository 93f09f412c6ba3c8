"""What statements mean: one statement, one edge, in the order of the text."""

from __future__ import annotations

import pytest

from sa.automata.automaton import Kind
from sa.terms.evaluate import evaluate
from sa.terms.printer import show
from tests.language.texts import arrows, complaints, program_of, thread_of

G = "global x, y : int = 0; global b : bool = false; "


def edges(body: str) -> list[str]:
    """The edges of a thread with this body, over x, y : int and b : bool."""
    return arrows(thread_of(G + f"thread T {{ {body} }}"))


def test_statements_follow_each_other_and_the_end_is_a_visible_exit() -> None:
    assert edges("x := 1; y := x + 1;") == ["q0 -> q1 { x := 1 }", "q1 -> q2 { y := x + 1 }", "q2 -> exit @exit"]


def test_a_thread_without_statements_exits_at_once() -> None:
    assert edges("") == ["q0 -> exit @exit"]


def test_a_simultaneous_assignment_reads_the_state_before() -> None:
    assert edges("x, y := y, x;")[0] == "q0 -> q1 { x, y := y, x }"


def test_each_outcome_of_a_test_is_a_silent_step() -> None:
    assert edges("if (x > 0) { y := 1; }") == [
        "q0 -> q1 when x >= 1",
        "q0 -> q2 when x <= 0",
        "q1 -> q2 { y := 1 }",
        "q2 -> exit @exit",
    ]


def test_else_if_tests_in_order() -> None:
    assert edges("if (x > 0) { skip; } else if (b) { skip; } else { skip; }")[:5] == [
        "q0 -> q1 when x >= 1",
        "q0 -> q2 when x <= 0",
        "q1 -> q5",
        "q2 -> q3 when b",
        "q2 -> q4 when !b",
    ]


def test_a_star_chooses_freely() -> None:
    assert edges("if (*) { x := 1; }")[:2] == ["q0 -> q1", "q0 -> q2"]


def test_a_loop_leads_back_to_its_test_and_a_thread_that_never_ends_has_no_exit() -> None:
    assert edges("while (true) { x := x + 1; }") == ["q0 -> q1", "q1 -> q0 { x := x + 1 }"]


def test_break_and_continue_and_return_are_no_steps() -> None:
    body = "while (x > 0) { if (x == 1) { break; } if (x == 2) { continue; } if (x == 3) { return; } x := 0; } y := 1;"
    assert edges(body) == [
        "q0 -> q1 when x >= 1",
        "q0 -> q5 when x <= 0",
        "q1 -> q5 when x == 1",
        "q1 -> q2 when x != 1",
        "q2 -> q0 when x == 2",
        "q2 -> q3 when x != 2",
        "q3 -> q6 when x == 3",
        "q3 -> q4 when x != 3",
        "q4 -> q0 { x := 0 }",
        "q5 -> q6 { y := 1 }",
        "q6 -> exit @exit",
    ]


def test_the_first_step_of_a_branch_decides() -> None:
    assert edges("choose { x := 1; y := 1; } or { x := 2; }")[:3] == [
        "q0 -> q1 { x := 1 }",
        "q0 -> q2 { x := 2 }",
        "q1 -> q2 { y := 1 }",
    ]


def test_a_loop_in_a_branch_does_not_lead_back_to_the_choice() -> None:
    assert edges("choose { while (b) { x := 1; } } or { x := 2; }")[:5] == [
        "q0 -> q2 when b",
        "q0 -> q3 when !b",
        "q0 -> q3 { x := 2 }",
        "q1 -> q2 when b",
        "q1 -> q3 when !b",
    ]


def test_an_empty_branch_is_a_silent_step() -> None:
    assert edges("choose { } or { x := 2; }")[:2] == ["q0 -> q1", "q0 -> q1 { x := 2 }"]


def test_a_name_is_that_of_the_location_before_the_statement() -> None:
    assert edges("x := 1; CS: y := 1;")[:2] == ["q0 -> CS { x := 1 }", "CS -> q2 { y := 1 }"]


def test_a_label_shows_values_read_before_the_step() -> None:
    assert edges("@print(x + 1) x := 5;")[0] == "q0 -> q1 @print(x + 1) { x := 5 }"


def test_a_label_may_be_a_reserved_word() -> None:
    assert edges("@lock x := 1; @print(y) skip;")[:2] == ["q0 -> q1 @lock { x := 1 }", "q1 -> q2 @print(y)"]


def test_a_failed_assertion_is_a_visible_step_to_an_error_location() -> None:
    assert edges("assert x > 0;")[:2] == ["q0 -> q1 when x >= 1", "q0 -> fail @fail when x <= 0"]


def test_a_value_outside_of_a_range_fails_and_one_that_cannot_be_outside_does_not() -> None:
    thread = thread_of("global r : 0..3 = 0; thread T { r := r + 1; r := 3 - r; }")
    assert arrows(thread)[:3] == [
        "q0 -> q1 when r <= 2 { r := r + 1 }",
        "q0 -> fail @fail when r >= 3",
        "q1 -> q2 { r := -r + 3 }",
    ]


def test_an_array_is_its_elements_and_an_index_outside_of_it_fails() -> None:
    thread = thread_of("global f : int[2]; global i : int; thread T { f[i] := 7; }")
    assert [str(v.var.name) for v in thread.variables] == ["f[0]", "f[1]", "i"]
    step, failure, _ = thread.edges
    assert [show(t) for _, t in step.updates] == ["if i == 0 then 7 else f[0]", "if i == 1 then 7 else f[1]"]
    assert failure.target == "fail"


def test_a_test_that_always_goes_wrong_still_fails() -> None:
    thread = thread_of("global i : int = 0; global a : int[2]; thread T { if (a[i] == a[i + 2]) { skip; } }")
    assert {e.target for e in thread.edges if e.source == thread.initial} == {"fail"}


def test_an_index_outside_of_an_array_is_a_failing_step_where_it_depends_on_the_member() -> None:
    family = "global f : int[2] = 0; thread T[i : 0..1] { "
    program = program_of(family + "if (i < 1) { f[i + 1] := 1; } else { f[0] := f[i + 1]; } }")
    assert [any(e.failure for e in t.edges) for t in program.threads] == [False, True]
    assert complaints(family + "f[2] := 1; }") == [("SA319", "f[2]")]
    unrolled = program_of("global f : int[2] = 0; thread T { atomic { for k in 0..2 { if (k < 2) { f[k] := k; } } } }")
    assert not any(e.failure for e in unrolled.threads[0].edges)


def test_a_guarded_index_is_read_only_where_the_guard_holds() -> None:
    thread = thread_of("global f : bool[2]; global i : int; thread T { assume 0 <= i && i < 2 && f[i]; }")
    assert "fail" not in {e.target for e in thread.edges}


def test_havoc_is_a_choice_within_the_declared_range() -> None:
    thread = thread_of("global r : 0..3; thread T { havoc r; }")
    step = thread.edges[0]
    (choice,) = step.choices
    assert (choice.var.name, choice.low, choice.high) == ("r?1", 0, 3)
    assert step.updates == ((thread.variables[0].var, choice.var),)


def test_cas_and_fetch_add_are_one_step() -> None:
    assert edges("b := cas(x, 0, 1);")[0] == "q0 -> q1 { x, b := if x == 0 then 1 else x, x == 0 }"
    assert edges("y := fetch_add(x, 2);")[0] == "q0 -> q1 { x, y := x + 2, x }"


def test_a_lock_holds_its_owner_and_a_stranger_cannot_release_it() -> None:
    second = program_of("global l : int = 0; thread T { skip; } thread U { lock(l); unlock(l); }").threads[1]
    assert arrows(second)[:3] == [
        "q0 -> q1 when l == 0 { l := 2 }",
        "q1 -> q2 when l == 2 { l := 0 }",
        "q1 -> fail @fail when l != 2",
    ]


def test_leading_locals_are_initial_and_others_are_steps() -> None:
    thread = thread_of(
        "global x : int; thread T { local m : int = x; local n : int; while (true) { local t : int = 1; } }"
    )
    assert show(thread.init) == "m == x"
    assert arrows(thread) == ["q0 -> q1", "q1 -> q0 { t := 1 }"]
    assert [v.var.name for v in thread.variables if v.kind is Kind.LOCAL] == ["m", "n", "t"]


def test_blocks_beside_each_other_share_a_local_of_one_type_and_rename_one_of_another() -> None:
    body = "if (b) { local t : int = 1; } else { local t : int = 2; } if (b) { local t : bool = true; }"
    thread = thread_of(G + f"thread T {{ {body} }}")
    assert [v.var.name for v in thread.variables if v.kind is Kind.LOCAL] == ["t", "t_2"]


def test_every_location_has_the_ranges_in_its_invariant_and_the_rely_as_environment() -> None:
    thread = thread_of("global x : 0..3; param N : 1..2; thread T { rely unchanged x; local m : 4..5; skip; }")
    for location in thread.locations:
        assert show(location.inv) == "N >= 1 && m >= 4 && x >= 0 && N <= 2 && m <= 5 && x <= 3"
        assert location.env is not None
        assert show(location.env) == "x' == x"


def test_nothing_is_assumed_of_an_environment_that_nobody_declared() -> None:
    assert {place.env for place in thread_of("thread T { skip; }").locations} == {None}


def test_old_speaks_of_the_state_before_and_plain_names_then_of_the_state_after() -> None:
    first, second = program_of(
        "global x : int; thread T { rely x >= old(x); skip; } thread U { rely x' >= x; skip; }"
    ).threads
    assert first.locations[0].env is second.locations[0].env


def test_a_family_is_a_thread_for_each_value_of_its_constant() -> None:
    program = program_of(
        "global f : int[2]; thread T[i : 0..1] { f[i] := i; } invariant m : !(at T[0].q0 && at T[1].q0);"
    )
    assert [(t.name, arrows(t)[0]) for t in program.threads] == [
        ("T[0]", "q0 -> q1 { f[0] := 0 }"),
        ("T[1]", "q0 -> q1 { f[1] := 1 }"),
    ]
    assert {v.name for v in program.invariants[0].formula.free} == {"at T[0].q0", "at T[1].q0"}


def test_macros_and_functions_with_a_body_are_replaced() -> None:
    text = (
        "define twice(p) = p + p; function inc(n : int) : int = n + 1; global x : int; thread T { x := inc(twice(x)); }"
    )
    assert arrows(thread_of(text))[0] == "q0 -> q1 { x := 2 * x + 1 }"


def test_macros_that_use_macros_twice_are_expanded_once() -> None:
    doubling = "".join(f"define a{i} = a{i - 1} + a{i - 1}; " for i in range(1, 100))
    thread = thread_of(f"global x : int; define a0 = x; {doubling} thread T {{ x := a99; }}")
    assert show(thread.edges[0].updates[0][1]) == f"{2**99} * x"


def test_a_guarantee_belongs_to_its_thread() -> None:
    (guarantee,) = program_of("global x : int; thread T { guarantee x' >= x; x := x + 1; }").guarantees
    assert (guarantee.thread, show(guarantee.relation)) == ("T", "x' >= x")


def test_an_origin_is_the_statement_on_one_line() -> None:
    thread = thread_of("global x : int; thread T { while (x\n > 0) { x :=\n 1; } }")
    assert [e.origin.text for e in thread.edges[:3]] == ["while (x > 0): true", "while (x > 0): false", "x := 1;"]


def test_division_is_euclidean() -> None:
    text = (
        "global x : int; const A = -7 / 2; const B = -7 % 2; const C = 7 / -2; thread T { x := A + 10 * B + 100 * C; }"
    )
    assert arrows(thread_of(text))[0] == f"q0 -> q1 {{ x := {-4 + 10 - 300} }}"


def test_the_bounds_of_a_loop_may_read_elements() -> None:
    (thread,) = program_of("global b : int[2]; thread T { for i in b[0]..b[1] { skip; } }").threads
    text = " ".join(arrows(thread))
    assert "i := b[0]" in text
    assert "when i <= b[1]" in text


@pytest.mark.parametrize(
    "step", ["x := if b then n else 0;", "n := a[if b then n else 0];", "a[if b then n else 0] := 1;"]
)
def test_a_value_that_depends_on_a_boolean_is_checked(step: str) -> None:
    thread = thread_of(f"global b : bool; global n : int; global x : 0..2; global a : int[3]; thread T {{ {step} }}")
    (wrong,) = (e for e in thread.edges if e.target == "fail")

    def fails(b: bool, n: int) -> bool:
        return bool(evaluate(wrong.guard, {v: b if v.name == "b" else n for v in wrong.guard.free}))

    assert [fails(True, 2), fails(True, 3), fails(False, 2), fails(False, 3)] == [False, True, False, False]


def test_an_initial_value_outside_of_its_range_is_no_beginning() -> None:
    thread = thread_of("param P : 0..2; global x : 0..1 = P; thread T { local m : 0..1 = P; skip; }")
    said = show(thread.init).split(" && ")
    assert {"P == x", "P == m", "x <= 1", "m <= 1", "P <= 2"} <= set(said)
