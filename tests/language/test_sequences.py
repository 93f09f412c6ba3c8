"""Sequences do what lists of bounded length do; whole arrays are assigned and compared; quantifiers are written out."""

from __future__ import annotations

from random import Random

import pytest

from sa.automata.automaton import Automaton
from sa.base.diagnostic import InputError
from sa.language.unparse import show_program
from sa.terms.evaluate import evaluate, holds
from sa.terms.printer import show
from sa.terms.sort import Value
from sa.terms.term import Var
from tests.language.texts import arrows, complaints, program_of, thread_of

ROOM = 3
G = f"global q, p : seq<0..9, {ROOM}> = {{}}; global a, b : int[2] = {{1, 2}}; global x : int = 0; "

#: What a list does for each statement with a value v; None where it waits, an error where the step fails.
State = tuple[list[int], int]


def listed(statement: str, q: list[int], x: int, v: int) -> State | None:
    """The list and `x` after a statement. None where it waits; IndexError where it fails."""
    match statement:
        case "push(q, V);" | "push_first(q, V);":
            if len(q) == ROOM:
                raise IndexError
            return ([*q, v] if statement.startswith("push(") else [v, *q]), x
        case "x := pop(q);":
            return q[1:], q[0]
        case "x := pop_last(q);":
            return q[:-1], q[-1]
        case "pop(q);":
            return (q[1:], q[0])[:1] + (x,)
        case "send(q, V);":
            return ([*q, v], x) if len(q) < ROOM else None
        case "x := receive(q);":
            return (q[1:], q[0]) if q else None
        case "x := first(q);":
            return q, q[0]
        case "x := last(q);":
            return q, q[-1]
        case "x := len(q);":
            return q, len(q)
        case "x := q[V];":
            if v >= len(q):
                raise IndexError
            return q, q[v]
        case "q[V] := 5;":
            if v >= len(q):
                raise IndexError
            return [5 if i == v else e for i, e in enumerate(q)], x
        case "q := {V, 1};":
            return [v, 1], x
        case "q := {};":
            return [], x
        case "p := q; q := p;":
            return q, x
    raise AssertionError(statement)


STATEMENTS = [
    "push(q, V);",
    "push_first(q, V);",
    "x := pop(q);",
    "x := pop_last(q);",
    "pop(q);",
    "send(q, V);",
    "x := receive(q);",
    "x := first(q);",
    "x := last(q);",
    "x := len(q);",
    "x := q[V];",
    "q[V] := 5;",
    "q := {V, 1};",
    "q := {};",
    "p := q; q := p;",
]


def start(thread: Automaton) -> dict[Var, Value]:
    """The initial state of a thread whose variables all have a value of their own."""
    shown = (show(c) for c in thread.init.args)  # type: ignore[union-attr]
    texts = (text.split(" == ") for text in shown if " == " in text and " || " not in text)
    values = {name: int(value) for name, value in texts}
    return {v.var: values[v.var.name] for v in thread.variables}


def ended(thread: Automaton) -> tuple[str, dict[str, Value]]:
    """Where the only run of a thread ends, and with which values."""
    at, state = thread.initial, start(thread)
    while True:
        enabled = [e for e in thread.edges if e.source == at and holds(e.guard, state)]
        assert len(enabled) <= 1
        if not enabled or enabled[0].target == "exit":
            return at, {v.name: value for v, value in state.items()}
        state |= {v: evaluate(t, state) for v, t in enabled[0].updates}
        at = enabled[0].target


def disagrees(seed: int) -> bool:
    rng = Random(seed)
    q, x, body, outcome = list[int](), 0, list[str](), "end"
    for _ in range(rng.randint(1, 8)):
        statement, v = rng.choice(STATEMENTS), rng.randint(0, 2)
        body.append(statement.replace("V", str(v)))
        if outcome != "end":
            continue
        try:
            after = listed(statement, q, x, v)
        except IndexError:
            outcome = "fail"
        else:
            outcome = "waits" if after is None else "end"
            q, x = after or (q, x)
    thread = thread_of(f"{G} thread T {{ {' '.join(body)} END: skip; }}")
    at, values = ended(thread)
    expected = {f"q[{i}]": q[i] if i < len(q) else 0 for i in range(ROOM)} | {"q_len": len(q), "x": x}
    there = {"end": at not in ("fail",), "fail": at == "fail", "waits": at not in ("fail", "END")}[outcome]
    return not there or any(values[name] != value for name, value in expected.items())


def test_random_statements_do_what_lists_do() -> None:
    assert [seed for seed in range(300) if disagrees(seed)] == []


@pytest.mark.fuzz
def test_many_random_statements_do_what_lists_do() -> None:
    assert [seed for seed in range(300, 10000) if disagrees(seed)] == []


def test_send_and_receive_are_push_and_pop_behind_a_wait() -> None:
    def edges(body: str) -> list[str]:
        return arrows(thread_of(f"{G} thread T {{ {body} }}"))

    assert edges("send(q, 1);") == edges("await len(q) < 3 { push(q, 1); }")
    assert edges("@get x := receive(q);") == edges("await len(q) > 0 { @get x := pop(q); }")
    assert edges("@get(first(q)) x := receive(q);") == edges("await len(q) > 0 { @get(first(q)) x := pop(q); }")


def test_arrays_are_assigned_as_wholes() -> None:
    assert arrows(thread_of(f"{G} thread T {{ a := {{x, 7}}; a := b; a, b := b, a; }}"))[:3] == [
        "q0 -> q1 { a[0], a[1] := x, 7 }",
        "q1 -> q2 { a[0], a[1] := b[0], b[1] }",
        "q2 -> q3 { a[0], a[1], b[0], b[1] := b[0], b[1], a[0], a[1] }",
    ]


def test_arrays_and_sequences_are_compared_as_wholes() -> None:
    (invariant,) = program_of(f"{G} thread T {{ skip; }} invariant i : a == b && p != q;").invariants
    (by_hand,) = program_of(
        f"{G} thread T {{ skip; }} invariant i : a[0] == b[0] && a[1] == b[1] && "
        "!(p[0] == q[0] && p[1] == q[1] && p[2] == q[2] && len(p) == len(q));"
    ).invariants
    assert invariant.formula == by_hand.formula


def test_what_is_behind_the_end_of_a_sequence_has_one_value_whatever_it_holds() -> None:
    start = thread_of("global q : seq<2..4, 1>; thread T { havoc q; }")
    assert "q_len >= 1 || q[0] == 2" in show(start.init) or "q[0] == 2 || q_len >= 1" in show(start.init)
    assert "== 2" in arrows(start)[0]


def test_locals_may_be_sequences() -> None:
    found = arrows(thread_of("thread T { local s : seq<int, 1> = {}; push(s, 1); local r : seq<int, 1> = {2}; }"))
    assert found[0] == "q0 -> q1 when s_len <= 0 { s[0], s_len := 1, s_len + 1 }" or "s_len" in found[0]
    assert any("r[0], r_len := 2, 1" in edge for edge in found)


@pytest.mark.parametrize(
    ("written", "by_hand"),
    [
        ("forall i : 0..1 :: a[i] > 0", "a[0] > 0 && a[1] > 0"),
        ("exists i : 0..1 :: a[i] > 0", "a[0] > 0 || a[1] > 0"),
        ("forall i : 0..1 :: i + 1 < 2 ==> a[i] <= a[i + 1]", "a[0] <= a[1]"),
        ("forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS)", "!(at T[1].CS && at T[2].CS)"),
        ("forall c : bool :: c ==> x == 0", "x == 0"),
        ("forall i : 0..1 :: (if i < 1 then a[i + 1] else 0) == 0", "a[1] == 0"),
    ],
)
def test_quantifiers_over_few_values_are_written_out(written: str, by_hand: str) -> None:
    text = f"{G} thread T[i : 1..2] {{ CS: skip; }} invariant v : "
    one, two = (program_of(f"{text}{formula};").invariants[0].formula for formula in (written, by_hand))
    assert one == two


def test_programs_with_sequences_are_read_back_as_they_are_printed() -> None:
    program = program_of(f"{G} thread T {{ push(q, x); x := pop_last(q); havoc q; }}")
    again = program_of(show_program(program))
    assert [arrows(t) for t in again.threads] == [arrows(t) for t in program.threads]


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("thread T { x := pop(a); }", "SA325", "a"),
        ("thread T { push(q); }", "SA325", "push(q);"),
        ("thread T { x := push(q, 1); }", "SA325", "push(q, 1)"),
        ("thread T { push(q, true); }", "SA201", "true"),
        ("thread T { x := q; }", "SA208", "q"),
        ("thread T { x := {1}; }", "SA208", "{1}"),
        ("thread T { q := 1; }", "SA208", "1"),
        ("thread T { a := q; }", "SA208", "q"),
        ("thread T { q := {1, 2, 3, 4}; }", "SA203", "{1, 2, 3, 4}"),
        ("thread T { q[0] := pop(q); }", "SA310", "q[0]"),
        ("thread T { x := len(nothing); }", "SA101", "nothing"),
        ("thread T { q_len := 1; }", "SA103", "q_len"),
        ("thread T { havoc q_len; }", "SA103", "q_len"),
        ("global r : seq<int, 2> = 0; thread T { skip; }", "SA208", "0"),
        ("global r : seq<int[2], 2>; thread T { skip; }", "SA208", "int[2]"),
        ("global r : seq<int, 0>; thread T { skip; }", "SA207", "0"),
        ("global r : list<int, 2>; thread T { skip; }", "SA008", "list"),
        ("global q_len : int; thread T { skip; }", "SA102", "q_len"),
        ("thread T { skip; } invariant i : forall i : int :: x > i;", "SA312", "i : int"),
        ("thread T { skip; } invariant i : forall i : 0..999, j : 0..9 :: x > i;", "SA207",
         "forall i : 0..999, j : 0..9 :: x > i"),
        ("thread T { skip; } invariant i : forall i : 0..2 :: a[i] > 0;", "SA319", "a[i]"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_them_is_said_where_it_stands(text: str, code: str, where: str) -> None:
    assert (code, where) in complaints(G + text)


def test_sequences_of_other_ranges_are_not_alike() -> None:
    """What is behind the end depends on the range."""
    text = "global p : seq<1..3, 2> = {}; global q : seq<0..3, 2> = {}; thread T { STATEMENT } invariant a : CLAIM;"
    for statement, claim in (("skip;", "!(p == q)"), ("q := p;", "true")):
        with pytest.raises(InputError):
            program_of(text.replace("STATEMENT", statement).replace("CLAIM", claim))
