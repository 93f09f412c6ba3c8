"""Domains and arrays: boxes know nothing of them, the affine domain knows which are equal; both lose no state."""

from __future__ import annotations

from random import Random

import pytest

from sa.domains import affine
from sa.domains.boxes import Boxes
from sa.domains.frame import Frame
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import BOOL, ArraySort
from tests.generators.arrays import NUMBERS, VARIABLES, random_state, random_term

PLAIN = tuple(v for v in VARIABLES if not isinstance(v.sort, ArraySort))
A, B, C = (build.variable(n, NUMBERS) for n in "abc")


@pytest.mark.parametrize("seed", range(20))
def test_boxes_and_affine_spaces_keep_every_state_of_formulas_and_updates_over_arrays(seed: int) -> None:
    """A superset each time; formulas made of values hold in these states."""
    rng = Random(seed)
    domain = Boxes(Frame(PLAIN))
    for _ in range(30):
        formula, _ = random_term(rng, 3, BOOL)
        updates = {v: random_term(rng, 2, v.sort)[0] for v in rng.sample(VARIABLES, 3)}
        state = random_state(rng)
        if not holds(formula, state):
            continue
        after = {**state, **{v: evaluate(t, state) for v, t in updates.items()}}
        inside = domain.guard(domain.top(), formula)
        assert domain.contains(inside, state) and domain.contains(domain.assign(inside, updates), after)
        space = affine.meet(affine.EVERYTHING, affine.rows_of(formula))
        assert space is not None and all(holds(f, state) for f in affine.formulas(space))
        then = affine.assign(space, updates)
        assert then is not None and all(holds(f, after) for f in affine.formulas(then))


def test_arrays_that_are_changed_in_the_same_way_stay_equal() -> None:
    """As what is not affine does."""
    x = build.variable("x")
    space = affine.meet(affine.EVERYTHING, affine.rows_of(build.eq(A, B)))
    assert space is not None
    after = affine.assign(space, {v: build.store(v, x, build.ONE) for v in (A, B)})
    assert after is not None and affine.formulas(after) == (build.eq(A, B),)
    apart = affine.assign(space, {A: build.store(A, x, build.ONE)})
    assert apart is not None and affine.formulas(apart) == ()
