"""Functions that write texts: what they read for it, and texts that are made in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, converted, emit, fresh, temporary
from sa.frontends.c.caveats import TEXTS_END
from sa.frontends.c.expressions import constant, place, static_type, value
from sa.frontends.c.externs import between, named
from sa.frontends.c.formats import GIVEN, MAKING, WRITING, Piece, is_text, printed
from sa.frontends.c.only_printed import is_only_printed
from sa.frontends.c.operations import decide, load, store, touch
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.system import message_of
from sa.frontends.c.types import CHAR, INT, ULONG, Array, CType, Int, Pointer, Struct
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Call, Fail, Set
from sa.terms import build
from sa.terms.term import Term

#: An array of so many letters is read as a whole.
_MOST_LETTERS = 64

#: What may be made of a text that is looked at, and the function for it.
_MADE = {
    **dict.fromkeys(("d", "i"), "__sacheck_put_int"),
    **dict.fromkeys(("ld", "li", "lld", "lli", "zd"), "__sacheck_put_long"),
    **dict.fromkeys(("lu", "llu", "zu"), "__sacheck_put_unsigned_long"),
    **dict.fromkeys(("lx", "llx", "zx"), "__sacheck_put_hexadecimal_long"),
    "u": "__sacheck_put_unsigned", "x": "__sacheck_put_hexadecimal", "c": "__sacheck_put", "s": "__sacheck_put_string",
}  # fmt: skip

#: What helps where what is written is not counted.
_UNUSED = "do not use what it returns"

#: What writes one letter, and returns it.
_LETTERS = frozenset({"putchar", "fputc", "putc"})

#: How many letters a number can need that is written so.
_LENGTHS = {"c": 1, "d": 11, "i": 11, "u": 10, "x": 8, "ld": 20, "lu": 20, "lx": 16, "zu": 20}


def _writes(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """What writes for the outside, which may fail: it reads texts. Raises Unsupported."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        if any(is_text(a) and "%n" in a.value for a in arguments):
            raise Unsupported("SA716", f"`{name}` writes through a pointer here (`%n`)", "count without it")
        form = WRITING[name]
        _check_arguments(body, name, arguments, form)
        if id(arguments) in body.ignored or name in ("perror", "setbuf"):
            _read(body, arguments, form, name.startswith("set"))
            return Value(build.ZERO, INT)
        if form is not None:
            return _counted(body, name, arguments, form)
        if name in _LETTERS:
            letter = converted(body, value(body, arguments[0]), Int("unsigned char", 8, False))
            _read(body, arguments[1:], None)
            return _or_negative(body, number(letter), -1)
        _read(body, arguments, form, name.startswith("set"))
        most = 0 if name == "fflush" else 2**31 - 1
        return between(body, -(2**31) if name == "setvbuf" else -1, most)

    return handler


def _check_arguments(body: Body, name: str, arguments: Sequence[Any], form: int | None) -> None:
    """Raises Unsupported where a conversion has no argument, or a text is no pointer: that is undefined (7.21.6)."""
    if form is None or name.startswith("v") or form >= len(arguments) or not is_text(arguments[form]):
        return
    wanted = [p for piece in printed(arguments[form]) if piece.conversion for p in (*[None] * piece.stars, piece)]
    given = arguments[form + 1 :]
    if len(given) < len(wanted):
        raise Unsupported(
            "SA719", f"`{name}` has {len(given)} of {len(wanted)} arguments here", "give each conversion one"
        )
    for piece, argument in zip(wanted, given, strict=False):
        text = piece is not None and piece.conversion == "s" and not is_text(argument)
        if text and not isinstance(static_type(body, argument), Pointer | Array):
            raise Unsupported("SA719", "the argument for `%s` is no pointer", "give it a text")


def _counted(body: Body, name: str, arguments: Sequence[Any], form: int) -> Value:
    """How many letters are written, or a negative number. Raises Unsupported where that is not known."""
    if name.startswith("v") or form >= len(arguments) or not is_text(arguments[form]):
        raise Unsupported("SA716", f"how many letters `{name}` writes is not known here", _UNUSED)
    _read(body, arguments[:form], form)
    return _or_negative(body, _length(body, arguments[form:]), -(2**31))


def _length(body: Body, arguments: Sequence[Any]) -> Term:
    """How many letters a format, the first argument, makes of the others. Raises Unsupported where it is not known."""
    given = iter(arguments[1:])
    length: Term = build.ZERO
    for piece in printed(arguments[0]):
        argument = next(given, None) if piece.conversion else None
        if not piece.conversion:
            length = build.add(length, build.integer(len(piece.letters)))
        elif argument is None or not piece.plain or piece.conversion not in _MADE:
            raise Unsupported("SA716", f"how many letters `%{piece.conversion}` writes is not known here", _UNUSED)
        elif piece.conversion == "s":
            length = build.add(length, number(value(body, _called("strlen", argument))))
        elif piece.conversion == "c":
            value(body, argument)
            length = build.add(length, build.ONE)
        else:
            length = build.add(length, _digits(body, value(body, argument), piece.conversion))
    for rest in given:
        value(body, rest)
    return length


def _digits(body: Body, found: Value, conversion: str) -> Term:
    """How many letters a number has, with its sign."""
    bits, base, signed = 64 if len(conversion) > 1 else 32, 16 if conversion[-1] == "x" else 10, conversion[-1] in "di"
    kind = Int("long" if bits > 32 else "int", bits, signed)
    term = temporary(body, kind)
    emit(body, Set(term, number(converted(body, found, kind))))
    negative = build.lt(term, build.ZERO)
    size = build.ite(negative, build.scale(-1, term), term) if signed else term
    powers = [p for p in (base**n for n in range(1, 20)) if p < 2**bits]
    more = [build.ite(build.le(build.integer(p), size), build.ONE, build.ZERO) for p in powers]
    return build.add(build.ite(negative, build.integer(2), build.ONE) if signed else build.ONE, *more)


def _or_negative(body: Body, result: Term, least: int) -> Value:
    """A result, or where writing failed any number from the least one up to -1."""
    failing, failure = number(between(body, 0, 1)), number(between(body, least, -1))
    return Value(build.ite(build.eq(failing, build.ZERO), result, failure), INT)


def _read(body: Body, arguments: Sequence[Any], form: int | None, kept: bool = False) -> None:
    """Evaluate arguments, and read the texts among them and the streams; a buffer that is only `kept` is not read."""
    read, values = _texts(arguments, form), list[Value | None]()
    for index, argument in enumerate(arguments):
        if (error := message_of(argument)) is not None:
            value(body, error)
        values.append(None if is_text(argument) else value(body, argument) if error is None else None)
        found = values[-1]
        if found is None or not isinstance(found.type, Pointer) or found.term is build.ZERO:
            continue
        if kept:
            if index == 1 and not is_only_printed(body, argument):
                hint = "let nothing else use the buffer, and give an array by its name"
                raise Unsupported("SA716", "what is in the buffer of a stream is not known here", hint)
        elif _is_letter(found.type.to) and (read is None or index in read):
            limit = None if read is None else read[index]
            _read_text(body, argument, found, values[index - 1] if limit == GIVEN else limit)
        elif isinstance(found.type.to, Struct) and read is not None and (form is None or index < form):
            # A stream that was closed is none.
            touch(body, found)


def _texts(arguments: Sequence[Any], form: int | None) -> Mapping[int, int | None] | None:
    """Which arguments are read as texts, and how many letters at most; None: all that may be.

    For GIVEN the argument before says how many.
    """
    if form is None or form >= len(arguments):
        return {0: None}
    if not is_text(arguments[form]):
        return None
    read, here = dict[int, int | None](), form + 1
    for piece in printed(arguments[form]):
        here += piece.stars
        if piece.conversion == "s":
            read[here] = piece.precision
        here += bool(piece.conversion)
    return read


def _read_text(body: Body, node: Any, text: Value, most: Value | int | None) -> None:
    """Read a text up to its end, or `most` letters: where it has none in its array, the index is wrong."""
    if most == 0:
        return
    limit = None if most is None else _limit(body, most)
    array = place(body, node) if isinstance(node, c_ast.ID | c_ast.StructRef) else None
    if body.file.choices.races:
        _walk(body, text, limit)
    elif isinstance(array, InMemory) and isinstance(array.type, Array) and (array.type.size or 0) <= _MOST_LETTERS:
        size = array.type.size or 0
        letters = (
            load(body, InMemory(build.add(array.address, build.integer(i)), array.type.of, "index"))
            for i in range(size)
        )
        ends = build.lor(*[build.eq(number(one), build.ZERO) for one in letters])
        if limit is not None:
            ends = build.lor(ends, build.land(build.le(build.ZERO, limit), build.le(limit, build.integer(size))))
        on, off = fresh(body), fresh(body)
        decide(body, ends, on, off)
        body.here = off
        emit(body, Fail("index"))
        body.here = on
    elif limit is not None:
        _walk(body, text, limit)
    else:
        body.file.granted[TEXTS_END] = None
        touch(body, text)


def _walk(body: Body, text: Value, limit: Term | None) -> None:
    """Read a text letter by letter, up to its end or a limit."""
    name = "strlen" if limit is None else "strnlen"
    body.file.wanted += [name] if name not in body.file.wanted else []
    emit(body, Call(name, (number(text),) if limit is None else (number(text), limit), None))


def _limit(body: Body, most: Value | int) -> Term:
    return build.integer(most) if isinstance(most, int) else number(converted(body, most, ULONG))


def _is_letter(kind: CType) -> bool:
    return isinstance(kind, Int) and kind.bits == 8 and kind.name != "_Bool"


def _makes(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """What makes a text in memory. What it is does not matter where it is only printed. Raises Unsupported."""
    form = MAKING[name]

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        _check_arguments(body, name, arguments, form)
        if form == 2 and len(arguments) > form and is_text(arguments[form]) and _is_zero(body, arguments[1]):
            # Nothing is written.
            value(body, arguments[0])
            return Value(_length(body, arguments[form:]), INT)
        if len(arguments) > form and is_only_printed(body, arguments[0]) and _has_room(body, arguments, form):
            target = place(body, arguments[0])
            assert isinstance(target, InMemory)
            used = id(arguments) not in body.ignored
            if used and (name.startswith("v") or not is_text(arguments[form])):
                raise Unsupported("SA716", f"how many letters `{name}` writes is not known here", _UNUSED)
            length = _length(body, arguments[form:]) if used else build.ZERO
            if not used:
                _read(body, arguments[form:], 0)
            store(body, InMemory(target.address, CHAR, "index"), Value(build.ZERO, CHAR))
            return Value(length, INT)
        if name.startswith("v") or not is_text(arguments[form]) or any(map(_acts, arguments[:form])):
            hint = "only texts that are printed and not looked at otherwise are accepted"
            raise Unsupported("SA716", "what this writes is not known here", hint)
        return _made(body, arguments, form)

    return handler


def _made(body: Body, arguments: Sequence[Any], form: int) -> Value:
    """A text that is looked at, letter by letter. Raises Unsupported."""
    to, room = arguments[0], arguments[1] if form == 2 else c_ast.Constant("int", f"{2**62}ul")
    given = iter([_named(body, a) for a in arguments[form + 1 :]])
    length: Any = c_ast.Constant("int", "0")
    texts = list[Any]()
    for piece in printed(arguments[form]):
        if piece.letters:
            escaped = "".join(f"\\{ord(c):03o}" for c in piece.letters)
            length = _called("__sacheck_put_text", to, room, length, c_ast.Constant("string", f'"{escaped}"'))
            continue
        argument = next(given, None)
        if argument is not None and (known := _constant_letters(body, argument, piece)) is not None:
            length = _called("__sacheck_put_text", to, room, length, c_ast.Constant("string", f'"{known}"'))
            continue
        if argument is None or not piece.plain or piece.conversion not in _MADE:
            hint = "only texts that are printed and not looked at otherwise are accepted"
            raise Unsupported("SA716", f"what `%{piece.conversion}` writes is not known here", hint)
        length = _called(_MADE[piece.conversion], to, room, length, argument)
        texts += [argument] if piece.conversion == "s" and not is_text(argument) else []
    for text in texts:
        length = _called("__sacheck_put_beside", to, room, length, text)
    return value(body, _called("__sacheck_put_end", to, room, length))


def _constant_letters(body: Body, node: Any, piece: Piece) -> str | None:
    """How a constant integer is written, with flags and width; None for anything else."""
    if piece.conversion not in _LENGTHS or piece.conversion == "c" or piece.stars or piece.precision is not None:
        return None
    try:
        found = constant(body, node)
    except Unsupported:
        return None
    bits, signed = 64 if len(piece.conversion) > 1 else 32, piece.conversion[-1] in "di"
    found %= 2**bits
    found -= 2**bits if signed and found >= 2 ** (bits - 1) else 0
    letter = "x" if piece.conversion[-1] == "x" else "d"
    # Signs are for signed numbers (C11 7.21.6.1p6).
    flags = piece.flags if signed else piece.flags.replace("+", "").replace(" ", "")
    return str(f"%{flags}{piece.width or ''}{letter}" % found) if set(flags) <= set("-+ 0") else None


def _named(body: Body, node: Any) -> Any:
    """A name for the value of an argument, which is evaluated once, before anything is written."""
    if is_text(node) or isinstance(node, c_ast.ID | c_ast.Constant):
        return node
    found = value(body, node)
    return named(body, found) if isinstance(found.type, Int | Pointer) else node


def _is_zero(body: Body, node: Any) -> bool:
    try:
        return constant(body, node) == 0
    except Unsupported:
        return False


def _called(name: str, *arguments: Any) -> c_ast.FuncCall:
    return c_ast.FuncCall(c_ast.ID(name), c_ast.ExprList(list(arguments)))


def _acts(node: Any) -> bool:
    """Whether an expression does something, so that it matters how often it is evaluated."""
    return any(
        isinstance(n, c_ast.FuncCall | c_ast.Assignment)
        or (isinstance(n, c_ast.UnaryOp) and n.op in ("++", "--", "p++", "p--"))
        for n in nodes_of(node)
    )


def _has_room(body: Body, arguments: Sequence[Any], form: int) -> bool:
    """Whether an array has room for whatever is written to it."""
    target = place(body, arguments[0])
    if not (isinstance(target, InMemory) and isinstance(target.type, Array) and target.type.of == CHAR):
        return False
    size = target.type.size or 0
    if form == 2:
        try:
            return 0 < constant(body, arguments[1]) <= size
        except Unsupported:
            return False
    if not is_text(arguments[form]):
        return False
    pieces = printed(arguments[form])
    if any(p.conversion and (p.conversion not in _LENGTHS or not p.plain) for p in pieces):
        return False
    return sum(len(p.letters) + _LENGTHS.get(p.conversion, 0) for p in pieces) < size


PRINTING: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    **{name: _writes(name) for name in WRITING},
    **{name: _makes(name) for name in MAKING},
}
