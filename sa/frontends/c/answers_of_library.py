"""Functions whose results C leaves open: of `isdigit` only whether it is 0, of `strcmp` only its sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit, fresh, temporary
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import constant, static_type, value
from sa.frontends.c.externs import between
from sa.frontends.c.formats import COMPARING, SPANNING, TELLING, is_text
from sa.frontends.c.operations import decide, load, strides
from sa.frontends.c.types import CHAR, INT, ULONG, Array, Pointer
from sa.frontends.c.values import Unsupported, Value, number, truth
from sa.frontends.flow.graph import Set
from sa.terms import build

#: So many letters of a string literal are compared without a loop.
_MOST_LETTERS = 24


def _told(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """Not 0 where a letter is of a kind (C11 7.4.1), or where texts differ, with the sign of the first difference
    (C11 7.24.4): which number it is may be another one each time. In `refine` it is the same each time.
    """

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        found = _beside_literal(body, name, arguments)
        if found is None:
            found = value(body, c_ast.FuncCall(c_ast.ID(f"__sacheck_{name}"), c_ast.ExprList(list(arguments))))
        if body.file.choices.visible:
            return found
        more, less = number(between(body, 1, 2**31 - 1)), number(between(body, -(2**31), -1))
        holds, sign = truth(found), build.lt(number(found), build.ZERO)
        if name in TELLING:
            sign = build.eq(number(between(body, 0, 1)), build.ZERO)
        return replace(Value(build.ite(holds, build.ite(sign, less, more), build.ZERO), INT), holds=holds)

    return handler


def _beside_literal(body: Body, name: str, arguments: Sequence[Any]) -> Value | None:
    """The difference of a text and a string literal, letter by letter without a loop; None for anything else."""
    texts = [is_text(a) for a in arguments[:2]]
    if name not in ("strcmp", "strncmp") or texts.count(True) != 1:
        return None
    if not isinstance(static_type(body, arguments[texts.index(False)]), Pointer | Array):
        return None
    letters = [*letters_of(arguments[texts.index(True)]), 0]
    if name == "strncmp":
        try:
            letters = letters[: constant(body, arguments[2])]
        except Unsupported:
            return None
    if len(letters) > _MOST_LETTERS:
        return None
    text = value(body, arguments[texts.index(False)])
    if not isinstance(text.type, Pointer) or text.type.to != CHAR:
        return None
    return _difference(body, text, letters, -1 if texts[0] else 1)


def _difference(body: Body, text: Value, letters: Sequence[int], sign: int) -> Value:
    """How a text differs from letters first, as numbers of unsigned letters."""
    result, end = temporary(body, INT), fresh(body)
    body.file.moves = True
    strides(body, text)
    for place, letter in enumerate(letters):
        found = number(load(body, InMemory(build.add(number(text), build.integer(place)), CHAR)))
        wanted = letter - 256 if letter > 127 else letter
        same, other = fresh(body), fresh(body)
        decide(body, build.eq(found, build.integer(wanted)), same, other)
        body.here = other
        difference = build.sub(build.mod(found, 256), build.integer(letter % 256))
        emit(body, Set(result, build.scale(sign, difference)), end)
        body.here = same
    emit(body, Set(result, build.ZERO), end)
    return Value(result, INT)


def _spanned(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """How many letters a text begins with that are none of some (`strcspn`), or that are some of them (`strspn`).

    Those of a string literal are looked at without a loop.
    """

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        letters = letters_of(arguments[1]) if is_text(arguments[1]) else None
        if letters is None or len(letters) > _MOST_LETTERS or is_text(arguments[0]):
            return value(body, c_ast.FuncCall(c_ast.ID(f"__sacheck_{name}"), c_ast.ExprList(list(arguments))))
        text, count = value(body, arguments[0]), temporary(body, ULONG)
        if not isinstance(text.type, Pointer) or text.type.to != CHAR:
            raise Unsupported("SA719", f"`{name}` of what is no text")
        body.file.moves = True
        strides(body, text)
        emit(body, Set(count, build.ZERO))
        head, more, end = body.here, fresh(body), fresh(body)
        found = number(load(body, InMemory(build.add(number(text), count), CHAR)))
        some = build.lor(*(build.eq(found, build.integer(n - 256 if n > 127 else n)) for n in letters))
        going = build.lnot(some) if name == "strcspn" else some
        decide(body, build.land(build.ne(found, build.ZERO), going), more, end)
        body.here = more
        emit(body, Set(count, build.add(count, build.ONE)), head)
        body.here = end
        return Value(count, ULONG)

    return handler


ANSWERS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    **{n: _told(n) for n in (*TELLING, *COMPARING)},
    **{n: _spanned(n) for n in SPANNING},
}
