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
    value: Value = _value(term, state, {})
    return value


def _value(term: Term, state: State, known: dict[Term, Any]) -> Any:
    """The value; `known` are those of choices between terms and of elements, which rounds of a loop nest in one
    another.
    """
    match term:
        case Int(value) | Bool(value):
            return value
        case Var():
            if term not in state:
                raise Unevaluable(term.key)
            return state[term]
        case Sum(constant, parts):
            return constant + sum(c * _value(p, state, known) for p, c in parts)
        case Le(total):
            return _value(total, state, known) <= 0
        case IsZero(total):
            return _value(total, state, known) == 0
        case And(args):
            return all(_value(a, state, known) for a in args)
        case Or(args):
            return any(_value(a, state, known) for a in args)
        case Not(body):
            return not _value(body, state, known)
        case Same(left, right):
            return _value(left, state, known) == _value(right, state, known)
        case Ite(condition, positive, negative):
            if term not in known:
                known[term] = _value(positive if _value(condition, state, known) else negative, state, known)
            return known[term]
        case Member(_, index):
            return index
        case Div(dividend, divisor):
            return _value(dividend, state, known) // divisor
        case Mod(dividend, divisor):
            return _value(dividend, state, known) % divisor
        case Product(factors):
            result = 1
            for factor in factors:
                result *= _value(factor, state, known)
            return result
        case Select(array, index):
            if term not in known:
                known[term] = _value(array, state, known)[_value(index, state, known)]
            return known[term]
        case Store(array, index, value):
            return stored(_value(array, state, known), _value(index, state, known), _value(value, state, known))
        case ConstantArray(sort, value):
            return array_value(sort, _value(value, state, known), {})
        case Call() | Forall():
            raise Unevaluable(term.key)
        case _:
            assert_never(term)


def holds(formula: Term, state: State) -> bool:
    """Whether a formula is true in a state. Raises Unevaluable."""
    return bool(evaluate(formula, state))
