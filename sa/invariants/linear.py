"""Linear equations over the rationals, solved in whole numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def null_space(unknowns: Sequence[K], forms: Iterable[Mapping[K, int]]) -> list[dict[K, int]]:
    """A basis of the weights that make all forms 0, in whole numbers without a common factor, short ones first."""
    rows = dict[K, dict[K, int]]()  # by pivot, each pivot in its own row only
    for form in forms:
        row = {k: c for k, c in form.items() if c}
        for pivot in [k for k in row if k in rows]:
            row = _without(row, pivot, rows[pivot])
        if row:
            first = next(iter(row))
            rows = {p: _without(r, first, row) if first in r else r for p, r in rows.items()}
            rows[first] = row
            if len(rows) == len(unknowns):
                return []
    found = list[dict[K, int]]()
    for free in (k for k in unknowns if k not in rows):
        weights = {free: Fraction(1)} | {p: Fraction(-r[free], r[p]) for p, r in rows.items() if free in r}
        whole = lcm(*(w.denominator for w in weights.values()))
        numbers = {k: int(w * whole) for k, w in weights.items()}
        common = gcd(*numbers.values())
        found.append({k: n // common for k, n in numbers.items()})
    return sorted(found, key=len)


def _without(row: Mapping[K, int], pivot: K, other: Mapping[K, int]) -> dict[K, int]:
    """A multiple of the row, to which so much of the other one is added that the pivot is gone; no common factor."""
    mine, factor = other[pivot], row[pivot]
    sums = {k: mine * row.get(k, 0) - factor * other.get(k, 0) for k in {**row, **other}}
    sums = {k: c for k, c in sums.items() if c}
    common = gcd(*sums.values()) if sums else 1
    return sums if common == 1 else {k: c // common for k, c in sums.items()}
