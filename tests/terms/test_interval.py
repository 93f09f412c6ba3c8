"""Arithmetic of intervals against enumeration: nothing is lost, and finite results are as small as they can be."""

from __future__ import annotations

from itertools import product

import pytest

from sa.terms import interval
from sa.terms.interval import WHOLE, Interval

ENDS = (None, -3, -1, 0, 2, 3)
INTERVALS = [(a, b) for a in ENDS for b in ENDS if a is None or b is None or a <= b]
#: An infinite end is tried up to here.
FAR = 7


def numbers(values: Interval) -> range:
    """The numbers of an interval, cut off at FAR."""
    low, high = values
    return range(-FAR if low is None else low, (FAR if high is None else high) + 1)


def smallest(values: list[int]) -> Interval:
    """The smallest interval with some numbers."""
    return min(values), max(values)


def agrees(found: Interval, expected: list[int], finite: bool) -> bool:
    """Whether a result holds all the numbers, and no more where operands are finite."""
    return all(interval.contains(found, n) for n in expected) and (not finite or found == smallest(expected))


@pytest.mark.parametrize("operation", ["add", "multiply"])
def test_sums_and_products(operation: str) -> None:
    for a, b in product(INTERVALS, INTERVALS):
        if operation == "add":
            found, expected = interval.add(a, b), [x + y for x in numbers(a) for y in numbers(b)]
        else:
            found, expected = interval.multiply(a, b), [x * y for x in numbers(a) for y in numbers(b)]
        assert agrees(found, expected, None not in (*a, *b))


def test_products_with_infinite_ends_have_the_finite_ends_they_can_have() -> None:
    assert interval.multiply((0, 0), WHOLE) == (0, 0)
    assert interval.multiply((2, None), (3, None)) == (6, None)
    assert interval.multiply((None, -2), (3, None)) == (None, -6)
    assert interval.power(WHOLE, 2) == (0, None)
    assert interval.power((None, -2), 2) == (4, None)


def test_operations_with_a_constant() -> None:
    for a, k in product(INTERVALS, (-3, -2, -1, 1, 2, 3)):
        finite = None not in a
        assert agrees(interval.scale(k, a), [k * x for x in numbers(a)], finite)
        divided = interval.unscale(a, k)
        inside = [x for x in range(-FAR, FAR + 1) if interval.contains(a, k * x)]
        assert inside == [] if divided is None else agrees(divided, inside, finite)
        if k > 0:
            assert agrees(interval.power(a, k), [x**k for x in numbers(a)], finite)
        if k > 1:
            assert agrees(interval.divide(a, k), [x // k for x in numbers(a)], finite)
            assert agrees(interval.modulo(a, k), [x % k for x in numbers(a)], False)
