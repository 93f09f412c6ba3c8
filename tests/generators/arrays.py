"""Random terms over arrays, each with what it means, computed apart from `build` and `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from sa.terms import build
from sa.terms.sort import BOOL, INT, ArraySort, ArrayValue, Plain, Sort, Value, array_value
from sa.terms.term import Term, Var

NUMBERS = ArraySort(INT, INT)
FLAGS = ArraySort(INT, BOOL)
PAIR = ArraySort(BOOL, INT)
TABLE = ArraySort(INT, NUMBERS)
X, Y = build.variable("x"), build.variable("y")
P = build.variable("p", BOOL)
VARIABLES: tuple[Var, ...] = (
    X,
    Y,
    P,
    *(build.variable(n, NUMBERS) for n in ("a", "b")),
    build.variable("f", FLAGS),
    build.variable("g", PAIR),
    build.variable("m", TABLE),
)

#: The meaning of a term: from a state to a value, where an array is a function.
Meaning: TypeAlias = Callable[[Mapping[Var, Value]], object]
Pair: TypeAlias = tuple[Term, Meaning]

#: Indices at which arrays are compared: beyond them random arrays are constant.
LOW, HIGH = -3, 9


def random_value(rng: Random, sort: Sort) -> Value:
    """A value of the sort."""
    if isinstance(sort, ArraySort):
        indices: list[Plain] = [False, True] if sort.index == BOOL else rng.sample(range(-2, 4), 3)
        entries = {i: random_value(rng, sort.element) for i in indices}
        return array_value(sort, random_value(rng, sort.element), entries)
    return rng.random() < 0.5 if sort == BOOL else rng.randint(-2, 3)


def random_state(rng: Random) -> dict[Var, Value]:
    """A value for every variable."""
    return {v: random_value(rng, v.sort) for v in VARIABLES}


def meant(value: Value) -> object:
    """A value as a meaning has it: an array as a function."""
    if isinstance(value, ArrayValue):
        entries = dict(value.entries)
        return lambda i: meant(entries.get(i, value.default))
    return value


def agree(value: Value, meaning: object, sort: Sort) -> bool:
    """Whether a value is what is meant."""
    if isinstance(sort, ArraySort):
        assert isinstance(value, ArrayValue) and callable(meaning)
        indices: tuple[Plain, ...] = (False, True) if sort.index == BOOL else tuple(range(LOW, HIGH))
        return all(agree(value[i], meaning(i), sort.element) for i in indices)
    return type(value) is type(meaning) and value == meaning


def random_term(rng: Random, depth: int, sort: Sort) -> Pair:
    """A term of the sort and its meaning."""
    if depth == 0 or rng.random() < 0.2:
        return _leaf(rng, sort)
    if rng.random() < 0.4:
        return _selected(rng, depth, sort)
    if rng.random() < 0.3:
        return _conditional(rng, depth, sort)
    if isinstance(sort, ArraySort):
        return _array(rng, depth, sort)
    return _comparison(rng, depth) if sort == BOOL else _sum(rng, depth)


def _leaf(rng: Random, sort: Sort) -> Pair:
    known = [v for v in VARIABLES if v.sort == sort]
    if known and rng.random() < 0.7:
        var = rng.choice(known)
        return var, lambda s: meant(s[var])
    value = random_value(rng, sort)
    return build.constant(value, sort), lambda s: meant(value)


def _selected(rng: Random, depth: int, sort: Sort) -> Pair:
    found = [s for s in (NUMBERS, FLAGS, PAIR, TABLE) if s.element == sort]
    if not found:
        return _leaf(rng, sort)
    chosen = rng.choice(found)
    array, of_array = random_term(rng, depth - 1, chosen)
    index, of_index = random_term(rng, depth - 1, chosen.index)
    return build.select(array, index), lambda s: of_array(s)(of_index(s))  # type: ignore[operator]


def _conditional(rng: Random, depth: int, sort: Sort) -> Pair:
    condition, of_condition = random_term(rng, depth - 1, BOOL)
    positive, of_positive = random_term(rng, depth - 1, sort)
    negative, of_negative = random_term(rng, depth - 1, sort)
    return build.ite(condition, positive, negative), lambda s: (of_positive if of_condition(s) else of_negative)(s)


def _array(rng: Random, depth: int, sort: ArraySort) -> Pair:
    if rng.random() < 0.2:
        element, of_element = random_term(rng, depth - 1, sort.element)
        return build.constant_array(sort, element), lambda s: lambda i: of_element(s)
    array, of_array = random_term(rng, depth - 1, sort)
    index, of_index = random_term(rng, min(depth - 1, 1), sort.index)
    element, of_element = random_term(rng, depth - 1, sort.element)

    def meaning(s: Mapping[Var, Value]) -> object:
        inside, at, x = of_array(s), of_index(s), of_element(s)
        return lambda i: x if i == at else inside(i)  # type: ignore[operator]

    return build.store(array, index, element), meaning


def _comparison(rng: Random, depth: int) -> Pair:
    sort = rng.choice((INT, NUMBERS, FLAGS, PAIR))
    left, of_left = random_term(rng, depth - 1, sort)
    right, of_right = random_term(rng, depth - 1, sort)
    if sort == INT:
        return build.le(left, right), lambda s: of_left(s) <= of_right(s)  # type: ignore[operator]
    assert isinstance(sort, ArraySort)
    indices: tuple[Plain, ...] = (False, True) if sort.index == BOOL else tuple(range(LOW, HIGH))
    return build.eq(left, right), lambda s: all(of_left(s)(i) == of_right(s)(i) for i in indices)  # type: ignore[operator]


def _sum(rng: Random, depth: int) -> Pair:
    left, of_left = random_term(rng, depth - 1, INT)
    right, of_right = random_term(rng, depth - 1, INT)
    # Indices stay small, so that they are among those that are compared.
    return build.mod(build.add(left, right), 3), lambda s: (of_left(s) + of_right(s)) % 3  # type: ignore[operator]
