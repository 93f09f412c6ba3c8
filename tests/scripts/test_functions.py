"""Meanings of functions without a body: tried, and believed only if all axioms hold for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.limits import Limits
from sa.generation.meanings import meanings
from sa.language.load import load_program, load_script
from sa.scripts.functions import doubt
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.meaning import Meaning, called, in_words, interpreted
from sa.terms.sort import INT
from sa.terms.term import Function


def found(folder: Path, text: str) -> list[Meaning]:
    """The meanings for a program's functions, each of which the solver accepts for all axioms."""
    (folder / "p.sa").write_text(text + "\nthread T { skip; }\n")
    program = load_program(str(folder / "p.sa")).program
    known = list(meanings(Session(Limits()), program.functions, program.axioms))
    for meaning in known:
        for axiom in program.axioms:
            formula = interpreted(axiom.formula, meaning)
            assert not called(formula)
            assert isinstance(Session(Limits()).check((build.lnot(formula),)), Unsat)
    return known


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("function f(int) : int;", "f(x) = x"),
        ("function f(int) : int; axiom forall n : int :: n > 0 ==> f(n) == 0;", "f(x) = if x >= 1 then 0 else x"),
        ("function even(int) : bool; axiom even(0); axiom forall n : int :: n > 0 ==> !even(n);", "even(x) = x <= 0"),
        (
            """function gcd(int, int) : int;
            axiom forall a, b : int :: a > b && b > 0 ==> gcd(a - b, b) == gcd(a, b);
            axiom forall a, b : int :: b > a && a > 0 ==> gcd(a, b - a) == gcd(a, b);""",
            "gcd(x, y) = if x >= 1 && y >= 1 then 0 else 1",
        ),
        ("enum C { Red, Green } function f(C) : C; axiom forall c : C :: f(c) != c ==> c == Red;", "f(x) = x"),
    ],
)
def test_simple_meanings_are_found(text: str, one: str, tmp_path: Path) -> None:
    assert (one,) in [in_words(meaning) for meaning in found(tmp_path, text)]


@pytest.mark.parametrize(
    "axioms",
    [
        "axiom forall n : int :: f(n) == n + 1; axiom forall n : int :: f(n) == n;",
        "axiom forall n : int :: f(f(n)) == n + 1;",
    ],
)
def test_nothing_satisfies_what_contradicts_itself(axioms: str, tmp_path: Path) -> None:
    assert found(tmp_path, "function f(int) : int; " + axioms) == []


def test_calls_inside_of_calls_and_of_quantifiers_are_replaced() -> None:
    function = Function("f", (INT,), INT)
    x, n = build.variable("x"), build.variable("n")
    meaning = Meaning({function: ((x,), build.add(x, build.ONE))})
    nested = build.call(function, (build.call(function, (n,)),))
    assert interpreted(nested, meaning) is build.add(n, build.integer(2))
    assert interpreted(build.forall((n,), build.eq(nested, x)), meaning) is build.forall(
        (n,), build.eq(build.add(n, build.integer(2)), x)
    )


PIGEONS = """function h(int) : int;
axiom forall x : int :: h(x) >= 0 && h(x) < 5;
axiom forall x, y : int :: 0 <= x && x <= 5 && 0 <= y && y <= 5 && x != y ==> h(x) != h(y);
"""


def test_axioms_that_may_contradict_each_other_are_told(tmp_path: Path) -> None:
    """Six pigeons have five holes, which is seen only where somebody asks for all of them."""
    (tmp_path / "p.sa").write_text("global x : int = 0;\nthread T { skip; }\n")
    (tmp_path / "s.sa").write_text(f'import "p.sa" as p; {PIGEONS} lemma one : p preserves x == 0;')
    found = doubt(load_script(str(tmp_path / "s.sa")).script, Limits(), 0)
    assert found is not None and found.code == "SA512"


def test_axioms_that_some_functions_satisfy_are_not_doubted(tmp_path: Path) -> None:
    (tmp_path / "p.sa").write_text("global x : int = 0;\nthread T { skip; }\n")
    axiom = "function f(int) : int; axiom forall x, y : int :: x <= y ==> f(x) <= f(y);"
    (tmp_path / "s.sa").write_text(f'import "p.sa" as p; {axiom} lemma one : p preserves x == 0;')
    assert doubt(load_script(str(tmp_path / "s.sa")).script, Limits(), 0) is None
