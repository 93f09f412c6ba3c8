"""The laws of a lattice of sets of states, for every domain, against enumeration."""

from __future__ import annotations

from random import Random

from sa.domains.thresholds import thresholds_of
from sa.terms import build
from sa.terms.evaluate import holds
from sa.terms.sort import INT
from tests.domains.sampling import (
    CASES,
    DOMAINS,
    STATES,
    VARIABLES,
    X,
    Y,
    domain_called,
    random_bound,
    random_set,
    random_value,
    states,
    valuation,
)


@DOMAINS
@CASES
def test_order_is_inclusion_and_equality_is_equality_of_sets(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(1)
    for _ in range(cases):
        a, b = random_value(domain, rng), random_value(domain, rng)
        in_a, in_b = states(domain, a), states(domain, b)
        assert domain.leq(a, b) == (in_a <= in_b)
        assert (a == b) == (in_a == in_b)
        assert domain.is_bottom(a) == (not in_a)
        assert domain.leq(domain.bottom(), a)
        assert domain.leq(a, domain.top())


@DOMAINS
@CASES
def test_join_is_the_least_upper_bound(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(2)
    for _ in range(cases):
        a, b, c = (random_value(domain, rng) for _ in range(3))
        joined = domain.join(a, b)
        assert joined == domain.join(b, a)
        assert states(domain, joined) >= states(domain, a) | states(domain, b)
        for above in (c, domain.join(a, domain.join(c, b))):
            assert (domain.leq(a, above) and domain.leq(b, above)) == domain.leq(joined, above)


@DOMAINS
@CASES
def test_meet_is_intersection(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(3)
    for _ in range(cases):
        a, b = random_value(domain, rng), random_value(domain, rng)
        assert states(domain, domain.meet(a, b)) == states(domain, a) & states(domain, b)


@DOMAINS
@CASES
def test_forgetting_is_exact(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(4)
    for _ in range(cases):
        a = random_value(domain, rng)
        gone = rng.sample(VARIABLES, rng.randint(0, 3))
        kept = [i for i, v in enumerate(VARIABLES) if v not in gone]
        seen = {tuple(s[i] for i in kept) for s in states(domain, a)}
        after = domain.forget(a, gone)
        assert states(domain, after) == {s for s in STATES if tuple(s[i] for i in kept) in seen}


@DOMAINS
@CASES
def test_exchanging_variables_exchanges_their_values(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(12)
    for _ in range(cases):
        a = random_value(domain, rng)
        exchanged = domain.rename(a, {X: Y, Y: X})
        assert states(domain, exchanged) == {(p, y, c, x) for p, x, c, y in states(domain, a)}
        assert domain.rename(exchanged, {X: Y, Y: X}) == a
        assert domain.rename(a, {}) == a


@DOMAINS
@CASES
def test_the_hull_is_the_smallest_box(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(5)
    for _ in range(cases):
        a = random_value(domain, rng)
        inside, box = states(domain, a), domain.hull(a)
        assert (box is None) == (not inside)
        for i, var in enumerate(VARIABLES):
            if box is not None:
                least, most = min(s[i] for s in inside), max(s[i] for s in inside)
                # On the rim of the sample a set goes on for ever.
                integer = var.sort == INT
                assert box[var] == (None if integer and least == -3 else least, None if integer and most == 3 else most)


@DOMAINS
@CASES
def test_formulas_say_exactly_what_the_value_holds(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(6)
    for _ in range(cases):
        a = random_value(domain, rng)
        formula = domain.to_formula(a)
        inside = states(domain, a)
        assert all(holds(formula, valuation(s)) == (s in inside) for s in STATES)
        assert domain.of_formula(formula) == a


@DOMAINS
@CASES
def test_widening_is_an_upper_bound(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(7)
    for _ in range(cases):
        a, b = random_value(domain, rng), random_value(domain, rng)
        thresholds = thresholds_of(random_bound(rng) for _ in range(rng.randint(0, 3)))
        for count in (0, 5, 100):
            widened = domain.widen(a, b, thresholds, count)
            assert domain.leq(a, widened)
            assert domain.leq(b, widened)


@DOMAINS
@CASES
def test_chains_of_widenings_end(name: str, cases: int) -> None:
    rng = Random(8)
    for _ in range(max(3, cases // 10)):
        domain = domain_called(name)
        value, steps, quiet = domain.bottom(), 0, 0
        thresholds = thresholds_of(random_bound(rng) for _ in range(2))
        while quiet < 30:
            # Boxes that lie ever further out: without widening this would go on for ever.
            place = build.integer(rng.choice((-1, 1)) * rng.randint(0, 10 + 5 * steps))
            near = build.land(build.le(place, X), build.le(X, build.add(place, build.integer(rng.randint(0, 3)))))
            after = domain.widen(value, domain.of_formula(build.land(near, random_set(rng))), thresholds, steps)
            quiet = quiet + 1 if after == value else 0
            value, steps = after, steps + 1
            assert steps < 1000


@DOMAINS
@CASES
def test_narrowing_stays_between_the_meet_and_the_old_value_and_stops(name: str, cases: int) -> None:
    domain, rng = domain_called(name), Random(9)
    for _ in range(cases):
        a, b = random_value(domain, rng), random_value(domain, rng)
        for count in (0, 1, 2, 3):
            narrowed = domain.narrow(a, b, count)
            assert domain.leq(domain.meet(a, b), narrowed)
            assert domain.leq(narrowed, a)
        assert domain.narrow(a, b, 100) == a
