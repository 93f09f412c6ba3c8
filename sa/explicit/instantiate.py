"""Values for variables that nothing determines: solved by evaluation where an equation says so, else a few are tried.

That none of them fits proves nothing, unless `complete` says that all values there are were tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct

from sa.automata.automaton import Variable
from sa.automata.ranges import count_of, values_of, within
from sa.base.limits import Limits, spend
from sa.terms import build
from sa.terms.compile import compiled, predicate
from sa.terms.integer_bounds import Interval, between
from sa.terms.solve import solution
from sa.terms.sort import INT, ArraySort, Value, array_value, default_value
from sa.terms.term import Div, Int, IsZero, Le, Mod, Sum, Term, Var, subterms

Row = tuple[Value, ...]

#: After how many looks at values the clock is looked at, unless there are no limits.
_BETWEEN_LOOKS = 4_096
_WITHOUT = Limits()

#: A range with at most so many values is tried as a whole.
FEW = 16
#: How many values are tried for other integers.
POOL = 32

#: Arrays of numbers; the elements of one that have values of their own; how many random ones are tried beside others.
NUMBERS, DISTINCT, ARRAYS = ArraySort(INT, INT), range(-1, 9), 2


class _Stage(Struct, frozen=True, eq=False):
    """One more entry of the row: its values, at most `most` of them, and what must hold as soon as it has one.

    `whole` says of a row whether these are all there are. With `pool` they are arrays, and others have these elements.
    """

    values: Callable[[Row], Sequence[Value]]
    most: int
    test: Callable[[Row], bool]
    whole: Callable[[Row], bool]
    pool: Sequence[int] = ()


class Picks(Struct, frozen=True, eq=False):
    """How a row is extended by values of unknowns. `places` are where the unknowns stand behind the row.

    A row that is not `possible` has no extension. It is `complete` if all values are tried in every row.
    """

    given: int
    possible: Callable[[Row], bool]
    stages: tuple[_Stage, ...]
    places: tuple[int, ...]
    complete: bool


def picks(
    formula: Term, known: Sequence[Var], unknown: Sequence[Variable], pool: Sequence[int], few: int = FEW
) -> Picks:
    """Ways to make the formula true by values for the unknowns, in a row of values of `known`.

    Ranges with at most `few` values are tried as a whole.
    """
    order, left = list(known), {v.var: v for v in unknown}
    conditions = build.conjuncts(formula)
    before = build.land(*(c for c in conditions if c.free.isdisjoint(left)))
    pending, stages, complete = [c for c in conditions if not c.free.isdisjoint(left)], list[_Stage](), True
    while left:
        var, values, most, all_of_them = _solved(pending, order, left) or _tried(next(iter(left.values())), pool, few)
        whole: Callable[[Row], bool] = _always if all_of_them else _never
        if not all_of_them and (bounds := between(_bounding(pending, left, var), var, order)):
            values, most, whole = _within(bounds, values, max(most, few), few)
        del left[var]
        order.append(var)
        complete = complete and all_of_them
        due = [c for c in pending if c.free.isdisjoint(left)]
        pending = [c for c in pending if c not in due]
        elements = pool if var.sort == NUMBERS and most > 1 else ()
        stages.append(_Stage(values, most, predicate(build.land(*due), tuple(order)), whole, elements))
    positions = {v: i for i, v in enumerate(order[len(known) :])}
    return Picks(
        len(known), predicate(before, tuple(known)), tuple(stages), tuple(positions[v.var] for v in unknown), complete
    )


def _always(row: Row) -> bool:
    return True


def _never(row: Row) -> bool:
    return False


def _bounding(pending: Sequence[Term], left: Mapping[Var, Variable], var: Var) -> list[Term]:
    """What bounds a variable when all others have values: conditions and its range."""
    alone = [c for c in pending if all(v is var for v in c.free if v in left)]
    return [*alone, *build.conjuncts(within(left[var]))]


def _within(
    bounds: Callable[[Row], Interval], others: Callable[[Row], Sequence[Value]], most: int, few: int
) -> tuple[Callable[[Row], Sequence[Value]], int, Callable[[Row], bool]]:
    """The values in an interval where these are few, otherwise others."""

    def inside(row: Row) -> range | None:
        low, high = bounds(row)
        return None if low is None or high is None or high - low >= few else range(low, high + 1)

    def values(row: Row) -> Sequence[Value]:
        found = inside(row)
        return others(row) if found is None else found

    return values, most, lambda row: inside(row) is not None


def _solved(
    formulas: Iterable[Term], order: Sequence[Var], left: dict[Var, Variable]
) -> tuple[Var, Callable[[Row], Sequence[Value]], int, bool] | None:
    for formula in formulas:
        unknown = frozenset(v for v in formula.free if v in left)
        found = solution(formula, unknown) if len(unknown) == 1 else None
        if found is not None:
            return found[0], _only(compiled(found[1], tuple(order))), 1, True
    return None


def _only(value: Callable[[Row], Value]) -> Callable[[Row], Sequence[Value]]:
    return lambda row: (value(row),)


def _tried(
    variable: Variable, pool: Sequence[int], few: int
) -> tuple[Var, Callable[[Row], Sequence[Value]], int, bool]:
    values, complete = candidates(variable, pool, few)
    return variable.var, lambda row: values, len(values), complete


def candidates(variable: Variable, pool: Sequence[int], few: int = FEW) -> tuple[Sequence[Value], bool]:
    """The values tried for a variable, and whether these are all it has."""
    low, high, every, count = variable.low, variable.high, values_of(variable), count_of(variable)
    if every is not None and count is not None and (variable.var.sort != INT or count <= few):
        return every, True
    if isinstance(variable.var.sort, ArraySort):
        return arrays(variable.var.sort), False
    ends = [x for x in (low, high) if x is not None]
    inside = [x for x in (*pool, *ends) if (low is None or low <= x) and (high is None or x <= high)]
    return tuple(dict.fromkeys(inside)), False


def arrays(sort: ArraySort) -> Sequence[Value]:
    """The arrays that are tried: of numbers also one of ones, and one that tells the first elements apart."""
    usual = default_value(sort)
    if sort != NUMBERS:
        return (usual,)
    return usual, array_value(sort, 1, {}), array_value(sort, 0, {index: 2 + index for index in DISTINCT})


def extensions(how: Picks, row: Row, most: int, bounds: Limits = _WITHOUT) -> tuple[list[Row], bool]:
    """Rows of values of the unknowns, in at most so many looks; whether these are all of them. Raises LimitReached."""
    if not how.possible(row):
        return [], True
    found, missed = list[Row](), list[Row]()
    for looked_at, extended in enumerate(_extended(how.stages, 0, row, missed)):
        if looked_at >= most:
            return found, False
        if looked_at % _BETWEEN_LOOKS == 0:
            spend(bounds, 200)
        if extended is not None:
            found.append(tuple(extended[how.given + i] for i in how.places))
    return found, not missed


def ways(how: Picks) -> Iterator[Row | None]:
    """Rows of values of the unknowns, and None for each value that is looked at."""
    if not how.possible(()):
        return
    for extended in _extended(how.stages, 0, (), []):
        yield extended and tuple(extended[how.given + i] for i in how.places)


def _extended(stages: Sequence[_Stage], number: int, row: Row, missed: list[Row]) -> Iterator[Row | None]:
    """The extended rows, and None for each value that was looked at; rows that may have more values are `missed`."""
    if number == len(stages):
        yield row
        return
    stage = stages[number]
    if not stage.whole(row):
        missed.append(row)
    for value in stage.values(row):
        yield None
        longer = (*row, value)
        if stage.test(longer):
            yield from _extended(stages, number + 1, longer, missed)


def at_random(how: Picks, row: Row, dice: Random) -> Row | None:
    """Values of the unknowns, each any one that its stage allows; None where an earlier one leaves none."""
    if not how.possible(row):
        return None
    for stage in how.stages:
        values = (*stage.values(row), *(_any_array(stage.pool, dice) for _ in range(ARRAYS if stage.pool else 0)))
        fitting = [longer for value in values if stage.test(longer := (*row, value))]
        if not fitting:
            return None
        row = dice.choice(fitting)
    return tuple(row[how.given + i] for i in how.places)


def _any_array(pool: Sequence[int], dice: Random) -> Value:
    """An array of numbers of which the first few are any of the pool."""
    return array_value(NUMBERS, dice.choice(pool), {index: dice.choice(pool) for index in DISTINCT})


def by_cost(how: Picks, row: Row, missed: list[Row]) -> Iterator[tuple[int, Row | None]]:
    """As `extensions`, the cheapest first, each with its cost; None for each value that was looked at.

    A value costs its place among those tried for the variable, so that small values come first for all variables. One
    of the rows that may have more values is `missed`, if there are any.
    """
    if not how.possible(row):
        return
    dearest = [0]
    for stage in reversed(how.stages):
        dearest.append(dearest[-1] + max(stage.most - 1, 0))
    for cost in range(dearest[-1] + 1):
        for extended in _costing(how.stages, dearest, 0, row, cost, missed):
            yield cost, extended and tuple(extended[how.given + i] for i in how.places)


def _costing(
    stages: Sequence[_Stage], dearest: Sequence[int], number: int, row: Row, cost: int, missed: list[Row]
) -> Iterator[Row | None]:
    """The extended rows of this cost. `dearest` is what the last 0, 1, ... stages can cost."""
    if number == len(stages):
        yield row
        return
    stage, later = stages[number], dearest[len(stages) - number - 1]
    if not missed and not stage.whole(row):
        missed.append(row)
    values = stage.values(row)
    for place in range(max(0, cost - later), min(cost + 1, len(values))):
        yield None
        longer = (*row, values[place])
        if stage.test(longer):
            yield from _costing(stages, dearest, number + 1, longer, cost - place, missed)


def interesting(terms: Iterable[Term]) -> tuple[int, ...]:
    """Values that the terms compare with and their neighbours, and small ones; those near zero first."""
    values = {-1, 0, 1, 2, 3}
    for term in subterms(terms):
        for value in _constants(term):
            values.update((value - 1, value, value + 1))
    return tuple(sorted(values, key=lambda x: (abs(x), x < 0))[:POOL])


def _constants(term: Term) -> tuple[int, ...]:
    match term:
        case Int(value):
            return (value,)
        case Div(_, divisor) | Mod(_, divisor):
            return (divisor,)
        case Le(Sum(constant, ((_, factor),))) | IsZero(Sum(constant, ((_, factor),))):
            return (-constant // factor,)
        case Sum(constant, _) if constant:
            return (constant, -constant)
        case _:
            return ()
