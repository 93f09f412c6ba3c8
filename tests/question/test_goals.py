"""What a question means: κ, ι and the environments, as LANGUAGE promises them, value by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.goal import Goal, iota_of, kappa_of
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.question.goals import goals
from sa.terms.evaluate import holds
from sa.terms.sort import BOOL, Value
from sa.terms.term import Term
from tests.endtoend.asking import read

Values = Mapping[str, Value]


def _goals(abstract: str, concrete: str, whole: bool = False) -> tuple[Goal, ...]:
    return goals(*read(abstract, concrete), whole)


def _goal(abstract: str, concrete: str) -> Goal:
    (goal,) = _goals(abstract, concrete)
    return goal


def _means(term: Term, meaning: Callable[[Values], bool]) -> bool:
    """Whether the formula is true of exactly those values, out of a few, of which the meaning is."""
    order = sorted(term.free, key=lambda v: v.key)
    rows = product(*((False, True) if v.sort == BOOL else range(-1, 3) for v in order))
    return all(
        holds(term, dict(zip(order, row, strict=True)))
        == meaning({v.name + "'" * v.primes: x for v, x in zip(order, row, strict=True)})
        for row in rows
    )


ONE = "global x, y : int; thread T { local t : int; local u : bool; rely true; x := t; }"


def test_without_a_block_globals_are_equal_always_and_locals_at_the_start() -> None:
    goal = _goal(ONE, ONE)
    assert _means(iota_of(goal), lambda v: v["conc.x"] == v["abs.x"] and v["conc.y"] == v["abs.y"])
    assert iota_of(goal).free < kappa_of(goal).free
    assert _means(kappa_of(goal), lambda v: all(v[f"conc.{n}"] == v[f"abs.{n}"] for n in ("x", "y", "t", "u")))


def test_a_local_of_the_abstract_side_with_an_initial_value_is_not_related() -> None:
    mine = "global x : int; thread T { local t : int = 3; local u : bool; local k, l : int; x := t; }"
    theirs = "global x : int; thread T { local t : int = x; local u : bool = true; local k, l : int; x := t; }"
    goal = _goal(theirs, mine)
    assert {v.name for v in kappa_of(goal).free} == {f"{s}.{n}" for s in ("conc", "abs") for n in ("x", "k", "l")}


@pytest.mark.parametrize("value", ["!b", "b != c", "!(b <==> c)", "b && c", "u", "!u"])
def test_so_it_is_where_the_value_is_a_condition_or_made_of_locals_with_values(value: str) -> None:
    text = f"global b, c : bool = false; thread T {{ local u : bool = b; local t : bool = {value}; skip; }}"
    goal = _goal(text, "global b, c : bool = false; thread T { skip; local u : bool; local t : bool; }")
    assert {v.name for v in kappa_of(goal).free} == {"conc.b", "abs.b", "conc.c", "abs.c"}


def test_a_local_whose_value_is_that_of_one_without_any_is_related() -> None:
    text = "global b : bool = false; thread T { local u : bool; local t : bool = !u; skip; }"
    goal = _goal(text, text)
    assert {v.name for v in kappa_of(goal).free} >= {"conc.t", "abs.t", "conc.u", "abs.u"}


def test_so_it_is_of_several_threads() -> None:
    mine, theirs = (
        f"global x : int; thread P {{ local i : int = {n}; local j : int; x := i; }}"
        "thread Q { local i : int; x := i; }"
        for n in (1, 2)
    )
    (goal,) = _goals(theirs, mine, whole=True)
    assert {v.name for v in kappa_of(goal).free} == {f"{s}.{n}" for s in ("conc", "abs") for n in ("x", "P.j", "Q.i")}


def test_a_loop_that_counts_down_does_what_one_that_counts_up_does() -> None:
    up = "param N : int; init N >= 0; thread T { local i : int = 0; while (i < N) { @tick skip; i := i + 1; } }"
    down = "param N : int; init N >= 0; thread T { local i : int = N; while (i > 0) { @tick skip; i := i - 1; } }"
    options = Options(limits(30.0, None))
    assert refine(*read(up, down), options).verdict is Verdict.PROVED
    assert refine(*read(up, down.replace("i > 0", "i >= 0")), options).verdict is Verdict.REFUTED


def test_globals_that_only_one_side_has_are_not_related() -> None:
    goal = _goal("global x, z : int; thread T { x := z; }", "global x, k : int; thread T { x := k; }")
    assert {v.name for v in kappa_of(goal).free} == {"conc.x", "abs.x"}


def test_relate_replaces_the_default_at_the_start_too() -> None:
    goal = _goal(ONE, ONE + "refinement r { relate x; relate conc.y == 2 * abs.t; }")
    related = lambda v: v["conc.x"] == v["abs.x"] and v["conc.y"] == 2 * v["abs.t"]  # noqa: E731
    assert _means(iota_of(goal), related)
    assert _means(kappa_of(goal), related)


def test_pre_is_for_the_start_and_inv_for_always() -> None:
    goal = _goal(ONE, ONE + "refinement r { relate x; pre conc.t == 1; inv conc.y >= 0; }")
    assert _means(kappa_of(goal), lambda v: v["conc.x"] == v["abs.x"] and v["conc.t"] == 1)
    assert _means(iota_of(goal), lambda v: v["conc.x"] == v["abs.x"] and int(v["conc.y"]) >= 0)


def _env(goal: Goal, side: str) -> Term:
    automaton = goal.concrete if side == "conc" else goal.abstract
    (env,) = {q.env for q in automaton.locations}
    assert env is not None
    return env


def test_several_relies_are_conjoined_with_those_of_the_block_and_standing_still_is_added() -> None:
    text = "global x, y : int; thread T { rely unchanged y; rely x' == x + 1; skip; }"
    goal = _goal(text, text)
    assert goal.added_identity and not goal.closed
    assert _means(
        _env(goal, "abs"),
        lambda v: v["abs.y"] == v["abs.y'"] and v["abs.x'"] in (v["abs.x"], int(v["abs.x"]) + 1),
    )
    with_block = _goal(text, text + "refinement r { rely x' <= 1; }")
    assert _means(
        _env(with_block, "conc"),
        lambda v: (
            v["conc.y"] == v["conc.y'"]
            and (v["conc.x'"] == v["conc.x"] or (v["conc.x'"] == int(v["conc.x"]) + 1 and int(v["conc.x'"]) <= 1))
        ),
    )


def test_without_relies_nothing_changes() -> None:
    text = "global x : int; thread T { x := 1; }"
    goal = _goal(text, text)
    assert goal.closed
    assert _means(_env(goal, "conc"), lambda v: v["conc.x"] == v["conc.x'"])


def test_whole_forgets_the_relies() -> None:
    text = "global x : int; thread A { rely true; x := 1; } thread B { rely true; skip; }"
    (goal,) = _goals(text, text, whole=True)
    assert goal.closed
    assert _means(_env(goal, "abs"), lambda v: v["abs.x"] == v["abs.x'"])


def test_a_rely_of_a_block_says_nothing_of_globals_that_a_side_does_not_have() -> None:
    abstract = "global x : int; thread T { x := 1; }"
    goal = _goal(abstract, "global x, k : int; thread T { x := 1; } refinement r { rely unchanged x, k; }")
    assert _means(_env(goal, "abs"), lambda v: v["abs.x"] == v["abs.x'"])
    assert _means(_env(goal, "conc"), lambda v: v["conc.x"] == v["conc.x'"] and v["conc.k"] == v["conc.k'"])


def test_a_rely_of_a_block_that_mixes_globals_of_one_side_with_others_is_refused() -> None:
    abstract = "global x : int; thread T { x := 1; }"
    concrete = "global x, k : int; thread T { x := 1; } refinement r { rely k == 0 ==> x' == x; }"
    with pytest.raises(InputError) as wrong:
        _goals(abstract, concrete)
    assert [d.code for d in wrong.value.diagnostics] == ["SA409"]


TWO = "global x : int; thread A { %slocal t : int; x := t; } thread B { %slocal t : int; x := t; }"


def test_a_formula_with_locals_is_meant_for_each_pair_of_threads_of_a_product() -> None:
    closed = TWO % ("", "")
    goal = _goal(closed, closed + "refinement r { relate x; relate conc.t == abs.t + 1; }")
    assert _means(
        iota_of(goal),
        lambda v: v["conc.x"] == v["abs.x"] and all(v[f"conc.{n}.t"] == int(v[f"abs.{n}.t"]) + 1 for n in ("A", "B")),
    )


def test_paired_threads_of_a_product_have_one_name_for_their_locals() -> None:
    abstract = "global x : int; thread A { local t : int; x := t; } thread B { skip; }"
    concrete = "global x : int; thread C { local t : int; x := t; } thread B { skip; }"
    goal = _goal(abstract, concrete + "refinement r { thread C refines A; relate x; pre conc.t == abs.t; }")
    assert _means(kappa_of(goal), lambda v: v["conc.x"] == v["abs.x"] and v["conc.C.t"] == v["abs.C.t"])


def test_a_formula_with_locals_is_meant_for_the_open_threads_that_have_them() -> None:
    text = "global x : int; thread A { rely true; local t : int; x := t; } thread B { rely true; skip; }"
    first, second = _goals(text, text + "refinement r { relate x; relate t; }")
    assert _means(iota_of(first), lambda v: v["conc.x"] == v["abs.x"] and v["conc.t"] == v["abs.t"])
    assert _means(iota_of(second), lambda v: v["conc.x"] == v["abs.x"])


def test_a_formula_with_locals_of_threads_that_are_not_paired_is_refused() -> None:
    text = "global x : int; thread A { local t : int; x := t; } thread B { local u : int; x := u; }"
    with pytest.raises(InputError) as wrong:
        _goals(text, text + "refinement r { relate conc.t == abs.u; }")
    assert [d.code for d in wrong.value.diagnostics] == ["SA408"]


def test_a_silent_exit_is_silent_on_both_sides_and_failures_are_seen() -> None:
    text = "global x : int; thread T { assert x == 1; }"
    goal = _goal(text, text + "refinement r { silent exit; }")
    for automaton in (goal.concrete, goal.abstract):
        assert {e.label.action for e in automaton.edges if e.label is not None} == {"fail"}


def test_an_exit_that_shows_a_value_or_is_no_end_stays_visible() -> None:
    edges = "edge a -> a @exit(x); edge a -> b @exit; edge b -> c @exit;"
    text = f"automaton T {{ global x : int; location a initial; location b; location c; {edges} }}"
    other = text.replace("T {", "U {")
    goal = _goals(text + other, text + other + "refinement r { silent exit; }", whole=True)[0]
    for automaton in (goal.concrete, goal.abstract):
        ends = {e.target for e in automaton.edges if e.label is None}
        assert ends and all("c" in end.split("|") for end in ends)
        assert {len(e.label.values) for e in automaton.edges if e.label is not None} == {0, 1}
