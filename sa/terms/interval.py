"""Intervals of integers and their arithmetic. An end None is infinite; the empty interval is None altogether."""

from __future__ import annotations

from typing import TypeAlias

from sa.terms.sort import Sort, finite_values

#: All integers from the first to the second, ends included.
Interval: TypeAlias = tuple[int | None, int | None]

WHOLE: Interval = (None, None)
ZERO: Interval = (0, 0)


def sort_range(sort: Sort) -> Interval:
    """The numbers that stand for values of a sort: 0 and 1 for Booleans, the index for enumerations."""
    every = finite_values(sort)
    return WHOLE if every is None else (0, len(every) - 1)


def contains(interval: Interval, value: int) -> bool:
    """Whether a number is in the interval."""
    low, high = interval
    return (low is None or low <= value) and (high is None or value <= high)


def meet(first: Interval, second: Interval) -> Interval | None:
    """The common numbers; None if there are none."""
    (a, b), (c, d) = first, second
    low = c if a is None else a if c is None else max(a, c)
    high = d if b is None else b if d is None else min(b, d)
    return None if low is not None and high is not None and low > high else (low, high)


def hull(first: Interval, second: Interval) -> Interval:
    """The smallest interval with both."""
    (a, b), (c, d) = first, second
    low = None if a is None or c is None else min(a, c)
    high = None if b is None or d is None else max(b, d)
    return low, high


def size(interval: Interval) -> int | None:
    """How many numbers it holds; None for infinitely many."""
    low, high = interval
    return None if low is None or high is None else high - low + 1


def add(first: Interval, second: Interval) -> Interval:
    """All sums."""
    (a, b), (c, d) = first, second
    return (None if a is None or c is None else a + c), (None if b is None or d is None else b + d)


def scale(factor: int, interval: Interval) -> Interval:
    """The smallest interval with all multiples."""
    if factor == 0:
        return ZERO
    low, high = interval if factor > 0 else interval[::-1]
    return (None if low is None else factor * low), (None if high is None else factor * high)


def shifted(interval: Interval, total: Interval) -> Interval:
    """All `i - t`."""
    return add(interval, scale(-1, total))


def unscale(interval: Interval, factor: int) -> Interval | None:
    """The numbers whose multiple by a non-zero factor is in the interval; None if there are none."""
    low, high = interval if factor > 0 else scale(-1, interval)
    width = abs(factor)
    low = None if low is None else -(-low // width)
    high = None if high is None else high // width
    return None if low is not None and high is not None and low > high else (low, high)


#: An end as a pair that compares as it should: (-1, 0) and (1, 0) are infinite, (0, n) is n.
_End: TypeAlias = tuple[int, int]


def _times(first: _End, second: _End) -> _End:
    if first == (0, 0) or second == (0, 0):
        return 0, 0
    if first[0] == second[0] == 0:
        return 0, first[1] * second[1]
    positive = ((first[0] or first[1]) > 0) == ((second[0] or second[1]) > 0)
    return (1 if positive else -1), 0


def multiply(first: Interval, second: Interval) -> Interval:
    """The smallest interval with all products."""
    ends = [[(-1, 0) if i[0] is None else (0, i[0]), (1, 0) if i[1] is None else (0, i[1])] for i in (first, second)]
    products = [_times(a, b) for a in ends[0] for b in ends[1]]
    least, greatest = min(products), max(products)
    return (None if least[0] else least[1]), (None if greatest[0] else greatest[1])


def power(interval: Interval, exponent: int) -> Interval:
    """The smallest interval with the powers of all its numbers; the exponent is at least 1."""
    low, high = interval
    if exponent % 2 == 0:
        if high is not None and high <= 0:
            low, high = -high, None if low is None else -low
        elif low is None or low < 0:
            low, high = 0, None if low is None or high is None else max(-low, high)
    return (None if low is None else low**exponent), (None if high is None else high**exponent)


def divide(interval: Interval, divisor: int) -> Interval:
    """All Euclidean quotients by a positive constant."""
    low, high = interval
    return (None if low is None else low // divisor), (None if high is None else high // divisor)


def modulo(interval: Interval, divisor: int) -> Interval:
    """The smallest interval with all Euclidean remainders by a positive constant."""
    low, high = interval
    if low is None or high is None or low // divisor != high // divisor:
        return 0, divisor - 1
    return low % divisor, high % divisor
