"""Equations that Horn clauses leave: those that hold, and none that a clause breaks."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.invariants.karr_clauses import affine_equations
from sa.smt.horn import Atom, Clause
from sa.terms import build
from sa.terms.term import Term

X, Y, D = (build.variable(name) for name in "xyd")
PARAMETERS = {"p": (X, Y), "q": (X, Y)}


def _at(name: str, *arguments: Term) -> Atom:
    return Atom(name, arguments)


def _grows(by: int) -> list[Clause]:
    """It begins with zeroes; both grow by the same unknown number, the second by more."""
    start = Clause((), build.land(build.eq(X, build.ZERO), build.eq(Y, build.ZERO)), _at("p", X, Y))
    step = Clause(
        (_at("p", X, Y),), build.TRUE, _at("p", build.add(X, D), build.add(Y, build.add(D, build.integer(by))))
    )
    return [start, step]


def test_what_every_step_keeps_is_found() -> None:
    assert affine_equations(PARAMETERS, _grows(0), Limits())["p"] == (build.eq(X, Y),)


def test_what_a_step_breaks_is_not() -> None:
    assert affine_equations(PARAMETERS, _grows(1), Limits())["p"] == ()


def test_of_what_is_impossible_nothing_is_said() -> None:
    never = Clause((_at("q", X, Y),), build.TRUE, _at("p", Y, build.ONE))
    found = affine_equations(PARAMETERS, [*_grows(0), never], Limits())
    assert (found["p"], found["q"]) == ((build.eq(X, Y),), ())


def test_two_predicates_are_known_together() -> None:
    other = Clause((), build.eq(X, build.ONE), _at("q", X, Y))
    both = Clause((_at("p", X, Y), _at("q", D, Y)), build.TRUE, _at("p", build.sub(X, D), build.sub(Y, build.ONE)))
    found = affine_equations(PARAMETERS, [*_grows(0), other, both], Limits())
    assert found["p"] == (build.eq(X, Y),)


def test_numbers_that_one_condition_changes_are_known_together() -> None:
    # Two numbers that a compare-and-swap moves, or neither of them.
    won = build.eq(X, D)
    step = Clause(
        (_at("p", X, Y),),
        build.TRUE,
        _at("p", build.ite(won, build.sub(X, build.ONE), X), build.ite(won, build.add(Y, build.ONE), Y)),
    )
    start = Clause((), build.land(build.eq(X, build.integer(5)), build.eq(Y, build.ZERO)), _at("p", X, Y))
    assert affine_equations(PARAMETERS, [start, step], Limits())["p"] == (build.eq(build.add(X, Y), build.integer(5)),)


def test_what_holds_in_one_case_only_is_not() -> None:
    won = build.eq(X, D)
    step = Clause(
        (_at("p", X, Y),),
        build.TRUE,
        _at("p", build.ite(won, build.sub(X, build.ONE), X), build.ite(won, build.add(Y, build.ONE), build.sub(Y, D))),
    )
    start = Clause((), build.land(build.eq(X, build.integer(5)), build.eq(Y, build.ZERO)), _at("p", X, Y))
    assert affine_equations(PARAMETERS, [start, step], Limits())["p"] == ()
