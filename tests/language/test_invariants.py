"""Invariants of programs name locals of threads and of copies, and invariants above them."""

from __future__ import annotations

import pytest

from sa.automata.program import Invariant
from sa.language.unparse import show_program
from sa.terms.printer import show
from tests.language.texts import complaints, program_of

G = "global x : int = 0; thread T[i : 1..2] { local k : 0..3 = 0; local f : int[2] = 0; CS: k := 1; } "
U = "thread U { local m : int = 0; m := 1; } "


def invariants(text: str) -> tuple[Invariant, ...]:
    return program_of(G + U + text).invariants


def test_a_local_is_named_behind_its_thread() -> None:
    one, two = invariants("invariant a : U.m <= T[1].k; invariant b : T[2].f[1] == 0;")
    assert {v.name for v in one.formula.free} == {"U.m", "T[1].k"}
    assert show(two.formula) == "T[2].f[1] == 0"


def test_the_ranges_of_locals_are_known() -> None:
    (one,) = invariants("invariant a : U.m == 0 || T[1].k <= 3 && T[2].f[T[1].k % 2] == 0;")
    assert {v.name for v in one.formula.free} == {"U.m", "T[1].k", "T[2].f[0]", "T[2].f[1]"}


def test_an_invariant_may_use_those_above_it() -> None:
    *_, three = invariants("invariant a : x >= 0; invariant b : x <= 3; invariant c : a && b;")
    (by_hand,) = invariants("invariant c : x >= 0 && x <= 3;")
    assert three.formula == by_hand.formula


def test_a_variable_with_the_name_of_an_invariant_is_meant_where_both_could_be() -> None:
    (_, two) = program_of("global a : bool = true; thread T { skip; } invariant a : !a; invariant b : a;").invariants
    assert show(two.formula) == "a"


def test_a_local_of_a_copy_is_one_for_each_copy_that_is_spoken_of() -> None:
    program = program_of(
        "thread T[i : *] { local k : int = 0; k := 1; } invariant a : forall i, j : T :: T[i].k <= T[j].k + 1;"
    )
    again = program_of(show_program(program))
    assert [i.formula for i in again.invariants] == [i.formula for i in program.invariants]
    assert {v.name for v in program.invariants[0].formula.free} == {"T[i].k", "T[j].k"}


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("invariant a : U.k == 0;", "SA101", "U.k"),
        ("invariant a : T[3].k == 0;", "SA101", "T[3].k"),
        ("invariant a : T[x].k == 0;", "SA101", "T[x].k"),
        ("invariant a : b; invariant b : x == 0;", "SA101", "b"),
        ("invariant a : x + 1 == 1; invariant b : a > 0;", "SA201", "a"),
    ],
)
def test_what_is_wrong_with_them_is_said_where_it_stands(text: str, code: str, where: str) -> None:
    assert (code, where) in complaints(G + U + text)


@pytest.mark.parametrize("head", ["thread T", "thread T[*]"])
def test_a_name_that_two_locals_of_a_thread_have_is_none_in_an_invariant(head: str) -> None:
    """Of other types they are other variables, and a claim about the first would be silent about the second."""
    claim = "T.y <= 2" if head == "thread T" else "forall i : T :: T[i].y <= 2"
    other = "local y : 0..9 = 2; y := 7;"
    text = f"{head} {{ if (*) {{ local y : 0..1 = 1; skip; }} else {{ {other} }} }} invariant a : {claim};"
    assert [code for code, _ in complaints(text)] == ["SA103"]
    assert not complaints(text.replace("0..9 = 2; y := 7", "0..1 = 0; y := 1"))
