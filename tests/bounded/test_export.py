"""The exported question has the engine's answer, for another solver too."""

from __future__ import annotations

import pytest
import z3

from sa.base.budget import Budget
from sa.base.limits import Limits, Unsupported
from sa.bounded.export import formula
from tests.bounded.test_engine import IN_ORDER, asked


def answer(text: str) -> str:
    """What a solver of integers and bit-vectors says of a script."""
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


@pytest.mark.parametrize(("rounds", "expected"), [(1, "sat"), (2, "sat")])
def test_a_violation_within_the_bounds_is_a_model(rounds: int, expected: str) -> None:
    assert answer(formula(asked(IN_ORDER), rounds, 0, Budget(Limits()))) == expected


def test_without_a_violation_there_is_no_model_and_the_header_says_what_was_left_out() -> None:
    text = "global x : int = 0; thread B { await x == 1; x := 2; await x == 3; x := 4; } "
    text += "thread A { x := 1; await x == 2; x := 3; } invariant below : x < 4;"
    one, two = (formula(asked(text), rounds, 0, Budget(Limits())) for rounds in (1, 2))
    assert (answer(one), answer(two)) == ("unsat", "sat")
    assert "unsat: there is none, with any numbers" in one
    growing = "global x : int; thread A { x := x * x; assert x >= 0; }"
    assert "with numbers of unknown size up to 15" in formula(asked(growing), 1, 0, Budget(Limits()))


def test_arrays_are_exported_with_integers_and_functions_are_not_exported() -> None:
    text = "global a : int[2] = 0; global f : 0..1; thread A { a[f] := 3; assert a[1] != 3; }"
    assert answer(formula(asked(text), 1, 0, Budget(Limits()))) == "sat"
    with_function = "function f(int) : int; global x : int = 0; init f(0) == 1; thread A { assert x != 0; }"
    with pytest.raises(Unsupported):
        formula(asked(with_function), 1, 0, Budget(Limits()))
