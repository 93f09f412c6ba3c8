"""Equations of degree two are facts of a side where no step breaks them; what needs them is proved, twins are not."""

from __future__ import annotations

import pytest

from sa.base.budget import Shared
from sa.base.limits import Limits
from sa.game.board import lay_out
from sa.refinement.facts import facts, with_equations
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term
from tests.simulation.examples import answer, goal_of

FUSED = "local i, s, t : int = 0; while (i < n) { s := s + i; t := t + 2 * i; i := i + 1; } @out(s, t) skip;"
FISSION = """
    local i, j, s, t : int = 0;
    while (i < n) { s := s + i; i := i + 1; }
    while (j < n) { t := t + 2 * j; j := j + 1; }
    @out(s, t) skip;
    """
ROWS = "local i, j : int = 0; while (i < n) { j := 0; while (j < m) { s := s + 1; j := j + 1; } i := i + 1; }"
COLUMNS = "local i, j : int = 0; while (j < m) { i := 0; while (i < n) { s := s + 1; i := i + 1; } j := j + 1; }"
SHARED = "param n, m : int; global s : int = 0;"


def at_out(text: str, shared: str = "") -> tuple[Session, tuple[Term, ...], tuple[Term, ...]]:
    """What facts say where a thread shows something, without equations and with them."""
    goal, session = goal_of("skip;", text, shared), Session(Limits())
    known = facts(session, lay_out(goal))
    more = with_equations(session, goal, known, Shared())
    (place,) = (e.source for e in goal.concrete.edges if e.label is not None and e.label.action == "out")
    return session, known[0][place], more[0][place]


def test_a_sum_is_what_the_counter_says() -> None:
    session, before, known = at_out("local i, s : int = 0; while (*) { s := s + i; i := i + 1; } @out(s) skip;")
    i, s = build.variable("conc.i"), build.variable("conc.s")
    sum_of_all = build.eq(build.scale(2, s), build.sub(build.mul(i, i), i))
    assert session.implied(sum_of_all, known)
    assert not session.implied(sum_of_all, before)


def test_an_equation_may_hold_only_where_the_loop_is_entered() -> None:
    text = "local i, s : int = 0; while (i < n) { s := s + m; i := i + 1; } @out(s) skip;"
    session, _, known = at_out(text, "param n, m : int;")
    n, m, s = (build.variable(name) for name in ("n", "m", "conc.s"))
    product = build.eq(s, build.mul(n, m))
    assert session.implied(build.implies(build.le(build.ZERO, n), product), known)
    assert not session.implied(product, known)


def test_an_equation_may_be_about_what_halving_leaves_over() -> None:
    text = """
    local a : int = n; local b : int = m; local r : int = 0;
    while (b > 0) { if (b % 2 == 1) { r := r + a; } a := 2 * a; b := b / 2; }
    @out(r) skip;
    """
    session, before, known = at_out(text, "param n, m : int; init m >= 0;")
    n, m, r = (build.variable(name) for name in ("n", "m", "conc.r"))
    product = build.eq(r, build.mul(n, m))
    assert session.implied(product, known)
    assert not session.implied(product, before)


def test_what_holds_in_few_runs_only_is_not_said() -> None:
    # It is broken at a number that no random run comes to.
    text = "local i, s : int = 0; while (*) { s := s + (if i == 1000 then 0 else i); i := i + 1; } @out(s) skip;"
    _, before, known = at_out(text)
    assert known == before


def test_where_all_equations_are_linear_nothing_is_added() -> None:
    _, before, known = at_out("local i, k : int = 0; while (*) { k := k + 2; i := i + 1; } @out(k) skip;")
    assert known == before


@pytest.mark.parametrize(
    ("shared", "abstract", "concrete"),
    [("param n : int;", FUSED, FISSION), (SHARED, ROWS, COLUMNS)],
    ids=["fission", "interchange"],
)
def test_loops_in_another_order_refine_those_that_compute_the_same_sums(
    shared: str, abstract: str, concrete: str
) -> None:
    assert answer(abstract, concrete, shared) == "proved"


@pytest.mark.parametrize(
    ("shared", "abstract", "concrete"),
    [
        ("param n : int;", FUSED.replace("2 * i", "s"), FISSION.replace("2 * j", "s")),
        ("param n : int;", FUSED, FISSION.replace("(j < n)", "(j <= n)")),
        (SHARED, ROWS + " @done skip;", COLUMNS.replace("(j < m)", "(j <= m)") + " @done skip;"),
    ],
    ids=["the second loop reads what the first computes", "one turn more", "one row more"],
)
def test_loops_that_compute_other_sums_are_refuted(shared: str, abstract: str, concrete: str) -> None:
    assert answer(abstract, concrete, shared) == "refuted"
