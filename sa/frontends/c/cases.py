"""What a `switch` compares its value with."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, converted
from sa.frontends.c.expressions import constant
from sa.frontends.c.gnu import RANGE
from sa.frontends.c.types import LONG
from sa.frontends.c.values import Value, number
from sa.terms import build
from sa.terms.term import Term


def is_of_case(body: Body, found: Value, expression: Any) -> Term:
    """That the value of a `switch` is that of a case or, in GNU C, in its range; both in its type (C11 6.8.4.2p5)."""
    is_range = isinstance(expression, c_ast.TernaryOp) and isinstance(expression.iftrue, c_ast.ID)
    if not is_range or expression.iftrue.name != RANGE:
        return build.eq(number(found), _of(body, found, expression))
    first, last = _of(body, found, expression.cond), _of(body, found, expression.iffalse)
    return build.land(build.le(first, number(found)), build.le(number(found), last))


def _of(body: Body, found: Value, expression: Any) -> Term:
    """The value of a case in the type of what it is compared with."""
    return number(converted(body, Value(build.integer(constant(body, expression)), LONG), found.type))
