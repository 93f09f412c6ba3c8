"""Evaluation of terms in concrete states, without any solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from sa.terms.sort import Value
from sa.terms.term import (
    And,
    Bool,
    Call,
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
    Sum,
    Term,
    Var,
)

State = Mapping[Var, Value]


class Unevaluable(Exception):
    """The term has no value here: a function without a body, a quantifier, or an unassigned variable."""


def evaluate(term: Term, state: State) -> Value:
    """The value of a term in a state. Raises Unevaluable."""
    match term:
        case Int(value) | Bool(value):
            return value
        case Var():
            if term not in state:
                raise Unevaluable(term.key)
            return state[term]
        case Sum(constant, parts):
            return constant + sum(c * evaluate(p, state) for p, c in parts)
        case Le(total):
            return evaluate(total, state) <= 0
        case IsZero(total):
            return evaluate(total, state) == 0
        case And(args):
            return all(evaluate(a, state) for a in args)
        case Or(args):
            return any(evaluate(a, state) for a in args)
        case Not(body):
            return not evaluate(body, state)
        case Same(left, right):
            return evaluate(left, state) == evaluate(right, state)
        case Ite(condition, positive, negative):
            return evaluate(positive if evaluate(condition, state) else negative, state)
        case Member(_, index):
            return index
        case Div(dividend, divisor):
            return evaluate(dividend, state) // divisor
        case Mod(dividend, divisor):
            return evaluate(dividend, state) % divisor
        case Product(factors):
            result = 1
            for factor in factors:
                result *= evaluate(factor, state)
            return result
        case Call() | Forall():
            raise Unevaluable(term.key)
        case _:
            assert_never(term)


def holds(formula: Term, state: State) -> bool:
    """Whether a formula is true in a state. Raises Unevaluable."""
    return bool(evaluate(formula, state))
