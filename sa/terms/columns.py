"""Terms as functions over columns: the value of a term in many states at once, with numpy.

`evaluate` is the definition, `compile` the same for one row. A column is an array of numbers of 64 bits, so a term is
written as a function over columns only if nothing that is computed on the way can leave 62 bits, given between which
values its variables are. Arrays, functions without a body and quantifiers are not done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt

from sa.terms.term import (
    And,
    Bool,
    Call,
    ConstantArray,
    Div,
    Forall,
    Int,
    IsZero,
    Ite,
    Le,
    Member,
    Mod,
    Not,
    Or,
    Product,
    Same,
    Select,
    Store,
    Sum,
    Term,
    Var,
)

#: A column: truth values as `bool`, all others as 64-bit numbers; members of enumerations by their number.
Column: TypeAlias = npt.NDArray[Any]
#: The columns of variables. All have the same length.
Columns: TypeAlias = Mapping[Var, Column]
#: Least and greatest value.
Ends: TypeAlias = tuple[int, int]

#: Terms that are deeper are left to others.
_DEEPEST = 100

_WIDEST = 1 << 62


class NoColumns(Exception):
    """A term has no function over columns."""


def over_columns(term: Term, ends: Mapping[Var, Ends]) -> tuple[Callable[[Columns], Column], Ends]:
    """The function of a term whose variables stay between `ends`, and the ends of its values; truth is 0 or 1.

    A term without variables gives a single number, as numpy broadcasts it. Raises NoColumns.
    """
    function, found = _Reader(ends).read(term)
    return (lambda columns: function(dict(columns))), found


#: Columns of variables, and of subterms that occur several times as soon as they have been made.
_Scope: TypeAlias = dict[Term, Column]
_Function: TypeAlias = Callable[[_Scope], Column]


class _Reader:
    """Functions of the subterms met so far."""

    def __init__(self, ends: Mapping[Var, Ends]) -> None:
        self._ends = ends
        self._known = dict[Term, tuple[_Function, Ends]]()
        self._shared = set[Term]()
        self._depth = 0

    def read(self, term: Term) -> tuple[_Function, Ends]:
        """The function of a term and the ends of its values."""
        found = self._known.get(term)
        if found is not None:
            self._shared.add(term)
            return found
        if self._depth > _DEEPEST:
            raise NoColumns
        self._depth += 1
        made, (low, high) = self._made(term)
        self._depth -= 1
        if low < -_WIDEST or high > _WIDEST:
            raise NoColumns
        found = self._known[term] = self._once(term, made), (low, high)
        return found

    def _once(self, term: Term, made: _Function) -> _Function:
        """The function, which looks first whether the column of a shared subterm is there."""
        shared = self._shared

        def function(scope: _Scope) -> Column:
            if term not in shared:
                return made(scope)
            column = scope.get(term)
            if column is None:
                column = scope[term] = made(scope)
            return column

        return function

    def _made(self, term: Term) -> tuple[_Function, Ends]:
        match term:
            case Var():
                if term not in self._ends:
                    raise NoColumns
                return (lambda scope: scope[term]), self._ends[term]
            case Int(value) | Member(_, value):
                if abs(value) > _WIDEST:
                    raise NoColumns
                number = np.asarray(np.int64(value))
                return (lambda scope: number), (value, value)
            case Bool(value):
                truth = np.asarray(np.bool_(value))
                return (lambda scope: truth), (int(value), int(value))
            case Sum(constant, parts):
                return self._sum(constant, parts)
            case Product(factors):
                return self._product(factors)
            case Div(dividend, divisor):
                if abs(divisor) > _WIDEST:
                    raise NoColumns
                of, (low, high) = self.read(dividend)
                ends = sorted((low // divisor, high // divisor))
                return (lambda scope: of(scope) // divisor), (ends[0], ends[-1])
            case Mod(dividend, divisor):
                of, _ = self.read(dividend)
                return (lambda scope: of(scope) % divisor), (min(0, divisor), max(0, divisor))
            case Ite(condition, positive, negative):
                (test, _), (yes, first), (no, second) = map(self.read, (condition, positive, negative))
                between = min(first[0], second[0]), max(first[1], second[1])
                return (lambda scope: np.where(test(scope), yes(scope), no(scope))), between
            case Le(total):
                of, _ = self.read(total)
                return (lambda scope: of(scope) <= 0), (0, 1)
            case IsZero(total):
                of, _ = self.read(total)
                return (lambda scope: of(scope) == 0), (0, 1)
            case Same(left, right):
                (one, _), (other, _) = self.read(left), self.read(right)
                return (lambda scope: one(scope) == other(scope)), (0, 1)
            case Not(body):
                of, _ = self.read(body)
                return (lambda scope: np.logical_not(of(scope))), (0, 1)
            case And(args):
                return self._folded(args, np.logical_and), (0, 1)
            case Or(args):
                return self._folded(args, np.logical_or), (0, 1)
            case Call() | Forall() | Select() | Store() | ConstantArray():
                raise NoColumns
            case _:
                assert_never(term)

    def _sum(self, constant: int, parts: tuple[tuple[Term, int], ...]) -> tuple[_Function, Ends]:
        read = [(self.read(part), factor) for part, factor in parts]
        ends = [sorted((low * factor, high * factor)) for (_, (low, high)), factor in read]
        # Sums are made from left to right, so every partial sum stays within what is added up here.
        if abs(constant) + sum(max(abs(low), abs(high)) for low, high in ends) > _WIDEST:
            raise NoColumns

        def total(scope: _Scope) -> Column:
            value: Column = np.asarray(np.int64(constant))
            for (of, _), factor in read:
                value = value + (of(scope) if factor == 1 else of(scope) * factor)
            return value

        return total, (constant + sum(low for low, _ in ends), constant + sum(high for _, high in ends))

    def _product(self, factors: tuple[Term, ...]) -> tuple[_Function, Ends]:
        read = [self.read(f) for f in factors]
        low, high = read[0][1]
        for _, (least, greatest) in read[1:]:
            corners = [x * y for x in (low, high) for y in (least, greatest)]
            low, high = min(corners), max(corners)
            if low < -_WIDEST or high > _WIDEST:
                raise NoColumns

        def product(scope: _Scope) -> Column:
            value = read[0][0](scope)
            for of, _ in read[1:]:
                value = value * of(scope)
            return value

        return product, (low, high)

    def _folded(self, args: tuple[Term, ...], both: Callable[[Column, Column], Column]) -> _Function:
        read = [self.read(a)[0] for a in args]

        def folded(scope: _Scope) -> Column:
            value = read[0](scope)
            for of in read[1:]:
                value = both(value, of(scope))
            return value

        return folded
