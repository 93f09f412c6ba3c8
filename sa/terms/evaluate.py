"""Evaluation of terms in concrete states, without any solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from sa.terms.sort import Value, array_value, stored
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

State = Mapping[Var, Value]


class Unevaluable(Exception):
    """The term has no value here: a function without a body, a quantifier, or an unassigned variable."""


def evaluate(term: Term, state: State) -> Value:
    """The value of a term in a state. Raises Unevaluable."""
    value: Value = _value(term, state)
    return value


def _value(term: Term, state: State) -> Any:
    match term:
        case Int(value) | Bool(value):
            return value
        case Var():
            if term not in state:
                raise Unevaluable(term.key)
            return state[term]
        case Sum(constant, parts):
            return constant + sum(c * _value(p, state) for p, c in parts)
        case Le(total):
            return _value(total, state) <= 0
        case IsZero(total):
            return _value(total, state) == 0
        case And(args):
            return all(_value(a, state) for a in args)
        case Or(args):
            return any(_value(a, state) for a in args)
        case Not(body):
            return not _value(body, state)
        case Same(left, right):
            return _value(left, state) == _value(right, state)
        case Ite(condition, positive, negative):
            return _value(positive if _value(condition, state) else negative, state)
        case Member(_, index):
            return index
        case Div(dividend, divisor):
            return _value(dividend, state) // divisor
        case Mod(dividend, divisor):
            return _value(dividend, state) % divisor
        case Product(factors):
            result = 1
            for factor in factors:
                result *= _value(factor, state)
            return result
        case Select(array, index):
            return _value(array, state)[_value(index, state)]
        case Store(array, index, value):
            return stored(_value(array, state), _value(index, state), _value(value, state))
        case ConstantArray(sort, value):
            return array_value(sort, _value(value, state), {})
        case Call() | Forall():
            raise Unevaluable(term.key)
        case _:
            assert_never(term)


def holds(formula: Term, state: State) -> bool:
    """Whether a formula is true in a state. Raises Unevaluable."""
    return bool(evaluate(formula, state))
