"""GNU C's arithmetic that says whether its result fits: `__builtin_add_overflow` and what is like it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sa.frontends.c.body import Body, InMemory
from sa.frontends.c.expressions import value
from sa.frontends.c.operations import store
from sa.frontends.c.types import INT, LONG, ULONG, Int, Pointer
from sa.frontends.c.values import Unsupported, Value, convert, number
from sa.terms import build
from sa.terms.term import Term

#: No result of two operands is outside this type.
_EXACT = Int("integer", 256, True)
_EXACTLY: dict[str, Callable[[Term, Term], Term]] = {"add": build.add, "sub": build.sub, "mul": build.mul}
_UINT = Int("unsigned int", 32, False)
_TYPED = {"s": INT, "sl": LONG, "sll": LONG, "u": _UINT, "ul": ULONG, "ull": ULONG}


def _overflowing(name: str, operands: Int | None) -> Callable[[Body, Sequence[Any]], Value]:
    """Store what the exact result of two integers is in the type that the third argument points to: does it differ?"""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        if len(arguments) != 3:
            raise Unsupported("SA719", "this takes three arguments", "give it all of them and no more")
        one, two, where = (value(body, a) for a in arguments)
        if not isinstance(where.type, Pointer) or not isinstance(where.type.to, Int):
            raise Unsupported("SA719", "this is not a pointer to an integer")
        if not isinstance(one.type, Int) or not isinstance(two.type, Int):
            raise Unsupported("SA719", "these are not integers")
        if operands is not None:
            one, two = convert(one, operands, body.registers), convert(two, operands, body.registers)
        exact = _EXACTLY[name](number(one), number(two))
        made = convert(Value(exact, _EXACT), where.type.to, body.registers)
        store(body, InMemory(number(where), where.type.to), made)
        return Value(build.ne(exact, number(made)), INT)

    return handler


OVERFLOWS = {f"__builtin_{name}_overflow": _overflowing(name, None) for name in _EXACTLY} | {
    f"__builtin_{kind[0]}{name}{kind[1:]}_overflow": _overflowing(name, operands)
    for name in _EXACTLY
    for kind, operands in _TYPED.items()
}
