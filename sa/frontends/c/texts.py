"""What programs read from outside, as numbers, words and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit, fresh
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import value
from sa.frontends.c.externs import anything, between
from sa.frontends.c.formats import Piece, is_text, scanned
from sa.frontends.c.literals import outside_text
from sa.frontends.c.numbers_in_texts import is_outside
from sa.frontends.c.operations import decide, store, touch
from sa.frontends.c.types import CHAR, Float, Int, Pointer
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Skip
from sa.terms import build


def _scanned(form: int) -> Callable[[Body, Sequence[Any]], Value]:
    """What is read from outside: the result says where how many pointers point there is any value of the type then."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        known = scanned(arguments[form]) if form < len(arguments) and is_text(arguments[form]) else ()
        for argument in arguments[:form]:
            source = value(body, argument)
            if isinstance(source.type, Pointer):
                touch(body, source)
        places = arguments[form + 1 :]
        read = between(body, -1, len(places))
        for index, argument in enumerate(places):
            on, off = fresh(body), fresh(body)
            decide(body, build.lt(build.integer(index), number(read)), on, off)
            body.here = on
            _take(body, argument, known[index] if len(known) == len(places) else None, arguments[:form])
            emit(body, Skip(), off)
        return read

    return handler


def _scanned_text(body: Body, arguments: Sequence[Any]) -> Value:
    """`sscanf` of a text from outside. Raises Unsupported for others: what stands there is known."""
    if not is_outside(body, arguments[0]):
        why = "what is read here is in a text of the program"
        raise Unsupported("SA716", why, "read numbers with `strtol`, and letters one by one")
    return _scanned(1)(body, arguments)


def _take(body: Body, argument: Any, piece: Piece | None, source: Sequence[Any]) -> None:
    """What is read goes where a pointer points. Raises Unsupported where its length is not known."""
    to = value(body, argument)
    if not isinstance(to.type, Pointer) or not isinstance(to.type.to, Int | Pointer | Float):
        raise Unsupported("SA716", "this cannot be read from outside", "read into variables that are numbers")
    letters = isinstance(to.type.to, Int) and to.type.to.bits == 8
    if letters and piece is None:
        raise Unsupported("SA716", "letters that are read from outside are not accepted", "read numbers")
    if not letters or piece is None or not (piece.conversion in ("c", "s") or piece.conversion.startswith("[")):
        store(body, InMemory(number(to), to.type.to), anything(body, to.type.to))
    elif piece.conversion == "c" and piece.width in (None, 1):
        store(body, InMemory(number(to), CHAR), anything(body, CHAR))
    elif piece.conversion == "c" or (piece.width is None and source):
        raise Unsupported("SA716", "how many letters this reads is not known here", "give a width, as in `%9s`")
    else:
        # Nothing says how long a word from outside is.
        most = c_ast.Constant("int", str(2**30 if piece.width is None else piece.width))
        body.file.call(body, c_ast.FuncCall(c_ast.ID("__sacheck_word"), c_ast.ExprList([argument, most])))


def _environment(body: Body, arguments: Sequence[Any]) -> Value:
    """`getenv`: there is no such text, or one of a limited length, which nothing changes."""
    if not is_text(arguments[0]):
        raise Unsupported("SA716", "which variable of the environment this is is not known here", "write its name")
    text = outside_text(body, "environment " + "".join(map(chr, letters_of(arguments[0]))))
    there = number(between(body, 0, 1))
    return Value(build.ite(build.eq(there, build.ZERO), build.ZERO, number(text)), text.type)


def _message(body: Body, arguments: Sequence[Any]) -> Value:
    """`strerror`: some text of a limited length; C says of none what it is (C11 7.24.6.2)."""
    value(body, arguments[0])
    return outside_text(body, "message of an error")


_CHAR = c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["char"])))


def _duplicated(body: Body, arguments: Sequence[Any]) -> Value:
    """`strdup`; of a text as it stands there it is known how much room its copy has."""
    text, call = arguments[0], body.file.call
    if not (isinstance(text, c_ast.Constant) and "string" in text.type):
        return call(body, c_ast.FuncCall(c_ast.ID("__sacheck_strdup"), c_ast.ExprList([text])))
    room = c_ast.Constant("int", str(len(letters_of(text)) + 1))
    size = c_ast.BinaryOp("*", room, c_ast.UnaryOp("sizeof", _CHAR))
    made = c_ast.FuncCall(c_ast.ID("malloc"), c_ast.ExprList([size]))
    return call(body, c_ast.FuncCall(c_ast.ID("strcpy"), c_ast.ExprList([made, text])))


TEXTS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "scanf": _scanned(0),
    "fscanf": _scanned(1),
    "sscanf": _scanned_text,
    "strdup": _duplicated,
    "getenv": _environment,
    "strerror": _message,
}
