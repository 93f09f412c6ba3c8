"""Lemmas of which there is no last one: what they have in common is excluded, and no play follows from that."""

from __future__ import annotations

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.simulation.widening import ALIKE, wider_than
from sa.terms import build
from sa.terms.term import Term
from tests.endtoend.asking import read

X, Y = build.variable("x"), build.variable("y")


def _cube(value: int) -> tuple[Term, ...]:
    return build.le(X, Y), build.ne(X, build.integer(value))


def test_few_lemmas_stay_as_they_are() -> None:
    assert wider_than(_cube(0), [_cube(n) for n in range(1, ALIKE)]) == _cube(0)


def test_many_lemmas_for_one_reason_leave_what_they_have_in_common() -> None:
    assert wider_than(_cube(0), [_cube(n) for n in range(1, ALIKE + 1)]) == (build.le(X, Y),)


#: Which values others may leave in `x` so that an operation changes them cannot be said without a quantifier.
OPERATIONS = """
function f(int) : int; function g(int) : int;
global x : int = 0;
thread T[*] { local op : bool = false; local old : int = 0;
  while (true) { atomic { havoc op; old := x; x := if op then f(x) else g(x); } @did(op, old) skip; } }
"""
SWAPPED = """
function f(int) : int; function g(int) : int;
global x : int = 0;
thread T[*] { local op, ok : bool = false; local old, next : int = 0;
  while (true) {
    havoc op; ok := false;
    while (!ok) { old := x; if (op) { next := f(old); } else { next := g(old); } ok := cas(x, old, next); }
    @did(op, old) skip;
  } }
"""


def test_two_unknown_operations_by_compare_and_swap() -> None:
    # 10 s on a quiet machine; beside other tests searches are cut short and begun again.
    asked = Options(limits(100.0, None))
    assert refine(*read(OPERATIONS, SWAPPED), asked).verdict is Verdict.PROVED
    wrong = SWAPPED.replace("next := g(old)", "next := f(old)")
    assert refine(*read(OPERATIONS, wrong), Options(limits(10.0, None))).verdict is not Verdict.PROVED
