"""Bounds of terms: no value is outside, and conditional terms within each other are looked at once each."""

from __future__ import annotations

import time
from itertools import product
from random import Random

from sa.terms import build, interval
from sa.terms.bounds import assuming, interval_of, truth_of
from sa.terms.evaluate import evaluate
from sa.terms.sort import BOOL
from sa.terms.term import Term
from tests.parts import for_each

X, Y, Z = (build.variable(name) for name in "xyz")
B = build.variable("b", BOOL)
RANGES = {X: (-2, 3), Y: (0, 4), B: interval.WHOLE}


def conditional(random: Random, depth: int) -> Term:
    """Conditional terms within each other, some of them in conditions."""
    now: Term = random.choice((X, Y, Z))
    for _ in range(depth):
        other = build.add(random.choice((X, Y, Z)), build.integer(random.randint(-2, 2)))
        test = B if random.random() < 0.2 else random.choice((build.le, build.eq))(now, other)
        now = build.ite(test, *random.choice(((other, now), (now, other), (build.add(now, build.ONE), other))))
    return now


@for_each("seed", range(300))
def test_no_value_of_a_term_is_outside_of_its_bounds(seed: int) -> None:
    random = Random(seed)
    term = conditional(random, random.randrange(9))
    low, high = interval_of(term, RANGES | {Z: (random.randint(-3, 0), random.randint(0, 3))})
    for _ in range(30):
        state = {X: random.randint(-2, 3), Y: random.randint(0, 4), Z: 0, B: random.random() < 0.5}
        value = int(evaluate(term, state))
        assert low is None or low <= value, (term, state)
        assert high is None or value <= high, (term, state)


def formula(random: Random, depth: int) -> Term:
    """Comparisons, joined by words."""
    if not depth:
        number = build.integer(random.randint(-3, 5))
        return random.choice((B, build.le(X, number), build.eq(Y, number), build.le(build.add(X, Y), number)))
    parts = [formula(random, depth - 1) for _ in range(3)]
    return random.choice((build.land, build.lor))(*parts) if random.random() < 0.8 else build.lnot(parts[0])


@for_each("seed", range(300))
def test_what_ranges_say_of_a_formula_is_so_for_all_values(seed: int) -> None:
    random = Random(seed)
    said = formula(random, random.randrange(4))
    low, high = random.randint(-2, 3), random.randint(0, 4)
    ranges = {X: (low, 3), Y: (0, high), B: (0, 1)}
    truth, narrower = truth_of(said, ranges), assuming(said, ranges)
    for x, y, b in product(range(low, 4), range(high + 1), (False, True)):
        state = {X: x, Y: y, B: b}
        holds = evaluate(said, state)
        assert truth is None or truth == holds
        if holds:
            assert narrower is not None
            for v, value in state.items():
                assert interval.meet(narrower[v], (int(value), int(value))) is not None


def test_terms_with_many_conditions_within_each_other_take_no_time() -> None:
    started = time.process_time()
    for seed in range(5):
        interval_of(conditional(Random(seed), 60), RANGES)
    assert time.process_time() - started < 5
