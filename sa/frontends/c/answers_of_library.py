"""Functions whose results C leaves open: of `isdigit` only whether it is 0, of `strcmp` only its sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Body
from sa.frontends.c.expressions import value
from sa.frontends.c.externs import between
from sa.frontends.c.formats import COMPARING, TELLING
from sa.frontends.c.types import INT
from sa.frontends.c.values import Value, number, truth
from sa.terms import build


def _told(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """Not 0 where a letter is of a kind (C11 7.4.1), or where texts differ, with the sign of the first difference
    (C11 7.24.4): which number it is may be another one each time. In `refine` it is the same each time.
    """

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        found = value(body, c_ast.FuncCall(c_ast.ID(f"__sacheck_{name}"), c_ast.ExprList(list(arguments))))
        if body.file.choices.visible:
            return found
        more, less = number(between(body, 1, 2**31 - 1)), number(between(body, -(2**31), -1))
        holds, sign = truth(found), build.lt(number(found), build.ZERO)
        if name in TELLING:
            sign = build.eq(number(between(body, 0, 1)), build.ZERO)
        return replace(Value(build.ite(holds, build.ite(sign, less, more), build.ZERO), INT), holds=holds)

    return handler


ANSWERS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {n: _told(n) for n in (*TELLING, *COMPARING)}
