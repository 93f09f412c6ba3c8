"""What programs read from outside, as numbers, words and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, converted, emit, fresh, temporary
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import value
from sa.frontends.c.externs import anything, between, named
from sa.frontends.c.formats import Piece, is_text, scanned
from sa.frontends.c.numbers_in_texts import constant_name, is_only_number, is_outside, is_read_once, same_number
from sa.frontends.c.operations import decide, store, touch
from sa.frontends.c.types import CHAR, INT, LONG, CType, Float, Int, Pointer, bits_of
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Set, Skip
from sa.terms import build
from sa.terms.term import Term

_Handler: TypeAlias = Callable[[Body, Sequence[Any]], Value]

#: Letters that a word may have: all but white space, and the end of texts.
_SHOWN = frozenset(range(-128, 128)) - {0, 32, *range(9, 14)}


def _scanned(form: int, stream: Sequence[Any] | None = (), same: str | None = None) -> _Handler:
    """What is read from outside: the result says where how many pointers point there is any value of the type then.

    The `stream` is given, or it is this one; None if it is a text. Of the `same` text numbers are the same each time.
    """

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        places = arguments[form + 1 :]
        known = scanned(arguments[form]) if form < len(arguments) and is_text(arguments[form]) else ()
        if len(known) != len(places) or not all(map(_is_known, known)):
            hint = "give a text as the format, with a pointer for each conversion, without `%n` and `%m`"
            raise Unsupported("SA716", "what this reads is not known here", hint)
        sources = list[Any]()
        for argument in arguments[:form]:
            source = value(body, argument)
            if isinstance(source.type, Pointer):
                touch(body, source)
                sources.append(named(body, source))
        read = between(body, -1, len(places)) if same is None else _the_same(body, same, len(places))
        for index, argument in enumerate(places):
            on, off = fresh(body), fresh(body)
            decide(body, build.lt(build.integer(index), number(read)), on, off)
            body.here = on
            if same is not None and known[index].conversion[-1] in "diouxX" and known[index].width is None:
                _keep(body, argument, known[index], f"number {index} in {same}")
            else:
                _take(body, argument, known[index], arguments[:form])
            emit(body, Skip(), off)
        if stream is not None:
            given = c_ast.ExprList([*sources, *stream, named(body, read)])
            body.file.call(body, c_ast.FuncCall(c_ast.ID("__sacheck_scans"), given))
        return read

    return handler


def _scanned_text(body: Body, arguments: Sequence[Any]) -> Value:
    """`sscanf` of a text from outside. Raises Unsupported for others: what stands there is known."""
    if not is_outside(body, arguments[0]):
        why = "what is read here is in a text of the program"
        raise Unsupported("SA716", why, "read numbers with `strtol`, and letters one by one")
    name = constant_name(arguments[0])
    if name is None and not isinstance(arguments[0], c_ast.ID) and not is_read_once(body, arguments[0]):
        raise Unsupported("SA716", "the same argument may be read twice here", "read it once, into a variable")
    if name is not None and not is_only_number(body, arguments[0]):
        raise Unsupported("SA716", "an argument is read in several ways here", "read it once, into a variable")
    return _scanned(1, None, name)(body, arguments)


def _the_same(body: Body, name: str, most: int) -> Value:
    """How many conversions succeed, the same each time."""
    found = number(same_number(body, f"how many numbers are in {name}", Int("unsigned char", 8, False)))
    # Of each number one rest is known, so that all results are possible.
    return Value(build.sub(build.mod(found, most + 2), build.ONE), INT)


def _keep(body: Body, argument: Any, piece: Piece, name: str) -> None:
    """A number that is read goes where a pointer points, the same one each time. Raises Unsupported."""
    to = value(body, argument)
    if not isinstance(to.type, Pointer) or not isinstance(to.type.to, Int) or not _fits(piece.conversion, to.type.to):
        what = f"`%{piece.conversion}` reads a value of another type than the one that this points to"
        raise Unsupported("SA719", what, "give the conversion the length of the type, as in `%ld`")
    store(body, InMemory(number(to), to.type.to), same_number(body, name, to.type.to))


def _is_known(piece: Piece) -> bool:
    """Whether it is known what a conversion reads: a number, or letters that are not wide."""
    said = piece.conversion
    return said in ("c", "s", "p") or said.startswith("[") or said[-1] in "diouxXaAeEfFgG"


def _take(body: Body, argument: Any, piece: Piece, source: Sequence[Any]) -> None:
    """What is read goes where a pointer points. Raises Unsupported where its length is not known."""
    to = value(body, argument)
    if not isinstance(to.type, Pointer) or not isinstance(to.type.to, Int | Pointer | Float):
        raise Unsupported("SA716", "this cannot be read from outside", "read into variables that are numbers")
    if piece.conversion == "c" and piece.width in (None, 1):
        store(body, InMemory(number(to), to.type.to), anything(body, to.type.to))
    elif piece.conversion == "c" or (piece.width is None and source and (piece.conversion == "s" or piece.set)):
        raise Unsupported("SA716", "how many letters this reads is not known here", "give a width, as in `%9s`")
    elif piece.conversion == "s" or piece.set is not None:
        # Nothing says how long a word from outside is.
        _word(body, to, 2**30 if piece.width is None else piece.width, _SHOWN if piece.set is None else piece.set)
    else:
        if not _fits(piece.conversion, to.type.to):
            what = f"`%{piece.conversion}` reads a value of another type than the one that this points to"
            raise Unsupported("SA719", what, "give the conversion the length of the type, as in `%ld`")
        store(body, InMemory(number(to), to.type.to), _scanned_number(body, to.type.to, piece))


def _fits(conversion: str, kind: CType) -> bool:
    """Whether a conversion reads numbers of a type (C11 7.21.6.2)."""
    letter, length = conversion[-1], conversion[:-1]
    if letter in "diouxX":
        return isinstance(kind, Int) and bits_of(kind) == {"hh": 8, "h": 16, "": 32}.get(length, 64)
    if letter in "aAeEfFgG":
        return isinstance(kind, Float) and kind.bits == {"": 32, "l": 64}.get(length, kind.bits)
    return isinstance(kind, Pointer)


def _scanned_number(body: Body, kind: CType, piece: Piece) -> Value:
    """A number of so many letters at most: with a sign, it has one digit less (C11 7.21.6.2)."""
    if piece.width is None or not isinstance(kind, Int) or piece.conversion[-1] not in "diuxX":
        return anything(body, kind)
    base = 16 if piece.conversion[-1] in "xX" else 10
    low, high = -(base ** max(0, piece.width - 1) - 1), base**piece.width - 1
    if low < -(2**31) or high >= 2**31:
        return anything(body, kind)
    return converted(body, between(body, low, high), kind)


def _word(body: Body, to: Value, most: int, letters: frozenset[int]) -> None:
    """A word from outside: a letter at least, all of them among these, and its end."""
    assert isinstance(to.type, Pointer)
    kind, length = to.type.to, temporary(body, LONG)
    emit(body, Set(length, build.ZERO))
    head, inside, end = body.here, fresh(body), fresh(body)
    more = build.lor(build.eq(length, build.ZERO), build.eq(number(between(body, 0, 1)), build.ZERO))
    decide(body, build.land(build.lt(length, build.integer(most)), more), inside, end)
    body.here = inside
    found = _one_of(body, letters)
    store(body, InMemory(build.add(number(to), length), kind, "index"), converted(body, found, kind))
    emit(body, Set(length, build.add(length, build.ONE)), head)
    body.here = end
    store(body, InMemory(build.add(number(to), length), kind, "index"), Value(build.ZERO, CHAR))


def _one_of(body: Body, letters: frozenset[int]) -> Value:
    """Any one of some letters."""
    starts = sorted(n for n in letters if n - 1 not in letters)
    chosen = number(between(body, 0, len(letters) - 1))
    below = 0
    pieces = list[tuple[int, int]]()
    for start in starts:
        pieces.append((below, start - below))
        below += next(n for n in range(1, 257) if start + n not in letters)
    made: Term = build.add(chosen, build.integer(pieces[0][1]))
    for first, shift in pieces[1:]:
        made = build.ite(build.lt(chosen, build.integer(first)), made, build.add(chosen, build.integer(shift)))
    return Value(made, CHAR)


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
    "scanf": _scanned(0, (c_ast.ID("stdin"),)),
    "fscanf": _scanned(1),
    "sscanf": _scanned_text,
    "strdup": _duplicated,
}
