"""Polyhedra and linear programs, compared with all points of a small grid and with a second way to compute."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf
from random import Random

import pytest

from sa.base.limits import Limits
from sa.domains import polyhedra, zones
from sa.domains.linear_programming import supremum
from sa.domains.polyhedra import EVERYTHING, Polyhedron
from sa.terms import build
from sa.terms.evaluate import evaluate
from sa.terms.sort import BOOL, Value
from sa.terms.substitute import primed
from sa.terms.term import Term, Var

X, Y, Z = (build.variable(n) for n in "xyz")
NUMBERS = (X, Y, Z)
assert all(isinstance(v, Var) for v in NUMBERS)
VARIABLES: tuple[Var, ...] = tuple(v for v in NUMBERS if isinstance(v, Var))
GRID = range(-3, 4)
BOX = build.land(*(build.land(build.le(build.integer(-3), v), build.le(v, build.integer(3))) for v in VARIABLES))
POINTS = [dict(zip(VARIABLES, values, strict=True)) for values in product(GRID, repeat=3)]


def row(rng: Random) -> Term:
    """A random inequality, equation or disequality."""
    total = build.combine(rng.randint(-4, 4), [(v, rng.randint(-2, 2)) for v in VARIABLES])
    kind = rng.randrange(6)
    made = build.is_zero(total) if kind == 0 else build.at_most_zero(total)
    return build.lnot(build.is_zero(total)) if kind == 1 else made


def sample(rng: Random) -> tuple[Term, Polyhedron | None]:
    """A formula within the grid, and its polyhedron."""
    formula = build.land(BOX, *(row(rng) for _ in range(rng.randint(1, 3))))
    return formula, polyhedra.meet(EVERYTHING, formula, Limits())


def states(formula: Term) -> list[dict[Var, Value]]:
    """The points of the grid where a formula holds."""
    return [p for p in POINTS if evaluate(formula, p)]


def inside(polyhedron: Polyhedron, point: dict[Var, Value]) -> bool:
    """Whether a point is in a polyhedron."""
    return bool(evaluate(build.land(*polyhedra.formulas(polyhedron)), point))


def test_a_bound_is_the_least_one() -> None:
    rows = [(-4, {"x": 1, "y": 1}), (0, {"x": -1}), (0, {"y": -2}), (-3, {"x": 2, "y": -1})]
    assert supremum(rows, {"x": 1}, Limits()) == Fraction(7, 3)
    assert supremum(rows, {"y": 1}, Limits()) == 4
    assert supremum(rows[1:3], {"x": 1}, Limits()) == inf
    assert supremum([(1, {"x": 1}), (1, {"x": -1})], {}, Limits()) == -inf
    assert supremum([(0, {"x": 1}), (0, {"x": -1}), (0, {"x": 2, "y": 1})], {"y": 1, "x": -5}, Limits()) == 0


@pytest.mark.parametrize("seed", range(25))
def test_operations_lose_no_state(seed: int) -> None:
    rng, bounds = Random(seed), Limits()
    (one, first), (two, second) = sample(rng), sample(rng)
    if first is None or second is None:
        assert not (states(one) if first is None else states(two))
        return
    assert all(inside(first, p) for p in states(one))
    joined = polyhedra.join(first, second, bounds)
    assert all(inside(joined, p) for p in (*states(one), *states(two)))
    assert polyhedra.leq(first, joined, bounds)
    assert polyhedra.leq(polyhedra.minimal(first, bounds), first, bounds)
    assert polyhedra.leq(joined, polyhedra.widen(first, joined, bounds), bounds)
    met = polyhedra.both(first, second, bounds)
    common = states(build.land(one, two))
    assert not common if met is None else all(inside(met, p) for p in common)
    gone = VARIABLES[:1]
    left = polyhedra.forget(first, gone, bounds)
    assert all(v not in gone for d in left for v, _ in d)
    assert all(inside(left, p) for p in states(one))
    updates = {VARIABLES[0]: build.combine(rng.randint(-1, 1), [(v, rng.randint(-1, 1)) for v in VARIABLES])}
    after = polyhedra.after(first, zones.step(build.TRUE, updates), updates, bounds)
    assert after is not None
    assert all(inside(after, {**p, **{v: evaluate(t, p) for v, t in updates.items()}}) for p in states(one))


@pytest.mark.parametrize("seed", range(25))
def test_inclusion_is_never_claimed_where_it_is_not(seed: int) -> None:
    rng = Random(seed)
    (one, first), (_, second) = sample(rng), sample(rng)
    if first is not None and second is not None and polyhedra.leq(first, second, Limits()):
        assert all(inside(second, p) for p in states(one))


def test_a_sum_keeps_its_bound_when_a_part_is_forgotten() -> None:
    known = polyhedra.meet(EVERYTHING, build.land(build.le(X, build.add(Y, Z)), build.le(Y, Z)), Limits())
    assert known is not None
    left = polyhedra.forget(known, VARIABLES[1:2], Limits())
    assert list(polyhedra.formulas(left)) == [build.le(X, build.scale(2, Z))]


def test_a_join_keeps_what_follows_without_one_variable() -> None:
    """x <= y <= z on one side and x <= 2 z on the other: x <= z follows from the first by y alone."""
    positive = build.le(build.ONE, Z)
    first = polyhedra.meet(EVERYTHING, build.land(build.le(X, Y), build.le(Y, Z), positive), Limits())
    second = polyhedra.meet(EVERYTHING, build.land(build.le(X, build.scale(2, Z)), positive), Limits())
    assert first is not None
    assert second is not None
    joined = polyhedra.join(first, second, Limits())
    assert build.le(X, build.scale(2, Z)) in polyhedra.formulas(joined)


def test_constants_are_rounded_to_whole_numbers() -> None:
    assert polyhedra.meet(EVERYTHING, build.is_zero(build.combine(1, [(X, 2)])), Limits()) is None


def test_booleans_count_as_numbers() -> None:
    b = build.variable("b", BOOL)
    assert isinstance(b, Var)
    known = polyhedra.meet(EVERYTHING, b, Limits())
    assert known is not None
    assert polyhedra.meet(known, build.lnot(b), Limits()) is None
    assert evaluate(build.land(*polyhedra.formulas(known)), {b: True})
    assert primed(b).sort == BOOL
