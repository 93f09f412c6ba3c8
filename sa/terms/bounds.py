"""What a term can be when its variables lie in intervals: an interval, or a truth value as far as it is known.

Booleans count as 0 and 1, enumerations as their index. A variable of which nothing is given can be anything of
its sort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache, reduce
from typing import assert_never

from sa.terms import interval
from sa.terms.build import lnot
from sa.terms.interval import Interval, sort_range
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
    sort_of,
    subterms,
)

Ranges = Mapping[Var, Interval]
#: The intervals of terms that were looked at with the same ranges.
_Seen = dict[Term, Interval]

#: Conditional terms within each other of which each condition is assumed: the work is a multiple with each.
FEW = 4


def interval_of(term: Term, ranges: Ranges, seen: _Seen | None = None) -> Interval:
    """An interval with every value that the term has for values of its variables in `ranges`; `seen` is known there."""
    if seen is None:
        return _interval_of(term, ranges, None)
    if term not in seen:
        seen[term] = _interval_of(term, ranges, seen)
    return seen[term]


def _interval_of(term: Term, ranges: Ranges, seen: _Seen | None) -> Interval:
    match term:
        case Int(value) | Bool(value) | Member(_, value):
            return int(value), int(value)
        case Var(_, sort, _):
            return ranges.get(term, sort_range(sort))
        case Sum(constant, parts):
            total: Interval = (constant, constant)
            for part, coefficient in parts:
                total = interval.add(total, interval.scale(coefficient, interval_of(part, ranges, seen)))
            return total
        case Product(factors):
            total = (1, 1)
            for factor, exponent in Counter(factors).items():
                total = interval.multiply(total, interval.power(interval_of(factor, ranges, seen), exponent))
            return total
        case Div(dividend, divisor):
            return interval.divide(interval_of(dividend, ranges, seen), divisor)
        case Mod(dividend, divisor):
            return interval.modulo(interval_of(dividend, ranges, seen), divisor)
        case Ite(condition, positive, negative):
            if not has_few_conditions(term):
                seen = {} if seen is None else seen
                known = truth_of(condition, ranges, seen)
                possible = (t for t, other in ((positive, False), (negative, True)) if known is not other)
                return reduce(interval.hull, (interval_of(t, ranges, seen) for t in possible))
            cases = ((positive, assuming(condition, ranges)), (negative, assuming(lnot(condition), ranges)))
            found = [interval_of(t, there) for t, there in cases if there is not None]
            # There is no value at all where neither is possible.
            return reduce(interval.hull, found) if found else interval_of(positive, ranges)
        case Call() | Select() | Store() | ConstantArray():
            return sort_range(sort_of(term))
        case Le() | IsZero() | Same() | Not() | And() | Or() | Forall():
            truth = truth_of(term, ranges, seen)
            return (0, 1) if truth is None else (int(truth), int(truth))
        case _:
            assert_never(term)


@lru_cache(maxsize=1 << 14)
def has_few_conditions(term: Term) -> bool:
    """Whether so few conditional terms are in a term that what each of them assumes can be looked at."""
    return sum(isinstance(t, Ite) for t in subterms((term,))) <= FEW


def truth_of(formula: Term, ranges: Ranges, seen: _Seen | None = None) -> bool | None:
    """Whether the formula is true, or false, for all values of its variables in `ranges`; None if neither is seen."""
    match formula:
        case Bool(value):
            return value
        case Var():
            low, high = interval_of(formula, ranges, seen)
            return bool(low) if low is not None and low == high else None
        case Not(body):
            truth = truth_of(body, ranges, seen)
            return None if truth is None else not truth
        case And(args) | Or(args):
            decisive = isinstance(formula, Or)
            known: bool | None = not decisive
            for part in args:
                truth = truth_of(part, ranges, seen)
                if truth is decisive:
                    return decisive
                known = None if truth is None else known
            return known
        case Le(total):
            low, high = interval_of(total, ranges, seen)
            return True if high is not None and high <= 0 else False if low is not None and low > 0 else None
        case IsZero(total):
            return _equal(interval_of(total, ranges, seen), interval.ZERO)
        case Same(left, right):
            return _equal(interval_of(left, ranges, seen), interval_of(right, ranges, seen))
        case Forall() | Call() | Ite() | Select():
            return None
        case Int() | Member() | Sum() | Product() | Div() | Mod() | Store() | ConstantArray():
            raise AssertionError(f"{formula!r} is no formula")
        case _:
            assert_never(formula)


def _equal(left: Interval, right: Interval) -> bool | None:
    if interval.meet(left, right) is None:
        return False
    return True if interval.size(left) == interval.size(right) == 1 else None


def assuming(formula: Term, ranges: Ranges) -> Ranges | None:
    """Ranges with all values in `ranges` for which the formula is true; None if there are none, as far as that is seen.

    Each conjunct is looked at once, so smaller ranges may be possible.
    """
    if isinstance(formula, And):
        for part in formula.args:
            found = assuming(part, ranges)
            if found is None:
                return None
            ranges = found
        return ranges
    if truth_of(formula, ranges) is False:
        return None
    match formula:
        case Var():
            return {**ranges, formula: (1, 1)}
        case Not(Var() as var):
            return {**ranges, var: (0, 0)}
        case Le(total):
            return _limited(total, (None, 0), ranges)
        case IsZero(total):
            return _limited(total, interval.ZERO, ranges)
        case Not(IsZero(total)):
            low, high = interval_of(total, ranges)
            if low == 0:
                return _limited(total, (1, None), ranges)
            if high == 0:
                return _limited(total, (None, -1), ranges)
        case Same(Var() as var, other) | Same(other, Var() as var) if sort_range(var.sort) != interval.WHOLE:
            # Some value is common to both: the formula is not false.
            common = interval.meet(interval_of(var, ranges), interval_of(other, ranges))
            return None if common is None else {**ranges, var: common}
        case _:
            pass
    return ranges


def _limited(total: Term, wanted: Interval, ranges: Ranges) -> Ranges | None:
    """The ranges of a sum's variables where it lies in an interval."""
    constant, parts = (total.constant, total.parts) if isinstance(total, Sum) else (0, ((total, 1),))
    for number, (part, coefficient) in enumerate(parts):
        if not isinstance(part, Var):
            continue
        rest: Interval = (constant, constant)
        for other, factor in (*parts[:number], *parts[number + 1 :]):
            rest = interval.add(rest, interval.scale(factor, interval_of(other, ranges)))
        here = interval.unscale(interval.shifted(wanted, rest), coefficient)
        now = None if here is None else interval.meet(here, interval_of(part, ranges))
        if now is None:
            return None
        if now != ranges.get(part):
            ranges = {**ranges, part: now}
    return ranges
