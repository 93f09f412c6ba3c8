"""Terms over columns have in each state the value that evaluation gives them, or no function at all."""

from __future__ import annotations

from random import Random

import pytest

from sa.terms import build
from sa.terms.columns import Columns, Ends, NoColumns, over_columns
from sa.terms.evaluate import evaluate
from sa.terms.sort import BOOL, INT
from sa.terms.term import Function, Term, Var
from tests.generators.terms import INTS, VARIABLES, random_formula, random_integer, random_state

np = pytest.importorskip("numpy")

X, Y, _ = INTS
ENDS: dict[Var, Ends] = dict.fromkeys(VARIABLES, (-100, 100))


def test_each_row_has_the_value_that_evaluation_gives_and_it_is_between_the_ends() -> None:
    rng = Random(1)
    for _ in range(800):
        states = [random_state(rng) for _ in range(6)]
        columns: Columns = {
            v: np.array([s[v] for s in states], bool if v.sort == BOOL else np.int64) for v in VARIABLES
        }
        for term in (random_integer(rng, 4), random_formula(rng, 4)):
            of, (low, high) = over_columns(term, ENDS)
            found = np.broadcast_to(of(columns), (6,)).tolist()
            assert found == [evaluate(term, s) for s in states]
            assert all(low <= x <= high for x in found)


def test_values_that_could_leave_62_bits_are_not_computed() -> None:
    wide: dict[Var, Ends] = {X: (0, 1 << 40), Y: (-(1 << 30), 1 << 30)}
    square = build.mul(X, X)
    for term in (square, build.eq(square, X), build.scale(1 << 30, X), build.integer(1 << 70)):
        with pytest.raises(NoColumns):
            over_columns(term, wide)
    assert over_columns(build.mul(Y, Y), wide)[1] == (-(1 << 60), 1 << 60)


def test_divisors_beyond_62_bits_have_no_columns() -> None:
    x = build.variable("x")
    with pytest.raises(NoColumns):
        over_columns(build.div(x, 2**63), {x: (0, 3)})


def test_what_has_no_columns() -> None:
    deep: Term = X
    for i in range(2_000):
        deep = build.ite(build.le(deep, build.integer(i)), build.add(deep, build.ONE), X)
    for term in (deep, build.call(Function("f", (INT,), INT), (X,)), build.add(X, Y)):
        with pytest.raises(NoColumns):
            over_columns(term, {X: (0, 1)})


def test_subterms_that_occur_often_are_computed_once() -> None:
    """A tree with 2 ** 30 leaves, written out, would not be computed at all."""
    doubled: Term = X
    values = [0, 40]
    for i in range(30):
        doubled = build.ite(build.le(doubled, build.integer(i)), doubled, build.sub(doubled, build.ONE))
        values = [v if v <= i else v - 1 for v in values]
    of, _ = over_columns(doubled, {X: (0, 40)})
    assert of({X: np.array([0, 40])}).tolist() == values
