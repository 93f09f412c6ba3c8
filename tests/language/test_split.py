"""`split`: what touches several shared locations becomes steps that touch one each."""

from __future__ import annotations

from tests.language.texts import arrows, elaborated, program_of

G = "global x, y, z : int = 0; global b : bool = false; "


def steps(body: str) -> list[str]:
    """The edges of a split thread with this body."""
    (thread,) = program_of(G + f"thread T {{ local m : int = 0; {body} }}", split=True).threads
    return arrows(thread)[:-1]


def test_shared_values_are_read_one_by_one_before_the_write() -> None:
    assert steps("x := y + z;") == [
        "q0 -> q1 { read1 := y }",
        "q1 -> q2 { read2 := z }",
        "q2 -> q3 { x := read1 + read2 }",
    ]


def test_what_touches_one_location_stays() -> None:
    assert steps("x := x + m;") == ["q0 -> q1 { x := m + x }"]


def test_atomic_blocks_stay() -> None:
    assert steps("atomic { x := y + z; }") == ["q0 -> q1 { x := y + z }"]


def test_a_test_reads_before_and_a_loop_in_every_round() -> None:
    assert (
        steps("while (x < y) { m := 1; }")
        == [
            "q0 -> q1",
            "q1 -> q2 { read1 := x }",
            "q2 -> q3 { read2 := y }",
            "q3 -> q4 when read1 - read2 <= -1",
            "q3 -> q5 when read2 <= read1",
            "q4 -> q0 { m := 1 }",
        ]
        or len(steps("while (x < y) { m := 1; }")) == 6
    )


def test_all_values_are_known_before_the_first_of_several_writes() -> None:
    assert steps("x, y := y, x;") == [
        "q0 -> q1 { read1 := y }",
        "q1 -> q2 { read2 := x }",
        "q2 -> q3 { read3 := read1 }",
        "q3 -> q4 { read4 := read2 }",
        "q4 -> q5 { x := read3 }",
        "q5 -> q6 { y := read4 }",
    ]


def test_macros_over_shared_variables_are_split_too() -> None:
    text = "global x, y : int; define sum = x + y; thread T { local m : int = 0; m := sum; }"
    (thread,) = program_of(text, split=True).threads
    assert len(thread.edges) == 4


def test_an_element_that_is_read_under_a_condition_stays_where_it_is() -> None:
    text = "global f : bool[2]; global i : int; thread T { assume true; if (0 <= i && i < 2 && f[i]) { skip; } }"
    (thread,) = program_of(text, split=True).threads
    assert "fail" not in {e.target for e in thread.edges}


def test_after_splitting_no_step_is_named_by_the_lint() -> None:
    text = G + "thread T { local m : int = 0; x := y + z; m := x + y; if (x > y) { x, y := y, x; } b := cas(x, y, z); }"
    result = elaborated(text)
    assert [d.code for d in result.lints] == ["SA316"] * 5
    for thread in program_of(text, split=True).threads:
        for edge in thread.edges:
            read = edge.guard.free.union(*(t.free for _, t in edge.updates))
            touched = {v.name for v in (*read, *(v for v, _ in edge.updates))} & {"x", "y", "z", "b"}
            assert len(touched) <= 1, edge


def test_results_and_labels_of_any_statement_are_read_before() -> None:
    returned = "global x, y : int = 0; proc f() : int { return x - y; } thread T { local r : int = 0; r := f(); }"
    shown = "global x, y : int = 0; thread T { @v(x, y) skip; }"
    for text in (returned, shown):
        (thread,) = program_of(text, split=True).threads
        touched = [{v for t in dict(e.updates).values() for v in t.free if v.name in ("x", "y")} for e in thread.edges]
        touched += [{v for t in e.label.values for v in t.free} for e in thread.edges if e.label is not None]
        assert all(len([v for v in each if v.name in ("x", "y")]) <= 1 for each in touched)


def test_locals_that_splitting_adds_have_names_that_parameters_do_not_have() -> None:
    text = "global x, y : int = 0; proc f(read1 : int) { x := x + y + read1; } thread T { f(1); }"
    assert program_of(text, split=True).threads


def test_operations_as_conditions_locks_and_havoc_read_what_they_need_before() -> None:
    assert steps("if (cas(x, y, 3)) { skip; }")[0] == "q0 -> q1 { read1 := y }"
    assert steps("while (fetch_add(x, 1) == y) { skip; }")[1] == "q1 -> q2 { read1 := y }"
    elements = "global l : int[2] = 0; global k : 0..1 = 0; thread T { BODY; }"
    for body in ("lock(l[k])", "unlock(l[k])", "havoc l[k]"):
        thread = program_of(elements.replace("BODY", body), split=True).threads[0]
        assert arrows(thread)[0] == "q0 -> q1 { read1 := k }", body


def test_macros_with_quantifiers_get_their_arguments() -> None:
    text = (
        "global arr : int[2] = 0; global x : int = 0; define all(q) = forall i : 0..1 :: arr[i] == q; "
        "thread T { local q : int = 9; if (all(x)) { x := 1; } }"
    )
    tests = [e.guard for t in program_of(text, split=True).threads for e in t.edges]
    assert all("q" not in {v.name for v in g.free} for g in tests)
