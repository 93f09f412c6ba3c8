"""Affine equalities: what the operations keep is true of every state that they stand for."""

from __future__ import annotations

from random import Random

from sa.domains.affine import EVERYTHING, Space, assign, definitions, forget, formulas, grown, join, meet, rows_of
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.sort import number
from sa.terms.term import Term
from tests.generators.terms import BOOLS, COLOURS, INTS, random_integer, random_state
from tests.parts import for_each

X, Y, Z = INTS


def _space(*equations: Term) -> Space | None:
    return meet(EVERYTHING, (r for e in equations for r in rows_of(e)))


def _random_space(rng: Random) -> Space:
    while True:
        parts = [build.eq(random_integer(rng, 2, linear=True), random_integer(rng, 1)) for _ in range(2)]
        if rng.random() < 0.5:
            parts.append(rng.choice((build.eq(*BOOLS), build.lnot(BOOLS[0]), build.eq(*COLOURS))))
        space = _space(*parts)
        if space is not None:
            return space


def _member(space: Space, state: State) -> bool:
    rows = space.values()
    return all(sum(c * (1 if v is None else number(evaluate(v, state))) for v, c in row.items()) == 0 for row in rows)


@for_each("seed", range(300))
def test_join_contains_both_and_keeps_every_common_equation(seed: int) -> None:
    rng = Random(seed)
    first, second = _random_space(rng), _random_space(rng)
    joined = join(first, second)
    assert joined == join(second, first)
    for _ in range(200):
        state = random_state(rng, -3, 3)
        if _member(first, state) or _member(second, state):
            assert _member(joined, state)
    common = [row for row in first.values() if meet(second, [row]) == second]
    assert meet(joined, common) == joined
    assert join(first, first) == first


def test_join_finds_the_line_through_two_points() -> None:
    first, second = (_space(build.eq(X, build.integer(a)), build.eq(Y, build.integer(b))) for a, b in ((0, 0), (1, 5)))
    assert first is not None
    assert second is not None
    assert formulas(join(first, second)) == (build.eq(build.scale(5, X), Y),)


@for_each("seed", range(300))
def test_assignment_contains_every_successor(seed: int) -> None:
    rng = Random(seed)
    space = _random_space(rng)
    updates = {X: random_integer(rng, 2), Y: random_integer(rng, 1, linear=True)}
    after = assign(space, updates)
    for _ in range(300):
        state = random_state(rng, -3, 3)
        if _member(space, state):
            assert after is not None
            assert _member(after, {**state, **{v: evaluate(t, state) for v, t in updates.items()}})


def test_equal_terms_that_are_not_affine_stay_equal() -> None:
    space = assign(EVERYTHING, {X: build.mul(Z, Z), Y: build.mul(Z, Z)})
    assert space is not None
    assert formulas(forget(space, (Z,))) == (build.eq(X, Y),)


def test_what_reads_a_counter_is_known_by_where_the_counter_was() -> None:
    half = build.div(X, 2)
    space = assign(EVERYTHING, {Y: half})
    assert space is not None
    counted = assign(space, {X: build.add(X, build.ONE)})
    assert counted is not None
    assert formulas(counted) == (build.eq(Y, build.div(build.sub(X, build.ONE), 2)),)
    assert assign(space, {X: Z}) == _space(build.eq(X, Z))


def test_what_reads_a_known_number_is_more_than_its_value_now() -> None:
    rest = build.mod(X, 3)
    first, later = (assign(_known(n), {Y: rest, Z: build.sub(build.integer(9), rest)}) for n in (1, 2))
    assert first is not None
    assert later is not None
    assert build.eq(Y, build.ONE) in formulas(first)
    joined = grown(grown(first, later), assign(EVERYTHING, {Y: rest, Z: build.sub(build.integer(9), rest)}) or {})
    assert formulas(forget(joined, (X,))) == (build.eq(Y, build.sub(build.integer(9), Z)),)


def _known(number: int) -> Space:
    space = _space(build.eq(X, build.integer(number)))
    assert space is not None
    return space


def test_columns_that_are_equal_in_one_space_are_joined_with_those_of_the_other() -> None:
    here, there = _space(build.eq(X, build.ZERO), build.eq(Y, build.ZERO)), _space(build.eq(Y, build.div(X, 2)))
    assert here is not None
    assert there is not None
    assert formulas(grown(here, there)) == (build.eq(Y, build.div(X, 2)),)


def test_a_space_does_not_grow_for_ever() -> None:
    """X counts, and where Z is 0 each product with a function of X is: no space has one equation more than before."""
    here, known = _space(build.eq(Z, build.ZERO)), list[int]()
    assert here is not None
    for _ in range(6):
        read = meet(here, rows_of(build.eq(build.mul(Z, build.mul(X, X)), build.ZERO)))
        assert read is not None
        counted = assign(read, {X: build.add(X, build.ONE)})
        assert counted is not None
        here = grown(here, counted)
        known.append(len(here))
    assert known == sorted(known, reverse=True)


def test_spaces_without_integers_are_joined_as_any_others() -> None:
    def without(x: int, y: int) -> Space:
        twice = (build.add(build.scale(2, v), build.scale(3, Z)) for v in (X, Y))
        space = _space(*(build.eq(t, build.integer(n)) for t, n in zip(twice, (x, y), strict=True)))
        assert space is not None
        return space

    join(without(1, 0), without(5, 4))


@for_each("seed", range(200))
def test_forgetting_keeps_exactly_what_does_not_mention_the_variable(seed: int) -> None:
    rng = Random(seed)
    space = _random_space(rng)
    left = forget(space, (X,))
    assert all(X not in row for row in left.values())
    assert meet(space, left.values()) == space
    # Exact: fixing X again in any way that the space allows loses nothing.
    reading = {c for row in space.values() for c in row if c is not None and X in c.free}
    assert len(left) >= len(space) - len(reading)


def test_contradictory_equations_have_no_states() -> None:
    assert _space(build.eq(X, build.ZERO), build.eq(X, build.ONE)) is None


@for_each("seed", range(200))
def test_definitions_and_formulas_hold_in_every_member(seed: int) -> None:
    rng = Random(seed)
    space = _random_space(rng)
    for _ in range(100):
        state = random_state(rng, -3, 3)
        if _member(space, state):
            assert all(holds(f, state) for f in formulas(space))
            assert all(evaluate(t, state) == state[v] for v, t in definitions(space).items())
