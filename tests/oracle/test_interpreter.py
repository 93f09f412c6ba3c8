"""The interpreter executes statements as the language describes them."""

from __future__ import annotations

import pytest

from sa.base.source import Source
from sa.language.parser import parse
from tests.oracle.interpreter import World, initial_worlds, world_steps
from tests.oracle.loading import interpreted


def trails(body: str, head: str = "global x : 0..3 = 0;", depth: int = 8) -> set[tuple[str, ...]]:
    """What is seen of the complete runs of one thread: actions, `.` for silent steps, with x after each."""
    program = interpreted(parse(Source("t.sa", f"{head} thread T {{ {body} }}")), range(3))
    runs: set[tuple[str, ...]] = set()
    pending: list[tuple[World, tuple[str, ...]]] = [(w, ()) for w in initial_worlds(program)]
    while pending:
        world, trail = pending.pop()
        steps = list(world_steps(program, world)) if len(trail) < depth else []
        for step in steps:
            action = step.seen[0] + "".join(f"({v})" for v in step.seen[1]) if step.seen else "."
            pending.append((step.after, (*trail, f"{action} {step.after.shared[program.shared.index('x')]}")))
        if not steps:
            runs.add(trail)
    return runs


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("x := 1; x := x + 1;", {(". 1", ". 2", "exit 2")}),
        ("atomic { x := 1; x := x + 1; }", {(". 2", "exit 2")}),
        ("if (x == 0) { x := 2; }", {(". 0", ". 2", "exit 2")}),
        ("if (x == 1) { x := 2; }", {(". 0", "exit 0")}),
        ("if (x == 1) { } else if (x == 0) { x := 3; } else { }", {(". 0", ". 0", ". 3", "exit 3")}),
        ("while (x < 2) { x := x + 1; }", {(". 0", ". 1", ". 1", ". 2", ". 2", "exit 2")}),
        ("while (*) { break; } x := 1;", {(". 0", ". 1", "exit 1")}),
        ("while (x == 0) { x := 1; continue; x := 2; }", {(". 0", ". 1", ". 1", "exit 1")}),
        ("x := 1; return; x := 2;", {(". 1", "exit 1")}),
        ("choose { x := 1; } or { x := 2; }", {(". 1", "exit 1"), (". 2", "exit 2")}),
        ("choose { assume x == 1; x := 2; } or { x := 3; }", {(". 3", "exit 3")}),
        ("choose { } or { x := 3; }", {(". 0", "exit 0"), (". 3", "exit 3")}),
        (
            "while (*) { choose { break; } or { A: x := 3; return; } }",
            {(". 0", ". 0", "exit 0"), (". 0", ". 0", ". 3", "exit 3"), (". 0", "exit 0")},
        ),
        ("assume x == 1;", {()}),
        ("assert x == 0;", {(". 0", "exit 0")}),
        ("assert x == 1;", {("fail 0",)}),
        ("x := x - 1;", {("fail 0",)}),
        ("atomic { x := 1; assume x == 2; }", {()}),
        ("atomic { x := 1; if (x == 1) { x := 3; } else { assume false; } }", {(". 3", "exit 3")}),
        ("atomic { choose { x := 1; } or { assume false; } }", {(". 1", "exit 1")}),
        ("await x == 0 { x := 2; }", {(". 2", "exit 2")}),
        ("await x == 1;", {()}),
        ("havoc x; assume x > 1;", {(". 2", ". 2", "exit 2"), (". 3", ". 3", "exit 3"), (". 0",), (". 1",)}),
        ("@a(x + 1) x := 2;", {("a(1) 2", "exit 2")}),
        ("atomic { x := 1; @a(x) x := 2; }", {("a(1) 2", "exit 2")}),
        ("local r : int = 2; x := r;", {(". 2", "exit 2")}),
        ("skip; local r : int = 2; x := r;", {(". 0", ". 0", ". 2", "exit 2")}),
        ("local ok : bool; x := 1; ok := cas(x, 1, 3);", {(". 1", ". 3", "exit 3")}),
        ("local r : int = 0; r := cas(x, 1, 3); x := r + 2;", {(". 0", ". 2", "exit 2")}),
        ("local r : int = 0; r := fetch_add(x, 2); @got(r) skip;", {(". 2", "got(0) 2", "exit 2")}),
        ("lock(x); unlock(x);", {(". 1", ". 0", "exit 0")}),
        ("x := 2; lock(x);", {(". 2",)}),
        ("x := 2; unlock(x);", {(". 2", "fail 2")}),
    ],
)
def test_a_thread_runs_as_described(body: str, runs: set[tuple[str, ...]]) -> None:
    assert trails(body) == runs


def test_an_index_outside_of_its_array_fails_where_it_is_read() -> None:
    head = "global x : 0..3 = 2; global a : int[2] = 0;"
    assert trails("x := a[x];", head) == {("fail 2",)}
    assert trails("a[x] := 1;", head) == {("fail 2",)}
    assert trails("x := if x < 2 then a[x] else 3;", head) == {(". 3", "exit 3")}
    assert trails("if (x < 2 && a[x] == 0) { x := 1; }", head) == {(". 2", "exit 2")}
    assert trails("if (a[x] == 0) { x := 1; }", head) == {("fail 2",)}


def test_division_is_euclidean() -> None:
    head = "global x : int = -7;"
    assert trails("@q(x / 2) skip;", head) == {("q(-4) -7", "exit -7")}
    assert trails("@q(x / -2) skip;", head) == {("q(4) -7", "exit -7")}
    assert trails("@r(x % -2) skip;", head) == {("r(1) -7", "exit -7")}


def test_a_family_has_a_thread_for_each_index_and_locks_know_their_owners() -> None:
    text = "global x : int = 0; thread T[i : 2..3] { lock(x); assert i == x + 1; unlock(x); }"
    program = interpreted(parse(Source("t.sa", text)), range(0))
    assert [(t.name, t.number) for t in program.threads] == [("T[2]", 1), ("T[3]", 2)]
    (start,) = initial_worlds(program)
    assert [step.after.shared for step in world_steps(program, start)] == [(1,), (2,)]
    reached, pending = {start}, [start]
    while pending:
        for step in world_steps(program, pending.pop()):
            assert step.seen is None or step.seen[0] == "exit"
            if step.after not in reached:
                reached.add(step.after)
                pending.append(step.after)
