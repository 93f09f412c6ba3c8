"""Guards and assignments, for every domain: no state is lost; where they are exact, none is added."""

from __future__ import annotations

from random import Random

import pytest

from sa.domains.boxes import Boxes
from sa.domains.frame import Frame, Precision
from sa.domains.store import Node
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import BOOL, INT, Value
from sa.terms.term import Function, Term, Var
from tests.domains.sampling import (
    CASES,
    DOMAINS,
    FRAME,
    HUE,
    STATES,
    VARIABLES,
    C,
    P,
    X,
    Y,
    domain_called,
    random_set,
    random_value,
    states,
    valuation,
)

#: Tiny budgets send operations down their fallbacks.
TIGHT = Precision(points=2, steps=2, groups=1, cases=2)
BUDGETS = pytest.mark.parametrize("precision", [Precision(), TIGHT], ids=["usual", "tight"])


def random_number(rng: Random, depth: int) -> Term:
    """An integer term over x, y and conditions."""
    if depth == 0:
        return rng.choice((X, Y, build.integer(rng.randint(-3, 3))))
    left, right = (random_number(rng, depth - 1) for _ in range(2))
    match rng.choice(("add", "sub", "scale", "mul", "div", "mod", "ite")):
        case "add":
            return build.add(left, right)
        case "sub":
            return build.sub(left, right)
        case "scale":
            return build.scale(rng.randint(-3, 3), left)
        case "mul":
            return build.mul(left, right)
        case "div":
            return build.div(left, rng.choice((-3, -2, 2, 3)))
        case "mod":
            return build.mod(left, rng.choice((-3, -2, 2, 3)))
        case _:
            return build.ite(random_relation(rng, depth - 1), left, right)


def random_relation(rng: Random, depth: int) -> Term:
    """A formula whose atoms relate variables."""
    match rng.randrange(6):
        case 0:
            return build.le(random_number(rng, depth), random_number(rng, depth))
        case 1:
            return build.eq(random_number(rng, depth), random_number(rng, depth))
        case 2:
            return build.lnot(build.eq(random_number(rng, depth), random_number(rng, depth)))
        case 3:
            hue = build.ite(build.le(X, Y), C, build.constant(rng.randrange(3), HUE))
            return build.eq(hue, build.constant(rng.randrange(3), HUE))
        case 4:
            return build.eq(P, build.lt(random_number(rng, depth), random_number(rng, depth)))
        case _:
            parts = [random_relation(rng, max(0, depth - 1)) for _ in range(2)]
            return build.land(*parts) if rng.random() < 0.5 else build.lor(*parts)


def random_update(rng: Random) -> dict[Var, Term]:
    """A simultaneous update of some variables."""
    hue = rng.choice((C, build.constant(rng.randrange(3), HUE), build.ite(P, C, build.constant(0, HUE))))
    values: dict[Var, Term] = {
        P: rng.choice((build.TRUE, build.lnot(P), random_relation(rng, 1))),
        C: hue,
        X: random_number(rng, rng.randint(0, 2)),
        Y: random_number(rng, rng.randint(0, 2)),
    }
    return {v: values[v] for v in rng.sample(VARIABLES, rng.randint(1, 4))}


def after(update: dict[Var, Term], before: dict[Var, int]) -> dict[Var, Value]:
    """The state that the update leads to."""
    return {**before, **{v: evaluate(t, before) for v, t in update.items()}}


def bounded(domain: Boxes, rng: Random) -> Node:
    """A value whose numbers are all in 0..3."""
    limits = (build.land(build.le(build.ZERO, v), build.le(v, build.integer(3))) for v in (X, Y))
    return domain.guard(random_value(domain, rng), build.land(*limits))


@DOMAINS
@BUDGETS
@CASES
def test_guards_lose_no_state_and_add_none(name: str, precision: Precision, cases: int) -> None:
    domain, rng = domain_called(name, precision), Random(11)
    for _ in range(cases):
        value, formula = random_value(domain, rng), random_relation(rng, rng.randint(0, 2))
        inside, guarded = states(domain, value), states(domain, domain.guard(value, formula))
        assert {s for s in inside if holds(formula, valuation(s))} <= guarded <= inside


@DOMAINS
@BUDGETS
@CASES
def test_assignments_lose_no_state(name: str, precision: Precision, cases: int) -> None:
    domain, rng = domain_called(name, precision), Random(12)
    for _ in range(cases):
        value, update = random_value(domain, rng), random_update(rng)
        image = domain.assign(value, update)
        assert all(domain.contains(image, after(update, valuation(s))) for s in states(domain, value))


@CASES
def test_guards_with_bounds_are_exact_on_boxes(cases: int) -> None:
    domain, rng = Boxes(FRAME), Random(13)
    for _ in range(cases):
        value, formula = random_value(domain, rng), random_set(rng)
        expected = {s for s in states(domain, value) if holds(formula, valuation(s))}
        assert states(domain, domain.guard(value, formula)) == expected


@CASES
def test_guards_and_assignments_are_exact_on_small_ranges(cases: int) -> None:
    domain, rng = Boxes(FRAME), Random(14)
    for _ in range(cases):
        value = bounded(domain, rng)
        inside = states(domain, value)
        formula = build.le(random_number(rng, 1), random_number(rng, 0))
        if rng.random() < 0.5:
            formula = build.eq(random_number(rng, 0), random_number(rng, 1))
        assert states(domain, domain.guard(value, formula)) == {s for s in inside if holds(formula, valuation(s))}
        update = random_update(rng)
        image = domain.assign(value, update)
        reached = {tuple(int(after(update, valuation(s))[v]) for v in VARIABLES) for s in inside}
        # Every integer beyond the sample in the image would show in its hull.
        assert states(domain, image) == reached & set(STATES)
        box = domain.hull(image)
        assert (box is None) == (not reached)
        for i, var in enumerate(VARIABLES):
            assert box is None or box[var] == (min(s[i] for s in reached), max(s[i] for s in reached))


@CASES
def test_constants_shifts_and_reflections_are_exact_on_boxes(cases: int) -> None:
    domain, rng = Boxes(FRAME), Random(15)
    for _ in range(cases):
        value, k, sign = random_value(domain, rng), rng.randint(-3, 3), rng.choice((-1, 1))
        var = rng.choice((X, Y))
        image = domain.assign(value, {var: build.add(build.scale(sign, var), build.integer(k))})
        fixed = domain.assign(value, {var: build.integer(k)})
        for state in STATES:
            there = valuation(state)
            assert domain.contains(image, there) == domain.contains(value, {**there, var: sign * (there[var] - k)})
            if there[var] == k:
                old = ({**there, var: v} for v in range(-3, 4))
                assert domain.contains(fixed, there) == any(domain.contains(value, o) for o in old)
            else:
                assert not domain.contains(fixed, there)


def test_a_multiple_of_one_variable_is_bounded() -> None:
    domain = Boxes(FRAME)
    value = domain.of_formula(build.le(build.integer(10), X))
    assert domain.guard(domain.top(), build.le(build.scale(-3, X), build.integer(-28))) == value
    bounds = build.land(build.le(build.integer(30), Y), build.le(Y, build.integer(50)))
    box = domain.hull(domain.assign(domain.of_formula(bounds), {X: build.scale(2, Y)}))
    assert box is not None
    assert box[X] == (60, 100)


def test_variables_are_swapped_at_once() -> None:
    domain = Boxes(FRAME)
    value = domain.of_formula(build.land(build.eq(X, build.integer(20)), build.le(build.integer(70), Y)))
    swapped = domain.of_formula(build.land(build.eq(Y, build.integer(20)), build.le(build.integer(70), X)))
    assert domain.assign(value, {X: Y, Y: X}) == swapped


def test_a_relation_refines_each_path_and_not_only_the_hull() -> None:
    domain = Boxes(FRAME)
    near, far = build.eq(P, build.TRUE), build.lnot(P)
    low = build.land(near, build.le(build.ZERO, X), build.le(X, build.integer(20)))
    high = build.land(far, build.le(build.integer(500), X), build.le(X, build.integer(600)))
    value = domain.guard(domain.of_formula(build.lor(low, high)), build.le(Y, X))
    expected = build.lor(
        build.land(low, build.le(Y, build.integer(20))), build.land(high, build.le(Y, build.integer(600)))
    )
    assert domain.leq(value, domain.of_formula(expected))


def test_a_variable_that_a_path_leaves_open_is_bounded_by_the_others() -> None:
    domain = Boxes(FRAME)
    value = domain.guard(domain.of_formula(build.le(build.integer(50), X)), build.lt(X, Y))
    assert domain.hull(value) == {P: (0, 1), X: (50, None), C: (0, 2), Y: (51, None)}


@DOMAINS
def test_what_is_not_understood_is_any_value(name: str) -> None:
    domain = domain_called(name)
    function = Function("f", (INT,), INT)
    value = domain.of_formula(build.eq(X, build.ONE))
    assert domain.assign(value, {X: build.call(function, (X,))}) == domain.top()
    assert domain.assign(value, {X: build.variable("unknown")}) == domain.top()
    assert domain.guard(value, build.le(build.call(function, (X,)), X)) == value
    assert domain.guard(value, build.variable("other", BOOL)) == value
    quantified = build.forall((Y,), build.le(X, Y))
    assert domain.guard(value, quantified) == domain.guard(value, build.lnot(quantified)) == value


def test_assignment_is_not_monotone() -> None:
    # The larger set is cut at y = 50, and so its image follows x = y more closely: engines must not rely on
    # monotony. (Ranges here are too long to be looked at point by point.)
    domain = Boxes(Frame((Y, P, X)))
    small = build.land(build.le(build.ZERO, Y), build.le(Y, build.integer(100)), P)
    more = build.land(build.le(build.ZERO, Y), build.le(Y, build.integer(50)), build.lnot(P))
    first, second = domain.of_formula(small), domain.of_formula(build.lor(small, more))
    assert domain.leq(first, second)
    assert not domain.leq(domain.assign(first, {X: Y}), domain.assign(second, {X: Y}))
