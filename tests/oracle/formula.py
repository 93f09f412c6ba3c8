"""Formulas as Python functions over rows of values, and all solutions of a formula over finite domains.

A term is written as a Python expression and compiled once, because the oracle evaluates each
formula thousands of times; `sa.terms.evaluate` stays the definition and the tests compare the two.
Functions without a body and quantifiers have no value: `Unevaluable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

from sa.automata.automaton import Variable
from sa.automata.ranges import values_of
from sa.terms.build import conjuncts, disjuncts
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import Value
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

Row = tuple[Value, ...]
Domain = Sequence[Value]


class Unbounded(Exception):
    """A variable ranges over all integers, so nothing can be enumerated: restrict it first."""


def domain_of(variable: Variable) -> Domain:
    """The values of a variable, in order. Raises Unbounded for an int without a range."""
    values = values_of(variable)
    if values is None:
        raise Unbounded(variable.var.name)
    return values


def predicate(formula: Term, variables: Sequence[Var]) -> Callable[[Row], bool]:
    """Whether a formula over `variables` holds in a row of their values. Raises Unevaluable."""
    function: Callable[[Row], bool] = eval(f"lambda row: {_python(formula, _places(variables))}")
    return function


def tuple_of(terms: Sequence[Term], variables: Sequence[Var]) -> Callable[[Row], Row]:
    """The values of terms over `variables` in a row of their values. Raises Unevaluable."""
    names = _places(variables)
    items = "".join(f"{_python(t, names)}," for t in terms)
    function: Callable[[Row], Row] = eval(f"lambda row: ({items})")
    return function


def solutions(
    formula: Term, given: Sequence[Var], unknown: Sequence[Var], domains: Sequence[Domain]
) -> Callable[[Row], list[Row]]:
    """All rows of values of `unknown`, out of `domains`, that make `formula` true for a row of `given`.

    Written as a comprehension with one loop for each unknown, in which every conjunct is tested as
    soon as its variables have values. Rows come without repetition. Raises Unevaluable.
    """
    names = {**_places(given), **{v: f"u{i}" for i, v in enumerate(unknown)}}
    scope = {f"d{i}": domain for i, domain in enumerate(domains)}
    cases = [
        eval(f"lambda row: {_comprehension(conjuncts(case), unknown, names)}", dict(scope))
        for case in disjuncts(formula)
    ]
    if len(cases) == 1:
        only: Callable[[Row], list[Row]] = cases[0]
        return only
    return lambda row: list(dict.fromkeys(found for case in cases for found in case(row)))


def _comprehension(parts: Iterable[Term], unknown: Sequence[Var], names: Mapping[Var, str]) -> str:
    tests: list[list[str]] = [[] for _ in range(len(unknown) + 1)]
    for part in parts:
        level = max((i + 1 for i, v in enumerate(unknown) if v in part.free), default=0)
        tests[level].append(f" if {_python(part, names)}")
    loops = f" for _ in (0,){''.join(tests[0])}" + "".join(
        f" for u{i} in d{i}{''.join(tests[i + 1])}" for i in range(len(unknown))
    )
    return f"[({''.join(f'u{i},' for i in range(len(unknown)))}){loops}]"


def _places(variables: Sequence[Var]) -> dict[Var, str]:
    return {v: f"row[{i}]" for i, v in enumerate(variables)}


def _python(term: Term, names: Mapping[Var, str]) -> str:
    """A term as a Python expression in parentheses."""

    def go(t: Term) -> str:
        return _python(t, names)

    match term:
        case Int(value) | Bool(value):
            return f"({value})"
        case Var():
            if term not in names:
                raise Unevaluable(term.key)
            return names[term]
        case Sum(constant, parts):
            return f"({constant}{''.join(f'+{c}*{go(p)}' for p, c in parts)})"
        case Le(total):
            return f"({go(total)}<=0)"
        case IsZero(total):
            return f"({go(total)}==0)"
        case And(args):
            return f"({' and '.join(map(go, args))})"
        case Or(args):
            return f"({' or '.join(map(go, args))})"
        case Not(body):
            return f"(not {go(body)})"
        case Same(left, right):
            return f"({go(left)}=={go(right)})"
        case Ite(condition, positive, negative):
            return f"({go(positive)} if {go(condition)} else {go(negative)})"
        case Member(_, index):
            return f"({index})"
        case Div(dividend, divisor):
            return f"({go(dividend)}//{divisor})"
        case Mod(dividend, divisor):
            return f"({go(dividend)}%{divisor})"
        case Product(factors):
            return f"({'*'.join(map(go, factors))})"
        case Call() | Forall() | Select() | Store() | ConstantArray():
            raise Unevaluable(term.key)
        case _:
            assert_never(term)
