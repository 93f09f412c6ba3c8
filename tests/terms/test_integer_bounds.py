"""An interval that conditions leave to one integer has every value for which they hold."""

from __future__ import annotations

from random import Random

from sa.terms import build
from sa.terms.evaluate import holds
from sa.terms.integer_bounds import between
from sa.terms.term import Term
from tests.parts import for_each

x, a, b = (build.variable(n) for n in "xab")


def formula(random: Random, depth: int) -> Term:
    if depth and random.random() < 0.6:
        parts = [formula(random, depth - 1) for _ in range(2)]
        return random.choice((build.land, build.lor))(*parts)
    term = build.integer(random.randint(-6, 6))
    for factor in (x, a, b, build.mul(a, x), build.mul(b, x), build.mul(a, b)):
        term = build.add(term, build.scale(random.choice((0, 0, 1, -1, 2, -3)), factor))
    made = random.choice((build.le, build.eq))(term, build.ZERO)
    return build.lnot(made) if random.random() < 0.2 else made


@for_each("seed", range(300))
def test_all_values_for_which_conditions_hold_are_in_the_interval(seed: int) -> None:
    random = Random(seed)
    asked = formula(random, 2)
    bounds = between([c for c in build.conjuncts(asked) if x in c.free], x, (a, b))
    if bounds is None:
        return
    for _ in range(10):
        row = random.randint(-4, 4), random.randint(-4, 4)
        low, high = bounds(row)
        for value in range(-30, 31):
            if holds(asked, {a: row[0], b: row[1], x: value}):
                assert (low is None or low <= value) and (high is None or value <= high)


def test_a_quotient_has_one_value() -> None:
    """n is d times x and a rest from 0 to d - 1."""
    rest = build.sub(a, build.mul(b, x))
    bounds = between([build.le(build.ZERO, rest), build.lt(rest, b)], x, (a, b))
    assert bounds is not None
    assert bounds((17, 5)) == (3, 3)
    low, high = bounds((17, 0))
    assert low is not None and high is not None and low > high
