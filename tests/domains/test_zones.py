"""Zones: no state is lost by any operation, and differences between variables are kept exactly."""

from __future__ import annotations

from random import Random

from sa.domains.zones import EVERYTHING, Zone, after, forget, formulas, join, meet, step, widen
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import BOOL, Value
from sa.terms.term import Term, Var
from tests.generators.terms import BOOLS, INTS, VARIABLES, random_formula, random_integer, random_state
from tests.parts import for_each

X, Y, Z = INTS
STATES = 60


def _said(zone: Zone) -> Term:
    return build.land(*formulas(zone))


def _has(zone: Zone, state: dict[Var, Value]) -> bool:
    """Whether a state is in a zone, all sorts of variables looked at."""
    number = {None: 0, **{v: int(x) for v, x in state.items() if isinstance(x, int)}}
    inside = all(number[x] - number[y] <= c for (x, y), c in zone.bounds.items())
    return inside and all(number[x] - number[y] != c for x, y, c in zone.apart)


def _simple(rng: Random) -> Term:
    """A comparison of two variables, or of one with a constant."""
    left, right = rng.choice(INTS), rng.choice((*INTS, build.ZERO))
    total = build.add(build.sub(left, right), build.integer(rng.randint(-2, 2)))
    return rng.choice((build.at_most_zero(total), build.is_zero(total), build.lnot(build.is_zero(total))))


def _random_zone(rng: Random) -> Zone:
    while True:
        zone = meet(EVERYTHING, build.land(*(_simple(rng) for _ in range(rng.randint(1, 4)))))
        if zone is not None:
            return zone


@for_each("seed", range(200))
def test_meet_keeps_every_state_in_which_the_formula_holds(seed: int) -> None:
    rng = Random(seed)
    zone, formula = _random_zone(rng), random_formula(rng, 2)
    met = meet(zone, formula)
    for _ in range(STATES):
        state = random_state(rng)
        if _has(zone, state) and holds(formula, state):
            assert met is not None
            assert _has(met, state)
            assert holds(_said(met), state)


@for_each("seed", range(200))
def test_what_two_variables_are_compared_by_is_kept_exactly(seed: int) -> None:
    rng = Random(seed)
    asked = [_simple(rng) for _ in range(3)]
    zone = meet(EVERYTHING, build.land(*asked))
    for _ in range(STATES):
        state = random_state(rng)
        inside = zone is not None and holds(_said(zone), state)
        assert inside == all(holds(f, state) for f in asked)


@for_each("seed", range(200))
def test_join_and_widening_contain_both(seed: int) -> None:
    rng = Random(seed)
    first, second = _random_zone(rng), _random_zone(rng)
    joined = join(first, second)
    widened = widen(first, joined, (-1, 0, 1))
    for _ in range(STATES):
        state = random_state(rng)
        if _has(first, state) or _has(second, state):
            assert _has(joined, state)
            assert _has(widened, state)


@for_each("seed", range(300))
def test_a_step_contains_every_successor(seed: int) -> None:
    rng = Random(seed)
    zone, guard = _random_zone(rng), random_formula(rng, 1)
    updates: dict[Var, Term] = {v: random_integer(rng, 2) for v in rng.sample(INTS, rng.randint(0, 3))}
    updates.update((v, random_formula(rng, 1)) for v in BOOLS if rng.random() < 0.3)
    made = after(zone, step(guard, updates), updates)
    for _ in range(STATES):
        state = random_state(rng)
        if _has(zone, state) and holds(guard, state):
            assert made is not None
            assert _has(made, {**state, **{v: evaluate(t, state) for v, t in updates.items()}})


def test_a_step_by_differences_is_exact() -> None:
    zone = meet(EVERYTHING, build.land(build.lt(X, Y), build.le(Y, Z)))
    assert zone is not None
    made = after(zone, step(build.TRUE, {X: Y, Y: build.add(X, build.ONE), Z: Z}), (X, Y, Z))
    assert made is not None
    assert _said(made) is build.land(build.le(X, Z), build.le(Y, X))


def test_one_before_or_behind_the_other_are_apart() -> None:
    first, second = (meet(EVERYTHING, f) for f in (build.lt(X, Y), build.lt(Y, X)))
    assert first is not None
    assert second is not None
    assert _said(join(first, second)) is build.ne(X, Y)


def test_who_is_apart_and_not_before_is_behind() -> None:
    zone = meet(EVERYTHING, build.land(build.ne(X, Y), build.le(Z, X), build.eq(Z, Y)))
    assert zone is not None
    assert zone.bounds[Y, X] == -1


def test_forgetting_a_variable_keeps_what_it_stood_between() -> None:
    zone = meet(EVERYTHING, build.land(build.lt(X, Y), build.lt(Y, Z)))
    assert zone is not None
    assert _said(forget(zone, (Y,))) is build.le(build.add(X, build.integer(2)), Z)


def test_only_what_is_bounded_by_itself_survives_widening() -> None:
    old, later = (meet(EVERYTHING, build.land(build.eq(Y, build.ZERO), build.eq(X, build.integer(n)))) for n in (7, 9))
    assert old is not None
    assert later is not None
    widened = widen(old, join(old, later), (-1, 0, 1))
    assert (X, None) not in widened.bounds
    assert (widened.bounds[None, X], widened.bounds[Y, None], widened.bounds[None, Y]) == (-7, 0, 0)


def test_booleans_are_numbers() -> None:
    p = BOOLS[0]
    made = after(EVERYTHING, step(build.TRUE, {p: build.TRUE}), (p,))
    assert made is not None
    assert meet(made, build.lnot(p)) is None
    assert p.sort == BOOL
    assert {v.sort for v in VARIABLES} >= {BOOL}
