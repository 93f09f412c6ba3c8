"""Terms: equal terms are one object, and every operation means what evaluation says."""

from __future__ import annotations

import pickle
from random import Random

import pytest

from sa.terms import build
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.implicant import implicant
from sa.terms.project import project
from sa.terms.sort import INT
from sa.terms.substitute import prime, substitute
from sa.terms.term import And, Forall, Function, Or, Term
from tests.generators.terms import BOOLS, COLOURS, INTS, VARIABLES, random_formula, random_integer, random_state
from tests.parts import for_each

X, Y, Z = INTS
CASES = range(400)


def test_equal_terms_are_one_object() -> None:
    assert build.add(X, Y) is build.add(Y, X)
    assert build.lt(X, Y) is build.lnot(build.le(Y, X))
    assert build.eq(build.scale(2, X), build.scale(2, Y)) is build.eq(Y, X)
    assert build.land(BOOLS[0], BOOLS[1]) is build.land(BOOLS[1], BOOLS[0], BOOLS[1])


def test_comparisons_are_tightened_over_the_integers() -> None:
    assert build.le(build.scale(2, X), build.integer(5)) is build.le(X, build.integer(2))
    assert build.eq(build.scale(2, X), build.integer(5)) is build.FALSE


def test_contradictions_and_tautologies_fold() -> None:
    assert build.land(build.lt(X, Y), build.le(Y, X)) is build.FALSE
    assert build.lor(BOOLS[0], build.lnot(BOOLS[0])) is build.TRUE


def test_terms_pickle_to_themselves() -> None:
    rng = Random(1)
    for _ in range(50):
        term = random_formula(rng, 3)
        assert pickle.loads(pickle.dumps(term)) is term


@for_each("seed", CASES)
def test_division_is_euclidean_and_arithmetic_is_that_of_the_integers(seed: int) -> None:
    rng = Random(seed)
    left, right, state = random_integer(rng, 2), random_integer(rng, 2), random_state(rng)
    a, b = int(evaluate(left, state)), int(evaluate(right, state))
    assert evaluate(build.add(left, right), state) == a + b
    assert evaluate(build.mul(left, right), state) == a * b
    assert evaluate(build.sub(left, right), state) == a - b
    assert holds(build.le(left, right), state) == (a <= b)
    assert holds(build.eq(left, right), state) == (a == b)
    for divisor in (-3, 2):
        quotient, rest = evaluate(build.div(left, divisor), state), evaluate(build.mod(left, divisor), state)
        assert a == divisor * quotient + rest
        assert 0 <= rest < abs(divisor)


@for_each("seed", CASES)
def test_connectives_mean_what_they_say(seed: int) -> None:
    rng = Random(seed)
    f, g, state = random_formula(rng, 3), random_formula(rng, 3), random_state(rng)
    a, b = holds(f, state), holds(g, state)
    assert holds(build.lnot(f), state) == (not a)
    assert holds(build.land(f, g), state) == (a and b)
    assert holds(build.lor(f, g), state) == (a or b)
    assert holds(build.eq(f, g), state) == (a == b)
    assert holds(build.ite(f, g, build.lnot(g)), state) == (b if a else not b)


@for_each("seed", CASES)
def test_substitution_is_evaluation_in_the_updated_state(seed: int) -> None:
    rng = Random(seed)
    formula, state = random_formula(rng, 3), random_state(rng)
    mapping = {X: random_integer(rng, 2), Y: random_integer(rng, 1), BOOLS[0]: random_formula(rng, 1)}
    updated = {**state, **{v: evaluate(t, state) for v, t in mapping.items()}}
    assert holds(substitute(formula, mapping), state) == holds(formula, updated)


def test_substitution_does_not_capture_bound_variables() -> None:
    bound = build.forall((Y,), build.le(X, Y))
    result = substitute(bound, {X: Y})
    assert isinstance(result, Forall)
    assert Y in result.free
    assert result.binders != (Y,)


def test_priming_leaves_other_variables_alone() -> None:
    assert prime(build.lt(X, Y), (X,)).free == {build.variable("x", INT, 1), Y}


def test_a_function_without_a_body_has_no_value() -> None:
    called = build.call(Function("f", (INT,), INT), (X,))
    with pytest.raises(Unevaluable):
        evaluate(called, random_state(Random(0)))


@for_each("seed", CASES)
def test_an_implicant_is_true_in_its_state_and_implies_the_formula(seed: int) -> None:
    rng = Random(seed)
    formula, state = random_formula(rng, 3), random_state(rng)
    formula = formula if holds(formula, state) else build.lnot(formula)
    literals = implicant((formula,), state)
    assert all(holds(literal, state) and not isinstance(literal, And | Or) for literal in literals)
    for _ in range(60):
        other = random_state(rng)
        if all(holds(literal, other) for literal in literals):
            assert holds(formula, other)


@for_each("seed", CASES)
def test_projection_holds_in_its_state_implies_a_witness_and_is_exact_where_it_says_so(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, -2, 2)
    formula = random_formula(rng, 3, linear=True)
    literals = implicant((formula if holds(formula, state) else build.lnot(formula),), state)
    gone = (X, BOOLS[0], COLOURS[0])
    projected, exact = project(literals, gone, state)
    assert all(holds(p, state) and p.free.isdisjoint(gone) for p in projected)
    for _ in range(20):
        other = random_state(rng, -2, 2)
        witnesses = (
            {**other, X: x, BOOLS[0]: p, COLOURS[0]: c} for x in range(-60, 61) for p in (False, True) for c in range(3)
        )
        possible = any(all(holds(literal, w) for literal in literals) for w in witnesses)
        if all(holds(p, other) for p in projected):
            assert possible
        elif exact:
            assert not possible


@for_each("seed", CASES)
def test_projection_of_a_number_of_which_remainders_are_asked_for(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, -6, 6)

    def total() -> Term:
        return build.add(build.scale(rng.choice((-1, 0, 1)), Y), build.integer(rng.randint(-3, 3)))

    asked = [
        build.eq(build.mod(build.add(build.scale(rng.choice((1, -1)), X), total()), n), build.ZERO) for n in (2, 3)
    ]
    offered = (*asked, build.le(X, total()), build.le(total(), X), build.eq(X, total()))
    literals = [f if holds(f, state) else build.lnot(f) for f in rng.sample(offered, rng.randint(1, len(offered)))]
    projected, _ = project(literals, (X,), state)
    assert all(holds(p, state) and X not in p.free for p in projected)
    for y in range(-9, 10):
        other = {**state, Y: y}
        if all(holds(p, other) for p in projected):
            assert any(all(holds(f, {**other, X: x}) for f in literals) for x in range(-30, 31))


def test_free_variables_are_those_that_matter() -> None:
    assert build.sub(build.add(X, Y), X).free == {Y}
    assert set(VARIABLES) >= random_formula(Random(3), 3).free


def test_a_value_of_nested_choices_is_found_at_once_where_each_choice_holds_the_one_before_three_times() -> None:
    x = INTS[0]
    term: Term = x
    for _ in range(100):
        term = build.ite(build.le(term, build.integer(9)), build.add(term, build.integer(3)), build.scale(2, term))
    assert evaluate(term, {x: 0}) == 12 * 2**96
