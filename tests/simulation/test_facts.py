"""What is true of either side alone is said over its own variables, of every state that it reaches."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.game.board import lay_out
from sa.refinement.facts import facts
from sa.smt.session import Session
from sa.terms import build
from tests.simulation.examples import goal_of


def test_a_counter_stays_within_the_bound_that_its_loop_tests() -> None:
    text = "local i : int = 0; while (i < 9) { i := i + 1; } @a(i) skip;"
    i = build.variable("conc.i")
    goal = goal_of("skip;", text)
    session = Session(Limits())
    for place, formulas in facts(session, lay_out(goal))[0].items():
        assert session.implied(build.le(build.ZERO, i), formulas), place
        assert session.implied(build.le(i, build.integer(9)), formulas), place


def test_a_test_of_a_choice_says_nothing_of_the_state() -> None:
    text = "local i, n : int = 0; atomic { local c : int = 0; havoc c; assume c < n; } i := i + 2; @a(i) skip;"
    goal = goal_of("skip;", text)
    own = {v.var for v in goal.concrete.variables}
    for formulas in facts(Session(Limits()), lay_out(goal))[0].values():
        assert all(f.free <= own for f in formulas)


def test_a_variable_keeps_the_product_and_the_quotient_that_were_stored_in_it() -> None:
    text = "local a, b, t, q : int; assume b > 0; t := a * b; q := a / b; while (*) { skip; } @t(t) skip;"
    goal = goal_of("skip;", text)
    session = Session(Limits())
    a, b, t, q = (build.variable(f"conc.{name}") for name in "abtq")
    known = facts(session, lay_out(goal))[0]
    said = [f for e in goal.concrete.edges if e.label is not None and e.label.action == "t" for f in known[e.source]]
    assert session.implied(build.eq(t, build.mul(a, b)), said)
    assert session.implied(build.le(build.mul(b, q), a), said)
