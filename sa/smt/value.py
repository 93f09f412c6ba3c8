"""Values that expressions have in a model, as plain data."""

from __future__ import annotations

from typing import assert_never

import z3
from z3 import z3core

from sa.terms.sort import (
    ArraySort,
    ArrayValue,
    BoolSort,
    EnumSort,
    IntSort,
    Plain,
    Sort,
    Value,
    array_value,
    stored,
    without_elements,
)


class NotAValue(Exception):
    """The model describes an array in a way that is not read here."""


def value_in(model: z3.ModelRef, expression: z3.ExprRef, sort: Sort) -> Value:
    """The value of an expression in a model. Raises NotAValue."""
    if isinstance(sort, ArraySort):
        return _value(model, model.eval(expression, model_completion=True), sort)
    # The C functions are called directly: a model has many values, and z3's wrappers take ten times as long as these.
    context, found = model.ctx.ref(), (z3.Ast * 1)()
    if not z3core.Z3_model_eval(context, model.model, expression.ast, True, found):
        raise NotAValue(str(expression))
    if isinstance(sort, BoolSort):
        return bool(z3core.Z3_get_bool_value(context, found[0]) == z3.Z3_L_TRUE)
    if z3core.Z3_get_ast_kind(context, found[0]) != z3.Z3_NUMERAL_AST:
        raise NotAValue(str(expression))
    return int(z3core.Z3_get_numeral_string(context, found[0]))


def _value(model: z3.ModelRef, expression: z3.ExprRef, sort: Sort) -> Value:
    match sort:
        case IntSort() | EnumSort():
            if not z3.is_int_value(expression):
                raise NotAValue(str(expression))
            return int(expression.as_long())
        case BoolSort():
            return bool(z3.is_true(expression))
        case ArraySort():
            return _array(model, expression, sort)
        case _:
            assert_never(sort)


def _array(model: z3.ModelRef, expression: z3.ExprRef, sort: ArraySort) -> ArrayValue:
    """`store`s around a constant array, or the table of a function."""
    if z3.is_store(expression):
        inside, index, element = expression.children()
        at = _plain(model, index, sort.index)
        return stored(_array(model, inside, sort), at, _value(model, element, sort.element))
    if z3.is_const_array(expression):
        return array_value(sort, _value(model, expression.arg(0), sort.element), {})
    if z3.is_as_array(expression):
        table = model[z3.get_as_array_func(expression)]
        if isinstance(table, z3.FuncInterp):
            rows = (table.entry(i) for i in range(table.num_entries()))
            entries = {_plain(model, r.arg_value(0), sort.index): _value(model, r.value(), sort.element) for r in rows}
            return array_value(sort, _value(model, table.else_value(), sort.element), entries)
    raise NotAValue(str(expression))


def _plain(model: z3.ModelRef, expression: z3.ExprRef, sort: Sort) -> Plain:
    return without_elements(_value(model, expression, sort))
