"""Controlling expressions: what a `switch` compares its value with, and which loops have constants."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, InRegister, converted, meaning
from sa.frontends.c.expressions import constant
from sa.frontends.c.gnu import RANGE
from sa.frontends.c.types import LONG, is_scalar
from sa.frontends.c.values import Value, number
from sa.terms import build
from sa.terms.term import Term


def is_of_case(body: Body, found: Value, expression: Any) -> Term:
    """That the value of a `switch` is that of a case or, in GNU C, in its range; both in its type (C11 6.8.4.2p5)."""
    ends = ends_of(expression)
    if ends is None:
        return build.eq(number(found), _of(body, found, expression))
    first, last = (_of(body, found, end) for end in ends)
    return build.land(build.le(first, number(found)), build.le(number(found), last))


def ends_of(expression: Any) -> tuple[Any, Any] | None:
    """The first and the last expression of a range, in GNU C; None where it is no range."""
    match expression:
        case c_ast.TernaryOp(cond=first, iftrue=c_ast.ID(name=name), iffalse=last) if name == RANGE:
            return first, last
        case _:
            return None


def _of(body: Body, found: Value, expression: Any) -> Term:
    """The value of a case in the type of what it is compared with."""
    return number(converted(body, Value(build.integer(constant(body, expression)), LONG), found.type))


def may_be_constant(body: Body, node: Any) -> bool:
    """Whether an expression may be a constant one, by its form alone (C11 6.6): no variable is read, nothing is done.

    A variable that nothing assigns to is none, whatever is known of its value.
    """
    match node:
        case c_ast.UnaryOp(op="sizeof" | "_Alignof" | "&"):
            return True
        case c_ast.UnaryOp(op="*" | "++" | "--" | "p++" | "p--"):
            return False
        case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.FuncCall() | c_ast.Assignment():
            return False
        case c_ast.ID():
            known = meaning(body, node.name)
            return not (isinstance(known, InRegister | InMemory) and is_scalar(known.type))
        case _:
            return all(may_be_constant(body, child) for _, child in node.children())
