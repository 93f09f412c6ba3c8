"""Exact elimination: the result holds where some value of the variables satisfies the formula, and nowhere else."""

from __future__ import annotations

from random import Random

from sa.terms import build
from sa.terms.eliminate import eliminate
from sa.terms.evaluate import holds
from sa.terms.term import Term

X, Y, K, L = (build.variable(n) for n in "xykl")

#: Far enough for solutions of what is generated here, whose bounds are small.
FAR = 90


def _formula(random: Random) -> Term:
    literals = list[Term]()
    for _ in range(random.randint(1, 4)):
        k = build.scale(random.choice((-3, -2, -1, 1, 1, 2, 3)), K)
        rest = build.combine(random.randint(-3, 3), ((X, random.randint(-2, 2)), (Y, random.randint(-2, 2)), (k, 1)))
        kind = random.randrange(6)
        if kind < 2:
            literals.append(build.le(rest, build.ZERO))
        elif kind == 2:
            literals.append(build.is_zero(rest))
        elif kind == 3:
            literals.append(build.ne(rest, build.ZERO))
        elif kind == 4:
            literals.append(build.eq(build.mod(rest, random.choice((2, 3))), build.integer(random.randint(0, 1))))
        else:
            literals.append(build.lor(build.le(rest, build.ZERO), build.eq(K, X)))
    return build.land(*literals)


def test_what_is_left_holds_where_some_value_satisfies_the_formula() -> None:
    random, eliminated = Random(0), 0
    for _ in range(120):
        formula = _formula(random)
        found = eliminate(formula, (K,))
        if found is None:
            continue
        eliminated += 1
        assert K not in found.free
        for x in range(-3, 4):
            for y in range(-3, 4):
                exists = any(holds(formula, {X: x, Y: y, K: k}) for k in range(-FAR, FAR + 1))
                assert holds(found, {X: x, Y: y}) == exists, (formula, found, x, y)
    assert eliminated > 112


def test_half_of_a_number_asks_for_its_parity() -> None:
    assert eliminate(build.eq(build.scale(2, K), X), (K,)) is build.eq(build.mod(X, 2), build.ZERO)


def test_two_variables_go_one_after_the_other() -> None:
    between = build.land(build.lt(X, K), build.lt(K, L), build.lt(L, Y))
    assert eliminate(between, (K, L)) is build.le(build.add(X, build.integer(3)), Y)


def test_products_of_variables_are_left_alone() -> None:
    assert eliminate(build.eq(build.mul(K, K), X), (K,)) is None
