"""Affine ranks of the steps within a component, by Farkas' lemma over the rationals.

A rank has an offset at each point, and coefficients of variables that are the same at all of them, or its own at each.
That a step does not raise it follows from the step's premises by a non-negative combination of these: unknown
multipliers of the premises and unknown coefficients of the rank make a system of linear equations (Podelski and
Rybalchenko 2004; one strict step at a time, as lexicographic ranks want it: Bradley, Manna and Sipma 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from math import lcm

from msgspec import Struct, field

from sa.base.limits import Limits
from sa.ranking.constraints import Alternative, Row, alternatives
from sa.smt.linear import solution
from sa.terms.build import linear, linear_parts
from sa.terms.sort import INT
from sa.terms.term import Term, Var

#: A step within a component: from a point to a point, in these cases.
Cases = tuple[int, int, tuple[Alternative, ...]]


class _System(Struct):
    """Equations over numbered unknowns; `rank` are those of the rank, by point and variable (None: the offset)."""

    variables: tuple[Var, ...]
    shared: bool
    equations: list[tuple[dict[int, int], int]] = field(default_factory=list)
    positive: set[int] = field(default_factory=set)
    rank: dict[tuple[int | None, Var | None], int] = field(default_factory=dict)
    count: int = 0


def cases_of(source: int, target: int, premise: Sequence[Term], updates: Mapping[Var, Term]) -> Cases:
    """A step taken apart for the search."""
    return source, target, tuple(alternatives(premise, updates))


def ranked(
    points: Sequence[int],
    variables: Sequence[Var],
    strict: Sequence[Cases],
    others: Iterable[Cases],
    shared: bool,
    bounds: Limits,
) -> dict[int, Term] | None:
    """A rank by point that the strict steps lower, from 0 or more, and no step raises; None where none was found.

    Raises LimitReached.
    """
    system = _System(tuple(v for v in variables if v.sort == INT), shared)
    for source, target, ways in strict:
        for way in ways:
            # What the step lowers by one, and that it is not below 0 before.
            _implied(system, way, {(source, 1), (target, -1)}, -1)
            _implied(system, way, {(source, 1)}, 0)
    for first, second, those in others:
        for way in those:
            _implied(system, way, {(first, 1), (second, -1)}, 0)
    found = solution(system.equations, system.positive, bounds)
    if found is None:
        return None
    factor = lcm(*(v.denominator for n in system.rank.values() if (v := found.get(n)) is not None))
    whole = {n: int(v * factor) for n, v in found.items()}
    return {p: _term(system, p, whole) for p in points}


def _term(system: _System, point: int, values: Mapping[int, int]) -> Term:
    parts = {v: values.get(_unknown(system, point, v), 0) for v in system.variables}
    return linear(values.get(_unknown(system, point, None), 0), {v: c for v, c in parts.items() if c})


def _unknown(system: _System, point: int, v: Var | None) -> int:
    key = (None if v is not None and system.shared else point, v)
    found = system.rank.get(key)
    if found is None:
        found = system.rank[key] = _fresh(system)
    return found


def _fresh(system: _System, positive: bool = False) -> int:
    system.count += 1
    if positive:
        system.positive.add(system.count)
    return system.count


def _implied(system: _System, way: Alternative, ranks: set[tuple[int, int]], less: int) -> None:
    """That `sum of sign * rank + less >= 0` follows; a rank with the sign -1 is that after the step."""
    columns: dict[Term | None, dict[int, int]] = {None: {}}
    for point, sign in ranks:
        _add(columns, None, _unknown(system, point, None), sign)
        for v in system.variables:
            coefficient = _unknown(system, point, v)
            value = way.updates.get(v, v) if sign < 0 else v
            constant, parts = linear_parts(value)
            _add(columns, None, coefficient, sign * constant)
            for part, c in parts.items():
                _add(columns, part, coefficient, sign * c)
    for row in _relevant(way.rows, columns.keys()):
        multiplier = _fresh(system, not row.exact)
        _add(columns, None, multiplier, -row.constant)
        for part, c in row.parts.items():
            _add(columns, part, multiplier, -c)
    _add(columns, None, _fresh(system, True), -1)
    for column, unknown in columns.items():
        system.equations.append(({n: c for n, c in unknown.items() if c}, -less if column is None else 0))


def _relevant(rows: Sequence[Row], columns: Set[Term | None]) -> list[Row]:
    """The rows that speak of the columns, or of what others of them speak of: no others can be of use."""
    known, left, found = set(columns), list(rows), list[Row]()
    while fresh := [r for r in left if not r.parts or not known.isdisjoint(r.parts)]:
        found += fresh
        left = [r for r in left if r not in fresh]
        known.update(p for r in fresh for p in r.parts)
    return found


def _add(columns: dict[Term | None, dict[int, int]], column: Term | None, unknown: int, amount: int) -> None:
    parts = columns.setdefault(column, {})
    parts[unknown] = parts.get(unknown, 0) + amount
