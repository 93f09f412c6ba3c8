"""An operation as a condition is one step that writes and decides."""

from __future__ import annotations

from itertools import product

import pytest

from sa.automata.automaton import Automaton
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import Value
from sa.terms.term import Var
from tests.language.texts import arrows, complaints, thread_of

G = "global x, y : int = 0; global b : bool = false; global a : int[2] = 0; "

#: A condition, what it writes and where it is true, of x, y, b and a as Python sees them.
CONDITIONS = {
    "cas(x, y, 2)": ("x == y", "x = 2 if x == y else x"),
    "!cas(x, 1, x + y)": ("x != 1", "x = x + y if x == 1 else x"),
    "cas(b, false, true)": ("not b", "b = True"),
    "cas(a[y % 2], x, 3)": ("a[y % 2] == x", "a[y % 2] = 3 if a[y % 2] == x else a[y % 2]"),
    "exchange(b, true)": ("b", "b = True"),
    "!exchange(b, false)": ("not b", "b = False"),
    "exchange(x, y) == 1": ("x == 1", "x = y"),
    "fetch_add(x, 1) > y": ("x > y", "x = x + 1"),
    "fetch_add(x, y) != x - 1": ("True", "x = x + y"),
    "fetch_add(a[0], a[1]) == y": ("a[0] == y", "a[0] = a[0] + a[1]"),
}
FORMS = ["if (C) { IN: skip; } else { ON: skip; }", "while (C) { IN: skip; } ON: skip;"]


def one_step(thread: Automaton, state: dict[Var, Value]) -> tuple[str, dict[str, Value]]:
    """Where the only step from the first location leads."""
    (edge,) = [e for e in thread.edges if e.source == thread.initial and holds(e.guard, state)]
    after = state | {v: evaluate(t, state) for v, t in edge.updates}
    return edge.target, {v.name: value for v, value in after.items()}


def expected(condition: str, values: dict[str, Value]) -> tuple[bool, dict[str, Value]]:
    test, statement = CONDITIONS[condition]
    names: dict[str, object] = {
        "x": values["x"],
        "y": values["y"],
        "b": values["b"],
        "a": [values["a[0]"], values["a[1]"]],
    }
    truth = bool(eval(test, {}, names))
    exec(statement, {}, names)
    x, y, b, a = (names[n] for n in "xyba")
    return truth, {"x": x, "y": y, "b": b, "a[0]": a[0], "a[1]": a[1]}  # type: ignore[index, dict-item]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_step_writes_and_leads_where_the_result_says(condition: str, form: str) -> None:
    thread = thread_of(f"{G} thread T {{ {form.replace('C', condition)} }}")
    variables = {v.var.name: v.var for v in thread.variables}
    for x, y, b, a in product((0, 1, 2), (0, 1, 2), (False, True), product((0, 1), (0, 2))):
        values: dict[str, Value] = {"x": x, "y": y, "b": b, "a[0]": a[0], "a[1]": a[1]}
        truth, after = expected(condition, values)
        assert one_step(thread, {variables[n]: v for n, v in values.items()}) == ("IN" if truth else "ON", after)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_inside_of_a_step_both_ways_go_on(condition: str) -> None:
    thread = thread_of(f"{G} thread T {{ atomic {{ if ({condition}) {{ y := 7; }} else {{ y := 9; }} }} END: skip; }}")
    variables = {v.var.name: v.var for v in thread.variables}
    for x, y, b, a in product((0, 1, 2), (0, 1, 2), (False, True), product((0, 1), (0, 2))):
        values: dict[str, Value] = {"x": x, "y": y, "b": b, "a[0]": a[0], "a[1]": a[1]}
        truth, after = expected(condition, values)
        found = one_step(thread, {variables[n]: v for n, v in values.items()})
        assert found == ("END", after | {"y": 7 if truth else 9})


def test_a_branch_has_the_updates_of_its_own_outcome() -> None:
    thread = thread_of("global l : int = 0; thread T { while (!cas(l, 0, 1)) { } CS: skip; }")
    assert arrows(thread)[:2] == ["q0 -> q0 when l != 0", "q0 -> CS when l == 0 { l := 1 }"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("global x : 0..3 = 0; thread T { if (fetch_add(x, 1)) { skip; } }", "SA002"),
        ("global b : bool = false; thread T { if (fetch_add(b, 1) == 0) { skip; } }", "SA201"),
        ("global x : int = 0; thread T { if (exchange(x, 1)) { skip; } }", "SA201"),
        ("global x : int = 0; thread T { while (cas(x, 0, true)) { skip; } }", "SA201"),
        ("param p : int; thread T { while (cas(p, 0, 1)) { skip; } }", "SA301"),
        ("global x : int = 0; thread T { assume cas(x, 0, 1); }", "SA004"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    assert code in {c for c, _ in complaints(text)}


def test_an_operation_that_leaves_a_range_fails() -> None:
    thread = thread_of("global x : 0..1 = 0; thread T { while (fetch_add(x, 1) < 5) { } }")
    assert any(e.target == "fail" and e.failure is not None for e in thread.edges)
