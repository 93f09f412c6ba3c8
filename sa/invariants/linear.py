"""Linear equations over the rationals, solved in whole numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def null_space(unknowns: Sequence[K], forms: Iterable[Mapping[K, int]]) -> list[dict[K, int]]:
    """A basis of the weights that make all forms 0, in whole numbers without a common factor, short ones first."""
    rows = dict[K, dict[K, Fraction]]()  # by pivot, each pivot in its own row only
    for form in forms:
        row = {k: Fraction(c) for k, c in form.items() if c}
        for pivot in [k for k in row if k in rows]:
            row = _minus(row, row[pivot], rows[pivot])
        if row:
            first = next(iter(row))
            row = {k: c / row[first] for k, c in row.items()}
            rows = {p: _minus(r, r[first], row) if first in r else r for p, r in rows.items()}
            rows[first] = row
            if len(rows) == len(unknowns):
                return []
    found = list[dict[K, int]]()
    for free in (k for k in unknowns if k not in rows):
        weights = {free: Fraction(1)} | {p: -r[free] for p, r in rows.items() if free in r}
        whole = lcm(*(w.denominator for w in weights.values()))
        numbers = {k: int(w * whole) for k, w in weights.items()}
        common = gcd(*numbers.values())
        found.append({k: n // common for k, n in numbers.items()})
    return sorted(found, key=len)


def _minus(row: Mapping[K, Fraction], factor: Fraction, other: Mapping[K, Fraction]) -> dict[K, Fraction]:
    sums = {k: row.get(k, Fraction(0)) - factor * other.get(k, Fraction(0)) for k in {**row, **other}}
    return {k: c for k, c in sums.items() if c}
