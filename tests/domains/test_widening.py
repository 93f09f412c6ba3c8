"""Widening of boxes on the cases that decide its rule, and thresholds."""

from __future__ import annotations

from random import Random

from sa.domains.boxes import Boxes
from sa.domains.frame import Frame
from sa.domains.quantify import count_boxes
from sa.domains.store import Node
from sa.domains.thresholds import thresholds_of
from sa.terms import build
from sa.terms.term import Term
from tests.domains.intervals import Intervals
from tests.domains.sampling import CASES, FRAME, HUE, C, X, Y

DOMAIN = Frame((X, Y))

#: A count at which thresholds are used, one at which only the box around a value stops at them, and one of no more.
EARLY, LATE, LAST = 5, 100, 1000


def between(low: int, high: int) -> Term:
    """`low <= x <= high`."""
    return build.land(build.le(build.integer(low), X), build.le(X, build.integer(high)))


def test_a_bound_that_moves_goes_to_the_next_threshold_and_then_to_infinity() -> None:
    domain = Boxes(DOMAIN)
    thresholds = {X: frozenset((10, 100))}
    value = domain.of_formula(between(0, 3))
    for step, expected in ((5, 10), (11, 100), (101, None)):
        value = domain.widen(value, domain.of_formula(between(0, step)), thresholds, EARLY)
        assert domain.hull(value) == {X: (0, expected), Y: (None, None)}
    for count, expected in ((LATE, 10), (LAST, None)):
        late = domain.widen(domain.of_formula(between(0, 3)), domain.of_formula(between(0, 5)), thresholds, count)
        assert domain.hull(late) == {X: (0, expected), Y: (None, None)}


def test_a_bound_of_the_whole_is_kept_where_pieces_move_beyond_all_thresholds() -> None:
    """Of x the part that y bounds moves down; that nothing is below 0 stays known."""
    domain = Boxes(DOMAIN)
    above = build.le(Y, build.ZERO)
    old = domain.of_formula(build.lor(build.land(above, between(0, 9)), build.land(build.lnot(above), between(5, 9))))
    new = domain.of_formula(build.land(build.lnot(above), between(3, 9)))
    for domain_ in (domain, Boxes(Frame((Y, X)))):
        old, new = (domain_.of_formula(domain.to_formula(v)) for v in (old, new))
        assert domain_.hull(domain_.widen(old, new, {}, LATE)) == {X: (0, 9), Y: (None, None)}
        domain = domain_


def test_a_bound_that_does_not_move_stays() -> None:
    for domain in (Boxes(DOMAIN), Intervals(DOMAIN)):
        widened = domain.widen(domain.of_formula(between(0, 3)), domain.of_formula(between(-1, 3)), {}, LATE)  # type: ignore[arg-type]
        assert domain.hull(widened) == {X: (None, 3), Y: (None, None)}  # type: ignore[arg-type]


def test_an_unchanged_middle_does_not_hide_what_is_right_of_it() -> None:
    # boxes.md, section 6: the C library's newer widening loses `x >= 6 && y > 0` here.
    domain = Boxes(DOMAIN)
    old = domain.of_formula(build.is_zero(Y))
    left = build.land(build.le(X, build.integer(4)), build.le(Y, build.ZERO))
    right = build.land(build.le(build.integer(6), X), build.le(build.ZERO, Y))
    new = domain.join(old, domain.of_formula(build.lor(left, right)))
    for count in (EARLY, LATE):
        for thresholds in ({}, {X: frozenset((4, 5))}, {Y: frozenset((-1, 0))}):
            assert domain.leq(new, domain.widen(old, new, thresholds, count))


def test_a_counter_that_runs_towards_a_known_value_takes_a_few_steps() -> None:
    # {0, 500}, then x++ while x < 400: keeping every bounded cut would take 400 steps.
    domain = Boxes(DOMAIN)
    guard = build.lt(X, build.integer(400))
    thresholds = thresholds_of((guard,))
    head, steps = domain.of_formula(build.lor(between(0, 0), between(500, 500))), 0
    while True:
        body = domain.assign(domain.guard(head, guard), {X: build.add(X, build.ONE)})
        if domain.leq(body, head):
            break
        head, steps = domain.widen(head, body, thresholds, steps), steps + 1
    assert steps <= 5
    assert head == domain.of_formula(build.lor(between(0, 400), between(500, 500)))


def test_enumerations_are_never_widened_to_values_that_do_not_occur() -> None:
    domain = Boxes(FRAME)
    red, green = (domain.of_formula(build.eq(C, build.constant(i, HUE))) for i in (0, 1))
    assert domain.widen(red, green, {}, LATE) == domain.join(red, green)


@CASES
def test_widening_is_an_upper_bound_with_two_integers_far_apart(cases: int) -> None:
    rng, domain = Random(30), Boxes(DOMAIN)
    for _ in range(cases):
        old, new = some_boxes(domain, rng), some_boxes(domain, rng)
        cuts = {v: frozenset(rng.sample(range(-20, 20), 3)) for v in (X, Y)}
        widened = domain.widen(old, new, cuts, EARLY)
        assert domain.leq(domain.join(old, new), widened)


def some_boxes(domain: Boxes, rng: Random) -> Node:
    """A union of random boxes over x and y."""
    found = list[Term]()
    for _ in range(rng.randint(1, 5)):
        sides = [(v, rng.randint(-20, 20), rng.randint(0, 8)) for v in (X, Y)]
        ends = [(build.le(build.integer(a), v), build.le(v, build.integer(a + n))) for v, a, n in sides]
        found.append(build.land(*(e for pair in ends for e in pair if rng.random() < 0.8)))
    return domain.of_formula(build.lor(*found))


def test_chains_over_two_variables_end_with_boxes_that_keep_coming() -> None:
    rng = Random(31)
    for _ in range(20):
        domain, count, quiet = Boxes(DOMAIN), 0, 0
        value = domain.bottom()
        while quiet < 50:
            after = domain.widen(value, some_boxes(domain, rng), {X: frozenset((0,))}, count)
            quiet = quiet + 1 if after == value else 0
            value, count = after, count + 1
            assert count < 2000


def test_thresholds_are_the_cuts_of_bounds_and_the_constants_assigned() -> None:
    found = thresholds_of((build.lt(X, build.integer(400)),), ((Y, build.integer(7)),))
    assert found[X] >= {398, 399, 400}
    assert found[Y] == {6, 7}


def test_a_value_of_too_many_boxes_gets_coarser_a_number_of_times_and_chains_end() -> None:
    """Points on a diagonal, more of them every time: each would be a box of its own."""
    frame = Frame(tuple(build.variable(name) for name in "xy"))
    domain = Boxes(frame, most=8, collapses=20)
    value = domain.bottom()
    for count in range(60):
        point = {v: build.integer(count * 10) for v in frame.variables}
        more = domain.of_formula(build.land(*(build.eq(v, n) for v, n in point.items())))
        grown = domain.widen(value, more, {}, count)
        assert domain.leq(value, grown) and domain.leq(more, grown)
        if count < 20:
            assert count_boxes(domain.store, grown) <= 16
        value = grown
    further = domain.of_formula(build.land(*(build.eq(v, build.integer(10_000)) for v in frame.variables)))
    assert domain.leq(further, value)
