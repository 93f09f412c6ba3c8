"""What may relate the globals of the two sides at all times: equations, under conditions, and orders in paired states.

Two sides that keep the same data in different ways agree on them case by case: the first element of a queue is that
slot of a ring which a remainder tells, the top of a stack that cell which a pointer names. Random runs show such states
of both sides together. Here an equation between two variables gets few conditions that cover the states in which it
holds, the widest first; what they say beyond the states seen is for others to prove.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct

from sa.explicit.instantiate import Row
from sa.invariants.linear import null_space
from sa.terms import build
from sa.terms.sort import BOOL, INT, ArraySort, Value, number
from sa.terms.term import Mod, Term, Var, subterms

#: A variable with at most so many values is told by them; of others at most so many are in linear equations.
FEW, NUMBERS = 4, 8

#: States in which a condition has to hold to count; literals of a condition, and how many there are to choose from.
SUPPORT, LITERALS, OFFERED = 4, 3, 40

#: Formulas that are told, coefficients of linear equations at most, and divisors of remainders.
FORMULAS, COEFFICIENT, DIVISOR = 60, 3, 8


class _Test(Struct, frozen=True, eq=False):
    """A formula about one side, and the numbers of the states in which it holds as the bits of an integer."""

    formula: Term
    states: int


class _Columns(Struct, frozen=True, eq=False):
    """States by variable."""

    values: Mapping[Var, tuple[Value, ...]]
    count: int

    def bits(self, holds: Iterator[bool]) -> int:
        """The numbers of the states for which this is true."""
        return sum(1 << n for n, h in enumerate(holds) if h)


def formulas_of(variables: Sequence[Var], mine: int, rows: Sequence[Row], terms: Sequence[Term]) -> tuple[Term, ...]:
    """Formulas that hold in all rows of values of `variables`, the first `mine` of which are the concrete side's.

    `terms` are what the two sides compute with.
    """
    if len(rows) < SUPPORT:
        return ()
    plain = [i for i, v in enumerate(variables) if not isinstance(v.sort, ArraySort)]
    columns = _Columns({variables[i]: tuple([row[i] for row in rows]) for i in plain}, len(rows))
    first = [variables[i] for i in plain if i < mine]
    second = [variables[i] for i in plain if i >= mine]
    linear = _linear(first, second, columns)
    tests = (_tests(first, columns, terms), _tests(second, columns, terms))
    found = dict.fromkeys((*linear, *_ordered(first, second, columns)))
    for equation, own in _equations(first, second, columns, tests[1]):
        found.update(dict.fromkeys(_covered(equation, own, (*tests[0], *tests[1]), first, columns)))
    return tuple(found)[:FORMULAS]


def _few(var: Var, columns: _Columns) -> tuple[Value, ...]:
    """The values of a variable that has few of them."""
    values = tuple(dict.fromkeys(columns.values[var]))
    return values if len(values) <= FEW else ()


def _linear(first: Sequence[Var], second: Sequence[Var], columns: _Columns) -> Iterator[Term]:
    """Linear equations between numbers of both sides."""
    numbers = [v for v in (*first, *second) if v.sort == INT and len(set(columns.values[v])) > 1]
    moving = sorted(numbers, key=lambda v: v.name.position is not None)[:NUMBERS]
    one = "1"
    forms = ({one: 1, **{v: number(columns.values[v][n]) for v in moving}} for n in range(columns.count))
    left, right = set(first), set(second)
    for weights in null_space((one, *moving), forms):
        about = {v for v in weights if isinstance(v, Var)}
        if about & left and about & right and all(abs(w) <= COEFFICIENT for w in weights.values()):
            parts = (build.scale(w, v) if isinstance(v, Var) else build.integer(w) for v, w in weights.items())
            yield build.eq(build.add(*parts), build.ZERO)


def _ordered(first: Sequence[Var], second: Sequence[Var], columns: _Columns) -> Iterator[Term]:
    """Which numbers of one side are never less than one of the other, where they are not always equal."""
    mine, theirs = (
        [v for v in own if v.sort == INT and len(set(columns.values[v])) > 1][:NUMBERS] for own in (first, second)
    )
    for x, y in product(mine, theirs):
        apart = [number(a) - number(b) for a, b in zip(columns.values[x], columns.values[y], strict=True)]
        if any(apart) and max(apart) <= 0:
            yield build.le(x, y)
        elif any(apart) and min(apart) >= 0:
            yield build.le(y, x)


def _tests(own: Sequence[Var], columns: _Columns, terms: Sequence[Term]) -> tuple[_Test, ...]:
    """Values of variables that have few, and remainders of others."""
    remainders = [t for t in subterms(terms) if isinstance(t, Mod) and t.divisor <= DIVISOR]
    found = list[_Test]()
    for var in own:
        column, few = columns.values[var], _few(var, columns)
        if var.sort == BOOL:
            found += [_test(var, columns, True), _test(var, columns, False)]
        elif few:
            found += [_test(var, columns, value) for value in few]
        elif var.sort == INT:
            for size in sorted({t.divisor for t in remainders if var in t.free}):
                for rest in range(size):
                    formula = build.eq(build.mod(var, size), build.integer(rest))
                    holds = (x % size == rest for x in column)  # type: ignore[operator]  # of sort int
                    found.append(_Test(formula, columns.bits(holds)))
    every = (1 << columns.count) - 1
    return tuple(t for t in found if t.states not in (0, every))


def _test(var: Var, columns: _Columns, value: Value) -> _Test:
    formula = build.eq(var, build.constant(value, var.sort))
    return _Test(formula, columns.bits(x == value for x in columns.values[var]))


def _equations(
    first: Sequence[Var], second: Sequence[Var], columns: _Columns, theirs: Sequence[_Test]
) -> Iterator[tuple[_Test, Var | None]]:
    """What one side's globals may be in terms of the other's: values of few, then variables; and whose values count."""
    for test in theirs:
        yield test, None
    many = [y for y in second if not _few(y, columns)]
    for x in first:
        for y in many:
            if x.sort == y.sort:
                pairs = zip(columns.values[x], columns.values[y], strict=True)
                yield _Test(build.eq(x, y), columns.bits(a == b for a, b in pairs)), x


def _covered(
    equation: _Test, own: Var | None, tests: Sequence[_Test], first: Sequence[Var], columns: _Columns
) -> Iterator[Term]:
    """The equation under few conditions that cover the states in which it holds, as far as they do."""
    every = (1 << columns.count) - 1
    if equation.states == every:
        yield equation.formula
        return
    usable = [t for t in tests if t.formula.free.isdisjoint(equation.formula.free)]
    if own is None:
        mine = frozenset(first)
        usable = [t for t in usable if t.formula.free <= mine]
    left = equation.states
    for literals in sorted(_conditions(equation, usable[:OFFERED]), key=lambda c: (len(c), -_common(c).bit_count())):
        states = _common(literals)
        if (states & left).bit_count() >= SUPPORT and (own is None or _is_telling(own, states, columns)):
            left &= ~states
            yield build.implies(build.land(*(t.formula for t in literals)), equation.formula)


def _common(literals: Sequence[_Test]) -> int:
    states = literals[0].states
    for test in literals[1:]:
        states &= test.states
    return states


def _is_telling(own: Var, states: int, columns: _Columns) -> bool:
    """Whether the variable has several values in these states: with one, two variables are equal by accident."""
    return len({x for n, x in enumerate(columns.values[own]) if states >> n & 1}) > 1


def _conditions(equation: _Test, tests: Sequence[_Test]) -> Iterator[tuple[_Test, ...]]:
    """Conditions of few literals under which an equation holds wherever they were met; none longer than it need be."""
    enough = list[tuple[_Test, ...]]()
    for size in range(1, LITERALS + 1):
        for literals in combinations(tests, size):
            states = _common(literals)
            if states.bit_count() < SUPPORT or states & ~equation.states:
                continue
            if not any(all(t in literals for t in shorter) for shorter in enough):
                enough.append(literals)
                yield literals
