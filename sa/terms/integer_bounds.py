"""The values that conditions leave to one integer, read off linear bounds once everything else has a value.

A quotient is such a number: the conditions that it is one have products of it with the divisor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sa.terms.build import linear_parts
from sa.terms.compile import compiled
from sa.terms.sort import Value
from sa.terms.term import And, IsZero, Le, Or, Product, Term, Var

#: The least and the greatest value; None for no bound. It may be empty.
Interval: TypeAlias = tuple[int | None, int | None]

#: The interval in a row of values.
_At: TypeAlias = Callable[[tuple[Value, ...]], Interval]

_EMPTY: Interval = (1, 0)


def between(formulas: Sequence[Term], var: Var, order: Sequence[Var]) -> _At | None:
    """An interval that all values are in for which the formulas hold, by the values of `order`. None if none is known.

    The formulas speak of these variables and of `var`.
    """
    found = [at for f in formulas if (at := _of(f, var, tuple(order))) is not None]
    return None if not found else lambda row: _meet([at(row) for at in found])


def _of(formula: Term, var: Var, order: tuple[Var, ...]) -> _At | None:
    if var not in formula.free:
        holds = compiled(formula, order)
        return lambda row: (None, None) if holds(row) else _EMPTY
    match formula:
        case And(args):
            return between(args, var, order)
        case Or(args):
            parts = [_of(a, var, order) for a in args]
            known = [p for p in parts if p is not None]
            return None if len(known) < len(parts) else lambda row: _join([at(row) for at in known])
        case Le(total) | IsZero(total):
            line = _line(total, var, order)
            if line is None:
                return None
            exact = isinstance(formula, IsZero)
            return lambda row: _solved(*line(row), exact)
        case _:
            return None


def _line(total: Term, var: Var, order: tuple[Var, ...]) -> Callable[[tuple[Value, ...]], tuple[int, int]] | None:
    """A sum as a factor of the variable and the rest; None where it is not linear in it."""
    parts = linear_parts(total)[1]
    for part in parts:
        if var in part.free and part is not var and not (isinstance(part, Product) and _is_once(part, var)):
            return None
    value = compiled(total, (*order, var))

    def at(row: tuple[Value, ...]) -> tuple[int, int]:
        rest, one = value((*row, 0)), value((*row, 1))
        assert isinstance(rest, int) and isinstance(one, int)
        return one - rest, rest

    return at


def _is_once(product: Product, var: Var) -> bool:
    """Whether a product has the variable as one of its factors, and in no other."""
    return [f for f in product.factors if var in f.free] == [var]


def _solved(factor: int, rest: int, exact: bool) -> Interval:
    """Where factor * x + rest is 0, if that is to be `exact`, or at most 0."""
    if factor == 0:
        return (None, None) if rest == 0 or (rest < 0 and not exact) else _EMPTY
    if exact:
        return (-rest // factor, -rest // factor) if rest % factor == 0 else _EMPTY
    return (None, -rest // factor) if factor > 0 else (-(rest // factor), None)


def _meet(found: Sequence[Interval]) -> Interval:
    lows, highs = ([end for end in ends if end is not None] for ends in zip(*found, strict=True))
    return max(lows, default=None), min(highs, default=None)


def _join(found: Sequence[Interval]) -> Interval:
    some = [(low, high) for low, high in found if low is None or high is None or low <= high]
    if not some:
        return _EMPTY
    lows, highs = zip(*some, strict=True)
    return (None if None in lows else min(lows)), (None if None in highs else max(highs))
