"""All values of variables that make a formula true, where these are finitely many; by evaluation alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Variable
from sa.automata.ranges import is_large, values_of, within
from sa.terms.build import conjuncts, land
from sa.terms.compile import compiled, predicate
from sa.terms.integer_bounds import Interval, between
from sa.terms.solve import solution
from sa.terms.sort import Value
from sa.terms.term import Term, Var

Row = tuple[Value, ...]

#: An interval of more values than these is taken for one without an end.
_MOST = 10_000


class Endless(Exception):
    """A variable has infinitely many values, as far as one can tell."""


class _Next(Struct, frozen=True, eq=False):
    """One more variable: its values, and what must hold when it has one."""

    values: Callable[[Row], Iterable[Value]]
    test: Callable[[Row], bool]


class Enumeration(Struct, frozen=True, eq=False):
    """Extensions of a row; `places` say where the unknowns, in the order asked for, stand in the extended row.

    A row that is not `possible` has none, whatever values the unknowns have.
    """

    possible: Callable[[Row], bool]
    steps: tuple[_Next, ...]
    places: tuple[int, ...]


def enumeration(formula: Term, known: Sequence[Var], unknown: Sequence[Variable]) -> Enumeration:
    """How to find all values of the unknowns for a row of values of `known`."""
    order, left, steps = list(known), {v.var: v for v in unknown}, list[_Next]()
    conditions = conjuncts(formula)
    possible = predicate(land(*(c for c in conditions if left.keys().isdisjoint(c.free))), tuple(known))
    pending = [c for c in conditions if not left.keys().isdisjoint(c.free)]
    while left:
        var, values = _determined(pending, order, left) or _ranged(pending, order, left)
        order.append(var)
        del left[var]
        due = [c for c in pending if left.keys().isdisjoint(c.free)]
        pending = [c for c in pending if not left.keys().isdisjoint(c.free)]
        steps.append(_Next(values, predicate(land(*due), tuple(order))))
    return Enumeration(possible, tuple(steps), tuple(order.index(v.var) for v in unknown))


def _determined(
    formulas: Sequence[Term], order: Sequence[Var], left: dict[Var, Variable]
) -> tuple[Var, Callable[[Row], Iterable[Value]]] | None:
    """A variable that one of the formulas makes equal to something known."""
    for formula in formulas:
        unknown = formula.free & left.keys()
        found = solution(formula, frozenset(unknown)) if len(unknown) == 1 else None
        if found is not None:
            return found[0], _only(compiled(found[1], tuple(order)))
    return None


def _only(value: Callable[[Row], Value]) -> Callable[[Row], Iterable[Value]]:
    return lambda row: (value(row),)


def _ranged(
    formulas: Sequence[Term], order: Sequence[Var], left: dict[Var, Variable]
) -> tuple[Var, Callable[[Row], Iterable[Value]]]:
    """The next variable that has few values, or one that the formulas bound by what is known.

    If there is none, one whose values cannot be told once they are asked for.
    """
    for var, variable in left.items():
        values = values_of(variable)
        if values is not None and not is_large(variable):
            return var, _always(values)
    for var in left:
        alone = [f for f in formulas if f.free & left.keys() == {var}]
        bounds = between([*alone, *conjuncts(within(left[var]))], var, order)
        if bounds is not None:
            return var, _bounded(bounds, var.name)
    var = min(left, key=lambda v: v.name)
    return var, _endless(var.name)


def _bounded(bounds: Callable[[Row], Interval], name: str) -> Callable[[Row], Iterable[Value]]:
    def values(row: Row) -> Iterable[Value]:
        low, high = bounds(row)
        if low is None or high is None or high - low > _MOST:
            raise Endless(name)
        return range(low, high + 1)

    return values


def _endless(name: str) -> Callable[[Row], Iterable[Value]]:
    def values(row: Row) -> Iterable[Value]:
        raise Endless(name)

    return values


def _always(values: Sequence[Value]) -> Callable[[Row], Iterable[Value]]:
    return lambda row: values


def extended(how: Enumeration, row: Row) -> Iterator[Row]:
    """The values of the unknowns, in the order asked for, for a row of known values. Raises Endless."""
    if not how.possible(row):
        return
    for longer in _longer(how.steps, 0, row):
        yield tuple(longer[i] for i in how.places)


def _longer(steps: Sequence[_Next], number: int, row: Row) -> Iterator[Row]:
    if number == len(steps):
        yield row
        return
    for value in steps[number].values(row):
        longer = (*row, value)
        if steps[number].test(longer):
            yield from _longer(steps, number + 1, longer)
