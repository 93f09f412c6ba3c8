"""Invariants written at locations may not cut runs."""

from __future__ import annotations

import pytest

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.base.source import Source
from sa.conditions.composition import product
from sa.conditions.environment import closed
from sa.conditions.inductive import NotInductive, not_inductive, not_inductive_diagnostic
from sa.language.elaborate.program import program
from sa.smt.session import Session


def _found(text: str) -> list[NotInductive]:
    threads = program(Source("a.sa", text)).threads
    whole: Automaton = threads[0] if len(threads) == 1 else closed(product(threads))
    return list(not_inductive(Session(Limits()), whole))


def _automaton(inv0: str, inv1: str, edge: str, rely: str = "unchanged x") -> str:
    return f"""automaton T {{ global x : int = 0; rely {rely};
      location q0 initial {{ {inv0} }} location q1 {{ {inv1} }} edge q0 -> q1 {edge} }}"""


def test_a_true_invariant_is_inductive() -> None:
    assert not _found(_automaton("inv x == 0;", "inv x == 1;", "{ x := x + 1; }"))


def test_an_invariant_that_initial_states_violate_is_found() -> None:
    (found,) = _found(_automaton("inv x == 7;", "", "{ skip; }"))
    assert found.initially


def test_an_invariant_that_cuts_a_step_is_found_with_values() -> None:
    (found,) = _found(_automaton("", "inv x == 1;", "{ havoc x; }"))
    assert found.edge is not None and found.location.name == "q1"
    said = not_inductive_diagnostic(found)
    assert said.code == "SA506" and said.span is not None
    assert "`x == 1` is false" in said.message
    assert said.hint is not None and "x = " in said.hint and "x = 1" not in said.hint


def test_an_invariant_that_cuts_the_environment_is_found() -> None:
    (found,) = _found(_automaton("inv x == 0;", "", "{ skip; }", rely="x' >= x"))
    assert found.edge is None and not found.initially


def test_ranges_cut_no_environment_steps() -> None:
    assert not _found("global x : 0..2 = 0;\nthread T { rely x' >= x; skip; }")


def test_a_checked_edge_that_leaves_a_range_is_found() -> None:
    text = "automaton T { global x : 0..2 = 0; location a initial; location b; edge a -> b checked { x := x + 3; } }"
    (found,) = _found(text)
    assert found.edge is not None


def test_another_thread_of_the_product_can_break_an_invariant() -> None:
    (found,) = _found(
        """automaton A { global x : int = 0; location a initial { inv x == 0; } }
           automaton B { global x : int = 0; location b initial; location c; edge b -> c { x := 1; } }"""
    )
    assert found.edge is not None and found.location.name == "a|c"


@pytest.mark.parametrize(
    "statements",
    [
        "x := (x + 1) % 3; f[x % 2] := x;",
        "x := x + 1; x := x - 2;",
        "choose { havoc x; } or { x := y; }",
        "lock(l); await x == 1 { x := x + y; } unlock(l);",
        "local t : 0..1 = x; x := fetch_add(y, 1); b := cas(x, 0, 5);",
        "while (x < 2) { x := 2 * x + 1; } atomic { if (b) { x := x + 1; } x := x + 1; }",
    ],
)
def test_steps_of_structured_threads_stay_within_ranges_or_fail(statements: str) -> None:
    head = "global x, y : 0..2 = 0; global f : 0..2[2] = 0; global b : bool = false; global l : 0..2 = 0;\n"
    assert not _found(f"{head}thread T {{ {statements} }}")
