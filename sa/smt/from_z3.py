"""z3 expressions back to terms, for what solvers compute: solutions of Horn clauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import z3

from sa.terms import build
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, enumerations
from sa.terms.term import Term, Var


class NotATerm(Exception):
    """The expression uses something that terms do not have."""


def term_of(expression: z3.ExprRef, arguments: Sequence[Var]) -> Term:
    """The term of an expression whose bound variable number i is `arguments[i]`. Raises NotATerm."""
    return _term(expression, arguments, {})


def _term(expression: z3.ExprRef, arguments: Sequence[Var], memo: dict[int, Term]) -> Term:
    number = expression.get_id()
    found = memo.get(number)
    if found is None:
        found = memo[number] = _convert(expression, arguments, memo)
    return found


def _convert(expression: z3.ExprRef, arguments: Sequence[Var], memo: dict[int, Term]) -> Term:
    if z3.is_var(expression):
        return _typed(arguments[z3.get_var_index(expression)])
    if z3.is_int_value(expression):
        return build.integer(expression.as_long())
    if not z3.is_app(expression):
        raise NotATerm(str(expression))
    parts = [_term(expression.arg(i), arguments, memo) for i in range(expression.num_args())]
    return _application(expression.decl().kind(), parts, expression)


def _typed(var: Var) -> Term:
    match var.sort:
        case IntSort() | BoolSort():
            return var
        case EnumSort():
            raise NotATerm(f"{var.name} is an enumeration")
        case ArraySort(index, element):
            if any(enumerations((index, element))):
                raise NotATerm(f"{var.name} is an array of an enumeration")
            return var
        case _:
            assert_never(var.sort)


def _application(kind: int, parts: list[Term], expression: z3.ExprRef) -> Term:
    match kind:
        case z3.Z3_OP_TRUE:
            return build.TRUE
        case z3.Z3_OP_FALSE:
            return build.FALSE
        case z3.Z3_OP_AND:
            return build.land(*parts)
        case z3.Z3_OP_OR:
            return build.lor(*parts)
        case z3.Z3_OP_NOT:
            return build.lnot(parts[0])
        case z3.Z3_OP_IMPLIES:
            return build.implies(parts[0], parts[1])
        case z3.Z3_OP_EQ:
            return build.eq(parts[0], parts[1])
        case z3.Z3_OP_LE:
            return build.le(parts[0], parts[1])
        case z3.Z3_OP_GE:
            return build.le(parts[1], parts[0])
        case z3.Z3_OP_LT:
            return build.lt(parts[0], parts[1])
        case z3.Z3_OP_GT:
            return build.lt(parts[1], parts[0])
        case z3.Z3_OP_ADD:
            return build.add(*parts)
        case z3.Z3_OP_SUB:
            return build.add(parts[0], *(build.scale(-1, p) for p in parts[1:]))
        case z3.Z3_OP_UMINUS:
            return build.scale(-1, parts[0])
        case z3.Z3_OP_MUL:
            result: Term = build.ONE
            for part in parts:
                result = build.mul(result, part)
            return result
        case z3.Z3_OP_ITE:
            return build.ite(parts[0], parts[1], parts[2])
        case z3.Z3_OP_SELECT if len(parts) == 2:
            return build.select(parts[0], parts[1])
        case z3.Z3_OP_STORE if len(parts) == 3:
            return build.store(parts[0], parts[1], parts[2])
        case z3.Z3_OP_IDIV | z3.Z3_OP_MOD:
            divisor = expression.arg(1)
            if z3.is_int_value(divisor) and divisor.as_long() != 0:
                make = build.div if kind == z3.Z3_OP_IDIV else build.mod
                return make(parts[0], divisor.as_long())
    raise NotATerm(expression.decl().name())
