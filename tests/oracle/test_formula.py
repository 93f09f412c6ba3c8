"""Compiled formulas mean what `sa.terms.evaluate` says, and solutions are all there are."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from sa.automata.automaton import Kind, Variable
from sa.terms.build import (
    add,
    call,
    constant,
    div,
    eq,
    integer,
    ite,
    land,
    le,
    lnot,
    lor,
    lt,
    mod,
    mul,
    scale,
    variable,
)
from sa.terms.evaluate import Unevaluable, evaluate
from sa.terms.sort import BOOL, INT, EnumSort
from sa.terms.term import Function, Term
from tests.oracle.formula import Unbounded, domain_of, predicate, solutions, tuple_of
from tests.parts import for_each

LIGHT = EnumSort("Light", ("Off", "On"))
INTS = (variable("i"), variable("j"))
FLAG = variable("p", BOOL)
LAMP = variable("lamp", LIGHT)
ROW = (*INTS, FLAG, LAMP)
ROWS = list(product(range(-2, 3), range(-2, 3), (False, True), range(2)))


def random_int(rng: Random, depth: int) -> Term:
    if depth == 0:
        return rng.choice([*INTS, integer(rng.randint(-3, 3))])
    one, other = random_int(rng, depth - 1), random_int(rng, depth - 1)
    return rng.choice(
        (
            add(one, other),
            scale(rng.randint(-2, 2), one),
            mul(one, other),
            div(one, rng.choice((2, -3))),
            mod(one, rng.choice((2, -3))),
            ite(random_bool(rng, 0), one, other),
        )
    )


def random_bool(rng: Random, depth: int) -> Term:
    atoms = (
        FLAG,
        eq(LAMP, constant(1, LIGHT)),
        le(random_int(rng, depth), random_int(rng, 0)),
        eq(random_int(rng, depth), random_int(rng, 0)),
    )
    if depth == 0:
        return rng.choice(atoms)
    one, other = random_bool(rng, depth - 1), random_bool(rng, depth - 1)
    return rng.choice((*atoms, land(one, other), lor(one, other), lnot(one), eq(one, other)))


@for_each("seed", range(60))
def test_a_compiled_term_has_the_values_of_the_evaluator(seed: int) -> None:
    rng = Random(seed)
    terms = [random_int(rng, 3), random_bool(rng, 3)]
    compiled = tuple_of(terms, ROW)
    for row in ROWS:
        state = dict(zip(ROW, row, strict=True))
        assert compiled(row) == tuple(evaluate(t, state) for t in terms)


@for_each("seed", range(60))
def test_solutions_are_the_rows_that_satisfy_the_formula_each_once(seed: int) -> None:
    formula = random_bool(Random(seed), 3)
    found = solutions(formula, ROW[:1], ROW[1:], (range(-2, 3), (False, True), range(2)))
    holds = predicate(formula, ROW)
    for i in range(-2, 3):
        rows = found((i,))
        assert len(set(rows)) == len(rows)
        assert set(rows) == {row[1:] for row in ROWS if row[0] == i and holds(row)}


def test_a_formula_without_unknowns_has_one_solution_or_none() -> None:
    positive = solutions(lt(integer(0), INTS[0]), INTS[:1], (), ())
    assert positive((1,)) == [()]
    assert positive((0,)) == []


def test_functions_have_no_values() -> None:
    with pytest.raises(Unevaluable):
        predicate(eq(call(Function("f", (INT,), INT), (INTS[0],)), INTS[1]), ROW)


def test_the_integers_cannot_be_listed() -> None:
    assert list(domain_of(Variable(LAMP, Kind.GLOBAL))) == [0, 1]
    with pytest.raises(Unbounded):
        domain_of(Variable(INTS[0], Kind.GLOBAL))
