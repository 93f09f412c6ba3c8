"""Values that make a formula true, searched for among small ones: no solver, so finding none proves nothing.

Equations that leave one variable open are solved by evaluation; other variables are tried one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from sa.automata.automaton import Variable
from sa.automata.ranges import values_of
from sa.terms.build import FALSE, conjuncts, constant, linear_parts
from sa.terms.evaluate import evaluate
from sa.terms.sort import INT, ArraySort, Value, default_value, number
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Not, Same, Term, Var

#: The values tried for an unbounded int.
SMALL = range(-4, 13)
#: How many partial assignments are looked at before the search is given up.
BUDGET = 5_000


def witnesses(
    formula: Term, unknown: Sequence[Variable], known: Mapping[Var, Value], rng: Random | None
) -> Iterator[dict[Var, Value]]:
    """Assignments of values to `unknown` that make the formula true, `known` being given.

    Without `rng` in the order of the values, small absolute values first; otherwise in an order that `rng`
    decides. Stops after BUDGET partial assignments. Raises Unevaluable where functions are involved.
    """
    given = substitute(formula, {v: constant(x, v.sort) for v, x in known.items() if v in formula.free})
    yield from _search(given, {v.var: v for v in unknown}, {}, rng, [BUDGET])


def _search(
    formula: Term, unknown: dict[Var, Variable], found: dict[Var, Value], rng: Random | None, budget: list[int]
) -> Iterator[dict[Var, Value]]:
    budget[0] -= 1
    if formula is FALSE or budget[0] < 0:
        return
    if not unknown:
        if evaluate(formula, {}):
            yield found
        return
    var, values = _solved(formula, unknown) or _tried(next(iter(unknown.values())), rng)
    rest = {v: d for v, d in unknown.items() if v is not var}
    for value in values:
        narrower = substitute(formula, {var: constant(value, var.sort)})
        yield from _search(narrower, rest, {**found, var: value}, rng, budget)


def _solved(formula: Term, unknown: Mapping[Var, Variable]) -> tuple[Var, Sequence[Value]] | None:
    """A variable that some conjunct gives a value, or shows to have none."""
    for part in conjuncts(formula):
        match part:
            case Var() | Not(Var()) as literal:
                var = literal.body if isinstance(literal, Not) else literal
                if isinstance(var, Var) and var in unknown:
                    return var, (literal is var,)
            case IsZero(total):
                offset, parts = linear_parts(total)
                ((monomial, factor), *others) = parts.items()
                if not others and isinstance(monomial, Var) and monomial in unknown:
                    exact = offset % factor == 0 and _inside(unknown[monomial], -offset // factor)
                    return monomial, (-offset // factor,) if exact else ()
            case Same(Var() as var, other) | Same(other, Var() as var) if not other.free and var in unknown:
                return var, (evaluate(other, {}),)
    return None


def _inside(variable: Variable, value: int) -> bool:
    values = values_of(variable)
    return values is None or value in values


def _tried(variable: Variable, rng: Random | None) -> tuple[Var, Sequence[Value]]:
    values = _candidates(variable)
    if rng is not None:
        rng.shuffle(values)
    elif variable.var.sort == INT and values_of(variable) is None:
        values.sort(key=lambda x: abs(number(x)))
    return variable.var, values


def _candidates(variable: Variable) -> list[Value]:
    """All values of a variable; of more than could be looked at, the small ones and those at both ends."""
    values = values_of(variable)
    if values is None:
        return [default_value(variable.var.sort)] if isinstance(variable.var.sort, ArraySort) else list(SMALL)
    if not isinstance(values, range) or values.stop - values.start <= BUDGET:
        return list(values)
    small = (n for n in SMALL if n in values)
    return list(dict.fromkeys((*small, *values[: len(SMALL)], *values[-len(SMALL) :])))
