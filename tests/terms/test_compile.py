"""Compiled terms have the values that evaluation gives them."""

from __future__ import annotations

from random import Random

import pytest

from sa.terms import build
from sa.terms.compile import compiled, executable, guarded, predicate
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.sort import BOOL, INT, ArraySort, array_value
from sa.terms.term import Function, Term
from tests.generators.terms import BOOLS, INTS, VARIABLES, random_formula, random_integer, random_state

X, Y, Z = INTS
ROW = tuple(0 for _ in VARIABLES)


def test_compiled_terms_have_the_value_that_evaluation_gives() -> None:
    rng = Random(1)
    for _ in range(800):
        number, formula = random_integer(rng, 4), random_formula(rng, 4)
        value, truth = compiled(number, VARIABLES), predicate(formula, VARIABLES)
        together = guarded(formula, (*VARIABLES[:4], number, *VARIABLES[2:]), VARIABLES)
        for _ in range(5):
            state = random_state(rng)
            row = tuple(state[v] for v in VARIABLES)
            assert value(row) == evaluate(number, state)
            assert truth(row) is holds(formula, state)
            expected = (*row[:4], value(row), *row[2:]) if truth(row) else None
            assert together(row) == expected


def test_deep_terms_and_shared_subterms_are_compiled() -> None:
    deep: Term = X
    for i in range(2_000):
        deep = build.ite(build.le(deep, build.integer(i)), build.add(deep, build.ONE), build.mul(Y, Y))
    row = (0, 3, *ROW[2:])
    assert compiled(deep, VARIABLES)(row) == 2_000


def test_a_row_may_be_longer_than_it_is_said_to_be() -> None:
    assert compiled(build.add(X, Y), (X, Y))((1, 2, 3)) == 3


def test_what_has_no_value_has_none_compiled_either() -> None:
    call = build.call(Function("f", (INT,), INT), (X,))
    either = build.ite(BOOLS[0], X, call)
    row = tuple(v in BOOLS for v in VARIABLES)
    assert compiled(either, VARIABLES)(row) == 0
    for term, variables in ((call, VARIABLES), (build.add(X, Z), (X, Y))):
        assert not executable((term,), variables)
        with pytest.raises(Unevaluable):
            compiled(term, variables)(ROW)
        with pytest.raises(Unevaluable):
            guarded(build.TRUE, (term,), variables)(ROW)
    assert guarded(build.FALSE, (call,), VARIABLES)(ROW) is None


def test_a_guard_and_values_may_both_have_arrays_of_one_value() -> None:
    sort = ArraySort(INT, BOOL)
    h, n = build.variable("h", sort), build.variable("n", INT)
    everywhere = build.constant_array(sort, build.FALSE)
    function = guarded(build.eq(h, everywhere), (h, build.add(n, build.ONE)), (h, n))
    assert function((array_value(sort, False, {}), 3)) == (array_value(sort, False, {}), 4)
