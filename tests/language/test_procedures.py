"""Calls stand for the statements of a procedure, and loops that count for those with a counter."""

from __future__ import annotations

import pytest

from sa.automata.automaton import Automaton
from sa.base.source import Source
from sa.language.elaborate import program
from tests.language.texts import arrows, complaints, problems_of, thread_of

G = "global x, y : int = 0; global b : bool = false; global l : 0..2 = 0; "


def edges(declarations: str, body: str) -> list[str]:
    return arrows(thread_of(f"{G}{declarations} thread T {{ {body} }}"))


def test_a_call_is_a_step_for_the_arguments_and_the_statements_of_the_procedure() -> None:
    assert edges("proc add(k : int) { x := x + k; y := k; }", "add(x + 1);")[:3] == [
        "q0 -> q1 { k := x + 1 }",
        "q1 -> q2 { x := k + x }",
        "q2 -> q3 { y := k }",
    ]


def test_a_call_without_arguments_has_no_step_of_its_own() -> None:
    assert edges("proc f() { x := 1; }", "f();") == edges("", "x := 1;")


def test_a_result_goes_to_a_local_at_once_and_the_rest_of_the_procedure_is_left() -> None:
    found = edges("proc f() : int { if (b) { return 1; } x := 2; return 3; }", "local r : int = 0; r := f(); y := r;")
    assert found == [
        "q0 -> q1 when b",
        "q0 -> q2 when !b",
        "q1 -> q4 { r := 1 }",
        "q2 -> q3 { x := 2 }",
        "q3 -> q4 { r := 3 }",
        "q4 -> q5 { y := r }",
        "q5 -> exit @exit",
    ]


def test_a_result_for_a_global_is_computed_in_one_step_and_stored_in_the_next() -> None:
    found = edges("proc f() : int { return x + 1; }", "y := f();")
    assert found[:2] == ["q0 -> q1 { f_result := x + 1 }", "q1 -> q2 { y := f_result }"]


def test_a_value_outside_of_a_parameters_range_is_a_failure() -> None:
    found = edges("proc f(k : 0..3) { x := k; }", "f(x);")
    assert found[0] == "q0 -> q1 when x >= 0 && x <= 3 { k := x }"
    assert found[1].startswith("q0 -> fail @fail")


def test_locals_of_a_procedure_are_not_those_of_its_caller() -> None:
    found = edges("proc f(t : int) { local u : int = t; x := u; }", "local t, u : int = 7; f(3); y := t + u;")
    assert found[:4] == [
        "q0 -> q1 { t_2 := 3 }",
        "q1 -> q2 { u_2 := t_2 }",
        "q2 -> q3 { x := u_2 }",
        "q3 -> q4 { y := t + u }",
    ]


def test_procedures_call_others_wherever_these_are_declared() -> None:
    found = edges("proc f() { g(); g(); } proc g() { x += 1; }", "f();")
    assert found[:2] == ["q0 -> q1 { x := x + 1 }", "q1 -> q2 { x := x + 1 }"]


def test_a_call_inside_of_a_step_is_part_of_it() -> None:
    maximum = "proc max(k, m) : int".replace("k, m", "k : int, m : int")
    found = edges(
        maximum + " { local r : int = m; if (k > r) { r := k; } return r; }",
        "local r : int = 0; atomic { r := max(x, 4); x := r; }",
    )
    assert found[0] in (
        "q0 -> q1 { x, r := if x <= 4 then 4 else x, if x <= 4 then 4 else x }",
        "q0 -> q1 { x, r := if x >= 5 then x else 4, if x >= 5 then x else 4 }",
    )


def test_a_loop_that_counts_reads_its_bound_at_each_test() -> None:
    assert edges("", "for i in 1..y { x := x + i; }") == [
        "q0 -> q1 { i := 1 }",
        "q1 -> q2 when i <= y",
        "q1 -> q4 when y < i",
        "q2 -> q3 { x := i + x }",
        "q3 -> q1 { i := i + 1 }",
        "q4 -> exit @exit",
    ]


def test_continue_goes_to_the_next_round_and_break_behind_the_loop() -> None:
    found = edges("", "for i in 0..y { if (b) { continue; } break; }")
    assert "q2 -> q3 when b" in found
    assert "q2 -> q4 when !b" in found
    assert "q3 -> q1 { i := i + 1 }" in found


def test_a_counter_with_constant_bounds_has_a_range_and_cannot_fail() -> None:
    thread = thread_of("thread T { for i in -1..2 { skip; } }")
    (counter,) = thread.variables
    assert (counter.low, counter.high) == (-1, 3)
    assert not any("fail" in arrow for arrow in arrows(thread))


def test_rounds_with_constant_bounds_follow_each_other_inside_of_a_step() -> None:
    assert edges("", "atomic { for i in 1..3 { x := x + i; } }")[0] == "q0 -> q1 { x := x + 6 }"


def test_updates_and_exchange_are_assignments() -> None:
    assert edges("", "x += 2; x -= y; x *= 3;")[:3] == [
        "q0 -> q1 { x := x + 2 }",
        "q1 -> q2 { x := x - y }",
        "q2 -> q3 { x := 3 * x }",
    ]
    assert edges("", "local r : int = 0; r := exchange(x, y + 1);")[0] == "q0 -> q1 { x, r := y + 1, x }"


def test_elements_of_an_array_have_initial_values_of_their_own() -> None:
    def start(text: str) -> Automaton:
        return thread_of(f"{text} thread T {{ skip; }}")

    one = start("global a : int[3] = {4, 5, 6};")
    other = start("global a : int[3]; init a[0] == 4 && a[1] == 5 && a[2] == 6;")
    assert one.init == other.init
    assert ("SA203", "{4, 5}") in complaints("global a : int[3] = {4, 5}; thread T { skip; }")
    assert [c for c, _ in complaints("global a : int = {4}; thread T { skip; }")] == ["SA203"]


def test_unchanged_is_part_of_a_formula() -> None:
    implied = thread_of(G + "thread T { rely b ==> unchanged x; skip; }")
    written = thread_of(G + "thread T { rely b ==> x' == x; skip; }")
    assert [p.env for p in implied.locations] == [p.env for p in written.locations]


@pytest.mark.parametrize(
    ("declarations", "body", "code"),
    [
        ("proc f() { f(); }", "f();", "SA106"),
        ("proc f() { g(); } proc g() { f(); }", "skip;", "SA106"),
        ("proc f(k : int) { skip; }", "f();", "SA203"),
        ("proc f() { skip; }", "x := f();", "SA203"),
        ("proc f() : int { if (b) { return 1; } }", "skip;", "SA322"),
        ("proc f() : int { return; }", "skip;", "SA322"),
        ("proc f() { return 1; }", "skip;", "SA322"),
        ("", "return 1;", "SA322"),
        ("proc f() : int { return b; }", "x := f();", "SA201"),
        ("proc f(k : int[2]) { skip; }", "skip;", "SA208"),
        ("proc f() { L: skip; }", "skip;", "SA305"),
        ("proc f() { x := z; }", "skip;", "SA101"),
        ("proc f() { x := r; }", "local r : int = 0; f();", "SA101"),
        ("proc f() : int { return 1; }", "x := f() + 1;", "SA103"),
        ("", "x(1);", "SA103"),
        ("", "@a x(1);", "SA103"),
        ("", "nothing(1);", "SA101"),
        ("proc f() { skip; }", "@a f();", "SA305"),
        ("", "for i in 1..3 { i := 4; }", "SA103"),
        ("", "atomic { for i in 1..y { skip; } }", "SA204"),
        ("proc f() { if (b) { return; } x := 1; }", "atomic { f(); }", "SA306"),
        ("", "local a : int[2]; x := 1; local c : int[2] = {1};", "SA203"),
    ],
)
def test_what_is_wrong_has_a_code(declarations: str, body: str, code: str) -> None:
    assert code in [c for c, _ in complaints(f"{G}{declarations} thread T {{ {body} }}")]


def test_split_reaches_into_procedures_and_arguments() -> None:
    text = G + "proc f(k : int) { y := x + y + k; } thread T { f(x + y); }"
    (thread,) = program(Source("test.sa", text), split=True).threads
    assert arrows(thread) == [
        "q0 -> q1 { read1 := x }",
        "q1 -> q2 { read2 := y }",
        "q2 -> q3 { k := read1 + read2 }",
        "q3 -> q4 { read1_2 := 0 }",
        "q4 -> q5 { read2_2 := 0 }",
        "q5 -> q6 { read1_2 := x }",
        "q6 -> q7 { read2_2 := y }",
        "q7 -> q8 { y := k + read1_2 + read2_2 }",
        "q8 -> exit @exit",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("thread T { x++; }", "`x += 1;`"),
        ("thread T { x == 1; }", "`:=` assigns"),
        ("thread T { x = 1; }", "`:=` assigns"),
        ("thread T { if (x == 1 and y == 2) { skip; } }", "`&&`"),
        ("thread T { if x == 1 { skip; } }", "parentheses"),
        ("thread T { x := y == if b then 1 else 2; }", "parentheses"),
        ("thread T { if (x == 1) x := 2; }", "braces"),
        ("thread T { for (i = 0; i < 3; i++) { skip; } }", "`for i in"),
        ("thread T() { skip; }", "no parameters"),
        ("thread T { x := 1; };", "no `;`"),
        ("thread T { @a(1); }", "`@a(1) skip;`"),
        ("thread T { assume cas(x, 0, 1); }", "`if` or `while`"),
        ("thread T { while (!cas(x, 0, 1) && b) { } }", "stands alone"),
        ("global l : lock;", "a lock is an int"),
        ("thread T { x := x & 1; }", "bits"),
        ("thread T { x := x << 1; }", "bits"),
        ("thread T { x := x mod 2; }", "`%`"),
        ("thread T { x := b ? 1 : 2; }", "`if c then"),
        ("thread T { x := not b; }", "`!`"),
        ("invariant x >= 0;", "has a name"),
        ("thread T { skip }", "missing"),
        ("thread T { x--; }", "`x -= 1;`"),
        ("thread T { ++x; }", "`x += 1;`"),
        ("int x = 0;", "`global x : int = 0;`"),
        ("thread T { int y = 3; }", "`local y : int = 3;`"),
        ("thread T { var z : int = 3; }", "`local x : int = 0;`"),
        ("thread T { float z; }", "integers"),
        ("thread T { x := 1.5; }", "integers"),
        ("global x : int; thread T { while (x) { skip; } }", "`… != 0`"),
        ("thread T { wait until x == 1; }", "`await c;`"),
        ("thread T { do { skip; } while (b); }", "`while (true)"),
        ("thread T { switch (x) { case 1: skip; } }", "`if (…)"),
        ("thread T { for i in range(3) { skip; } }", "first and the last"),
        ("thread T { print(x); }", "`@print(x) skip;`"),
        ("# a comment", "`//`"),
        ("global m : mutex;", "a lock is an int"),
        ("global a[3] : int;", "`a : int[3]`"),
        ("global q : seq<int, 4>= {};", "a blank between `>` and `=`"),
        ("invariant i : b => x == 1;", "`==>`"),
        ("global x : int; thread T { skip; } invariant i : x == 1 ==> unchanged x;", "`guarantee`"),
        ("global x : int; thread T { x := NULL; }", "no pointers"),
    ],
)
def test_what_other_languages_write_has_a_hint(text: str, hint: str) -> None:
    assert hint in (problems_of(text)[0].hint or "")


def test_old_is_a_name_like_others_but_for_the_value_before_a_step() -> None:
    found = edges("", "local old : int = 0; local ok : bool = false; old := x; ok := cas(x, old, old + 1);")
    assert found[0] == "q0 -> q1 { old := x }"
    one = thread_of(G + "thread T { rely x == old(x); skip; }")
    assert one.locations[0].env == thread_of(G + "thread T { rely x' == x; skip; }").locations[0].env
