"""Linear programs over the rationals, by the simplex method on whole numbers.

Pivots keep the entries whole with one common denominator (Edmonds 1967); Bland's rule (1977) ends each search.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import TypeAlias, TypeVar

from sa.base.limits import Limits, count

K = TypeVar("K", bound=Hashable)

#: `constant + sum of coefficients times unknowns <= 0`.
Inequality: TypeAlias = tuple[int, Mapping[K, int]]

#: Units of an entry of the table in one pivot.
AN_ENTRY = 0.2


def supremum(rows: Sequence[Inequality[K]], objective: Mapping[K, int], bounds: Limits) -> Fraction | float:
    """The least upper bound of a linear form where all rows hold: infinity if there is none, minus infinity where
    the rows contradict each other and that shows.

    It is the optimum of the dual program: the least sum of non-negative multiples of the rows that is the form.
    """
    unknowns = list(dict.fromkeys((*objective, *(k for _, parts in rows for k in parts))))
    count(bounds, 20 + len(rows) * len(unknowns))
    table = list[list[int]]()
    for place, k in enumerate(unknowns):
        wanted = objective.get(k, 0)
        sign = -1 if wanted < 0 else 1
        own = [int(place == other) for other in range(len(unknowns))]
        table.append([*(sign * parts.get(k, 0) for _, parts in rows), *own, sign * wanted])
    first = [-sum(column) for column in zip(*table, strict=True)] if table else [0] * (len(rows) + 1)
    first[len(rows) : len(rows) + len(unknowns)] = [0] * len(unknowns)
    costs = [*(-constant for constant, _ in rows), *([0] * len(unknowns)), 0]
    program = _Program(table, [first, costs], [len(rows) + i for i in range(len(unknowns))], len(rows), bounds)
    program.descend(0)
    if program.costs[0][-1] != 0:
        return inf
    program.without_artificial()
    return Fraction(-program.costs[1][-1], program.denominator) if program.descend(1) else -inf


class _Program:
    """A table whose last column is the right-hand side; the first `real` columns are variables, others artificial."""

    def __init__(
        self, table: list[list[int]], costs: list[list[int]], basis: list[int], real: int, bounds: Limits
    ) -> None:
        self.table, self.costs, self.basis, self.real, self.bounds = table, costs, basis, real, bounds
        self.denominator = 1

    def descend(self, number: int) -> bool:
        """Pivot until these costs are the least; whether there is a least."""
        while True:
            costs = self.costs[number]
            column = next((j for j in range(self.real) if costs[j] < 0), None)
            if column is None:
                return True
            leaving: int | None = None
            for i, row in enumerate(self.table):
                if row[column] > 0 and (leaving is None or self._sooner(i, leaving, column)):
                    leaving = i
            if leaving is None:
                return False
            self._pivot(leaving, column)

    def _sooner(self, i: int, other: int, column: int) -> bool:
        mine, theirs = self.table[i], self.table[other]
        left, right = mine[-1] * theirs[column], theirs[-1] * mine[column]
        return left < right or (left == right and self.basis[i] < self.basis[other])

    def without_artificial(self) -> None:
        """Let no artificial variable, all of which are 0, become anything else."""
        for i in range(len(self.table)):
            row = self.table[i]
            if self.basis[i] >= self.real:
                column = next((j for j in range(self.real) if row[j]), None)
                if column is not None:
                    if row[column] < 0:
                        self.table[i] = [-c for c in row]
                    self._pivot(i, column)

    def _pivot(self, leaving: int, column: int) -> None:
        row = self.table[leaving]
        pivot, before = row[column], self.denominator
        count(self.bounds, AN_ENTRY * len(row) * (len(self.table) + 2))

        def changed(other: list[int]) -> list[int]:
            factor = other[column]
            return [(c * pivot - factor * r) // before for c, r in zip(other, row, strict=True)]

        self.table = [other if i == leaving else changed(other) for i, other in enumerate(self.table)]
        self.costs = [changed(other) for other in self.costs]
        self.basis[leaving] = column
        self.denominator = pivot
