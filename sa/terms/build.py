"""Constructors: the only way to make terms. They keep the normal form of `term`.

Integer terms are sums of monomials, comparisons are `total <= 0` or `total == 0` divided by the common divisor, `&&`
and `||` are flat, sorted, free of repetitions. So many equal formulas are one object, and many valid ones are `TRUE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import assert_never

from sa.base.limits import Unsupported
from sa.terms.name import named
from sa.terms.sort import BOOL, INT, ArraySort, ArrayValue, BoolSort, EnumSort, IntSort, Sort, Value, number
from sa.terms.term import (
    And,
    Bool,
    Call,
    ConstantArray,
    Div,
    Forall,
    Function,
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
    intern,
    remember_negation,
    sort_of,
)

TRUE = intern(Bool, True)
FALSE = intern(Bool, False)
ZERO = intern(Int, 0)
ONE = intern(Int, 1)


def variable(name: str, sort: Sort = INT, primes: int = 0) -> Var:
    """A variable; its name as text, or as `terms.name` makes it of parts."""
    return intern(Var, named(name), sort, primes)


def integer(value: int) -> Int:
    """An integer constant."""
    return intern(Int, value)


def boolean(value: bool) -> Bool:
    """`true` or `false`."""
    return TRUE if value else FALSE


def constant(value: Value, sort: Sort) -> Term:
    """The constant of a sort that has this value."""
    match sort:
        case BoolSort():
            return boolean(bool(value))
        case IntSort():
            return integer(number(value))
        case EnumSort():
            return intern(Member, sort, number(value))
        case ArraySort(index, element):
            if not isinstance(value, ArrayValue):
                raise Unsupported("a number where an array is needed")
            array = constant_array(sort, constant(value.default, element))
            for i, x in value.entries:
                array = store(array, constant(i, index), constant(x, element))
            return array
        case _:
            assert_never(sort)


def linear_parts(term: Term) -> tuple[int, Mapping[Term, int]]:
    """A term as a constant and coefficients of its non-constant monomials."""
    match term:
        case Int(value):
            return value, {}
        case Sum(const, parts):
            return const, dict(parts)
        case _:
            return 0, {term: 1}


def linear(const: int, coefficients: Mapping[Term, int]) -> Term:
    """`const + Σ coefficient · monomial`."""
    parts = [(t, c) for t, c in coefficients.items() if c]
    if len(parts) > 1:
        parts.sort(key=lambda p: p[0].key)
    elif not parts:
        return integer(const)
    elif const == 0 and parts[0][1] == 1:
        return parts[0][0]
    for part, coefficient in parts:
        if type(part) is Div and coefficient % part.divisor == 0:
            return _multiplied_out(const, parts)
    return intern(Sum, const, tuple(parts))


def _multiplied_out(const: int, parts: Iterable[tuple[Term, int]]) -> Term:
    """`linear` with `n · (t div n)` written as `t - t % n`."""
    scaled = list[tuple[Term, int]]()
    for part, coefficient in parts:
        if isinstance(part, Div) and coefficient % part.divisor == 0:
            scaled += (part.dividend, n := coefficient // part.divisor), (mod(part.dividend, part.divisor), -n)
        else:
            scaled.append((part, coefficient))
    return combine(const, scaled)


def add(*terms: Term) -> Term:
    """Sum of integer terms."""
    return combine(0, ((t, 1) for t in terms))


def combine(const: int, scaled: Iterable[tuple[Term, int]]) -> Term:
    """`const + Σ factor · term`, in one go."""
    total = dict[Term, int]()
    for term, factor in scaled:
        match term:
            case Int(value):
                const += factor * value
            case Sum(constant_, parts):
                const += factor * constant_
                for part, c in parts:
                    total[part] = total.get(part, 0) + factor * c
            case _:
                total[term] = total.get(term, 0) + factor
    return linear(const, total)


def scale(factor: int, term: Term) -> Term:
    """`factor · term`."""
    const, parts = linear_parts(term)
    return linear(factor * const, {p: factor * c for p, c in parts.items()})


def sub(left: Term, right: Term) -> Term:
    """`left - right`."""
    return combine(0, ((left, 1), (right, -1)))


def mul(left: Term, right: Term) -> Term:
    """Product; sums are multiplied out, so the result is a sum of monomials."""
    k1, parts1 = linear_parts(left)
    k2, parts2 = linear_parts(right)
    left_parts, right_parts = parts1.items(), parts2.items()
    crossed = ((_monomial(p, q), c * d) for p, c in left_parts for q, d in right_parts)
    return combine(k1 * k2, (*((p, c * k2) for p, c in left_parts), *((q, d * k1) for q, d in right_parts), *crossed))


def _monomial(left: Term, right: Term) -> Term:
    factors = [f for t in (left, right) for f in (t.factors if isinstance(t, Product) else (t,))]
    return intern(Product, tuple(sorted(factors, key=lambda t: t.key)))


def div(dividend: Term, divisor: int) -> Term:
    """Euclidean quotient by a non-zero constant (rounds so that the remainder is not negative)."""
    if divisor < 0:
        return scale(-1, div(dividend, -divisor))
    if divisor == 1:
        return dividend
    const, parts = linear_parts(dividend)
    # Multiples of the divisor come out whole.
    whole = {p: c // divisor for p, c in parts.items() if c % divisor == 0}
    rest = linear(const % divisor, {p: c for p, c in parts.items() if p not in whole})
    left = integer(rest.value // divisor) if isinstance(rest, Int) else intern(Div, rest, divisor)
    return combine(const // divisor, ((linear(0, whole), 1), (left, 1)))


def mod(dividend: Term, divisor: int) -> Term:
    """Euclidean remainder by a non-zero constant, in `0..|divisor|-1`."""
    size = abs(divisor)
    if size == 1:
        return ZERO
    if isinstance(dividend, Mod) and dividend.divisor <= size:
        return dividend
    const, parts = linear_parts(_without_remainders(dividend, size))
    reduced = linear(const % size, {p: c % size for p, c in parts.items()})
    if isinstance(reduced, Int):
        return integer(reduced.value % size)
    # Reduced coefficients may make differences of quotients, which are reduced again.
    return intern(Mod, reduced, size) if reduced is dividend else mod(reduced, size)


def _without_remainders(dividend: Term, divisor: int) -> Term:
    """A sum with the same remainder, without `t % m` as a part where m is a multiple of the divisor."""
    const, parts = linear_parts(dividend)
    if not any(isinstance(p, Mod) and p.divisor % divisor == 0 for p in parts):
        return dividend
    inner = ((p.dividend if isinstance(p, Mod) and p.divisor % divisor == 0 else p, c) for p, c in parts.items())
    return _without_remainders(combine(const, inner), divisor)


def call(function: Function, arguments: tuple[Term, ...]) -> Term:
    """An uninterpreted function applied."""
    return intern(Call, function, arguments)


def constant_array(sort: ArraySort, value: Term) -> Term:
    """The array that has one value everywhere."""
    return intern(ConstantArray, sort, value)


def select(array: Term, index: Term) -> Term:
    """The element of an array at an index; looks through stores whose indices are known to differ from it."""
    while isinstance(array, Store) and eq(array.index, index) is FALSE:
        array = array.array
    if isinstance(array, ConstantArray) or (isinstance(array, Store) and eq(array.index, index) is TRUE):
        return array.value
    return intern(Select, array, index)


def store(array: Term, index: Term, value: Term) -> Term:
    """The array with another value at an index; stores at indices known to differ are ordered by the keys of these."""
    if select(array, index) is value:
        return array
    if isinstance(array, Store):
        equal = eq(array.index, index)
        if equal is TRUE:
            return store(array.array, index, value)
        if equal is FALSE and index.key < array.index.key:
            return store(store(array.array, index, value), array.index, array.value)
    return intern(Store, array, index, value)


def ite(condition: Term, positive: Term, negative: Term) -> Term:
    """`if condition then positive else negative`, of any sort."""
    if positive is negative:
        return positive
    match condition:
        case Bool(value):
            return positive if value else negative
        case Not(body):
            return ite(body, negative, positive)
        case _ if sort_of(positive) == BOOL:
            return land(lor(lnot(condition), positive), lor(condition, negative))
        case _:
            return intern(Ite, condition, positive, negative)


def le(left: Term, right: Term) -> Term:
    """`left <= right`."""
    return at_most_zero(sub(left, right))


def lt(left: Term, right: Term) -> Term:
    """`left < right`."""
    return at_most_zero(combine(1, ((left, 1), (right, -1))))


def at_most_zero(total: Term) -> Term:
    """`total <= 0`; a remainder is at least 0 and less than its divisor."""
    const, parts = linear_parts(total)
    part = next(iter(parts)) if len(parts) == 1 else None
    if not parts or (isinstance(part, Mod) and (const <= 0) is (const + parts[part] * (part.divisor - 1) <= 0)):
        return boolean(const <= 0)
    divisor = gcd(*parts.values())
    if divisor > 1:
        total = linear(-(-const // divisor), {p: c // divisor for p, c in parts.items()})
    if isinstance(part, Div):
        end, size = -(-const // divisor) * part.divisor, part.divisor
        return le(part.dividend, integer(size - end - 1)) if parts[part] > 0 else le(integer(end), part.dividend)
    return intern(Le, total)


def eq(left: Term, right: Term) -> Term:
    """Equality of two terms of one sort."""
    if left is right:
        return TRUE
    if sort_of(left) == INT:
        return is_zero(sub(left, right))
    return _same(left, right)


def is_zero(total: Term) -> Term:
    """`total == 0`."""
    const, parts = linear_parts(total)
    if not parts:
        return boolean(const == 0)
    divisor = gcd(*parts.values())
    if const % divisor:
        return FALSE
    if next(iter(parts.values())) < 0:  # They are in order.
        divisor = -divisor
    scaled = total if divisor == 1 else linear(const // divisor, {p: c // divisor for p, c in parts.items()})
    return intern(IsZero, scaled)


def _same(left: Term, right: Term) -> Term:
    if isinstance(left, Bool):
        return right if left.value else lnot(right)
    if isinstance(right, Bool):
        return left if right.value else lnot(left)
    if isinstance(left, Member) and isinstance(right, Member):
        return boolean(left.index == right.index)
    if isinstance(left, Not) or isinstance(right, Not):
        return lnot(eq(lnot(left), right)) if isinstance(left, Not) else lnot(eq(left, lnot(right)))
    if lnot(left) is right and sort_of(left) == BOOL:
        return FALSE
    if isinstance(left, ConstantArray) and isinstance(right, ConstantArray):
        return eq(left.value, right.value)
    first, second = sorted((left, right), key=lambda t: t.key)
    return intern(Same, first, second)


def ne(left: Term, right: Term) -> Term:
    """`left != right`."""
    return lnot(eq(left, right))


def lnot(term: Term) -> Term:
    """Negation, pushed inside down to the atoms."""
    negation = term.negation
    if negation is None:
        negation = _negated(term)
        remember_negation(term, negation)
        remember_negation(negation, term)
    return negation


def _negated(term: Term) -> Term:
    match term:
        case Bool(value):
            return boolean(not value)
        case Not(body):
            return body
        case Le(total):
            return at_most_zero(combine(1, ((total, -1),)))
        case And(args):
            return lor(*(lnot(a) for a in args))
        case Or(args):
            return land(*(lnot(a) for a in args))
        case _:
            return intern(Not, term)


def land(*terms: Term) -> Term:
    """Conjunction."""
    return intern(And, args) if len(args := conjoined(terms)) > 1 else args[0] if args else TRUE


def lor(*terms: Term) -> Term:
    """Disjunction."""
    return intern(Or, args) if len(args := _arguments(terms, Or, FALSE, TRUE)) > 1 else args[0] if args else FALSE


def conjoined(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The conjuncts of the conjunction, which itself is not made."""
    return _arguments(terms, And, TRUE, FALSE)


def _arguments(terms: Iterable[Term], cls: type[And] | type[Or], unit: Bool, absorbing: Bool) -> tuple[Term, ...]:
    args = dict[Term, None]()
    for term in terms:
        if type(term) is cls:
            args.update(dict.fromkeys(term.args))
        elif term is absorbing:
            return (absorbing,)
        elif term is not unit:
            args[term] = None
    if len(args) <= 1:
        return tuple(args)
    for term in args:
        if type(term) not in (And, Or) and (term.negation or lnot(term)) in args:
            return (absorbing,)
    return tuple(sorted(args, key=lambda t: t.key))


def implies(premise: Term, conclusion: Term) -> Term:
    """`premise ==> conclusion`."""
    return lor(lnot(premise), conclusion)


def forall(binders: tuple[Var, ...], body: Term) -> Term:
    """Universal quantification over the binders that occur."""
    used = tuple(b for b in binders if b in body.free)
    return intern(Forall, used, body) if used else body


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The conjuncts of a formula; none for `true`."""
    return term.args if isinstance(term, And) else () if term is TRUE else (term,)


def disjuncts(term: Term) -> tuple[Term, ...]:
    """The disjuncts of a formula; none for `false`."""
    return term.args if isinstance(term, Or) else () if term is FALSE else (term,)
