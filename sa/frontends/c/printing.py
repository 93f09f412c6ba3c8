"""Functions that write texts: what they read for it, and texts that are made in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit, fresh
from sa.frontends.c.caveats import TEXTS_END
from sa.frontends.c.expressions import constant, place, value
from sa.frontends.c.externs import between
from sa.frontends.c.formats import MAKING, WRITING, is_text, printed
from sa.frontends.c.operations import decide, load, store, touch
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.types import CHAR, Array, Int, Pointer, Struct
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Call, Fail
from sa.terms import build

#: An array of so many letters is read as a whole.
_MOST_LETTERS = 64

#: What may be made of a text that is looked at, and the function for it.
_MADE = {
    **dict.fromkeys(("d", "i"), "__sacheck_put_int"),
    **dict.fromkeys(("ld", "li", "lld", "lli", "zd"), "__sacheck_put_long"),
    **dict.fromkeys(("lu", "llu", "zu"), "__sacheck_put_unsigned_long"),
    **dict.fromkeys(("lx", "llx", "zx"), "__sacheck_put_hexadecimal_long"),
    "u": "__sacheck_put_unsigned", "x": "__sacheck_put_hexadecimal", "c": "__sacheck_put", "s": "__sacheck_put_text",
}  # fmt: skip

#: How many letters a number can need that is written so.
_LENGTHS = {"c": 1, "d": 11, "i": 11, "u": 10, "x": 8, "ld": 20, "lu": 20, "lx": 16, "zu": 20}


def _writes(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """What writes for the outside: it reads texts, and what it returns is not known. Raises Unsupported."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        if any(is_text(a) and "%n" in a.value for a in arguments):
            raise Unsupported("SA716", f"`{name}` writes through a pointer here (`%n`)", "count without it")
        _read(body, arguments, WRITING[name], name.startswith("set"))
        if name == "printf" and len(arguments) == 1 and is_text(arguments[0]):
            letters = "".join(p.letters for p in printed(arguments[0]))
            if "%" not in arguments[0].value:
                fine = number(between(body, 0, 1))
                known = build.ite(build.eq(fine, build.ZERO), build.integer(-1), build.integer(len(letters)))
                return Value(known, Int("int", 32, True))
        return between(body, -1, 2**31 - 1)

    return handler


def _read(body: Body, arguments: Sequence[Any], form: int | None, kept: bool = False) -> None:
    """Evaluate arguments, and read the texts among them and the streams; a buffer that is only `kept` is not read."""
    read = _texts(arguments, form)
    for index, argument in enumerate(arguments):
        if is_text(argument):
            continue
        found = value(body, argument)
        if not isinstance(found.type, Pointer) or found.term is build.ZERO or kept:
            continue
        if found.type.to == CHAR and (read is None or index in read):
            _read_text(body, argument, found)
        elif isinstance(found.type.to, Struct) and read is not None and (form is None or index < form):
            # A stream that was closed is none.
            touch(body, found)


def _texts(arguments: Sequence[Any], form: int | None) -> frozenset[int] | None:
    """Which arguments are read as texts; None: all that may be."""
    if form is None or form >= len(arguments):
        return frozenset({0})
    if not is_text(arguments[form]):
        return None
    read, here = set[int](), form + 1
    for piece in printed(arguments[form]):
        here += piece.stars
        # With a precision a text need not end.
        if piece.conversion == "s" and not piece.precise:
            read.add(here)
        here += bool(piece.conversion)
    return frozenset(read)


def _read_text(body: Body, node: Any, text: Value) -> None:
    """Read a text up to its end: where it has none in its array, the index is wrong."""
    if body.file.choices.races and "strlen" in body.file.bodies:
        body.file.wanted += ["strlen"] if "strlen" not in body.file.wanted else []
        emit(body, Call("strlen", (number(text),), None))
        return
    array = place(body, node) if isinstance(node, c_ast.ID | c_ast.StructRef) else None
    if isinstance(array, InMemory) and isinstance(array.type, Array) and (array.type.size or 0) <= _MOST_LETTERS:
        letters = (
            load(body, InMemory(build.add(array.address, build.integer(i)), CHAR, "index"))
            for i in range(array.type.size or 0)
        )
        ends = build.lor(*[build.eq(number(one), build.ZERO) for one in letters])
        on, off = fresh(body), fresh(body)
        decide(body, ends, on, off)
        body.here = off
        emit(body, Fail("index"))
        body.here = on
        return
    body.file.granted[TEXTS_END] = None
    touch(body, text)


def _makes(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """What makes a text in memory. What it is does not matter where it is only printed. Raises Unsupported."""
    form = MAKING[name]

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        if len(arguments) > form and _is_only_printed(body, arguments[0]) and _has_room(body, arguments, form):
            target = place(body, arguments[0])
            assert isinstance(target, InMemory)
            _read(body, arguments[form:], 0)
            store(body, InMemory(target.address, CHAR, "index"), Value(build.ZERO, CHAR))
            return between(body, -1, 2**31 - 1)
        if name.startswith("v") or not is_text(arguments[form]) or any(map(_acts, arguments[:form])):
            hint = "only texts that are printed and not looked at otherwise are accepted"
            raise Unsupported("SA716", "what this writes is not known here", hint)
        return _made(body, arguments, form)

    return handler


def _made(body: Body, arguments: Sequence[Any], form: int) -> Value:
    """A text that is looked at, letter by letter. Raises Unsupported."""
    to, room = arguments[0], arguments[1] if form == 2 else c_ast.Constant("int", f"{2**62}ul")
    given = iter(arguments[form + 1 :])
    length: Any = c_ast.Constant("int", "0")
    for piece in printed(arguments[form]):
        if piece.letters:
            escaped = "".join(f"\\{ord(c):03o}" for c in piece.letters)
            length = _called("__sacheck_put_text", to, room, length, c_ast.Constant("string", f'"{escaped}"'))
            continue
        argument = next(given, None)
        if argument is None or not piece.plain or piece.conversion not in _MADE:
            hint = "only texts that are printed and not looked at otherwise are accepted"
            raise Unsupported("SA716", f"what `%{piece.conversion}` writes is not known here", hint)
        length = _called(_MADE[piece.conversion], to, room, length, argument)
    return value(body, _called("__sacheck_put_end", to, room, length))


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


def _is_only_printed(body: Body, node: Any) -> bool:
    """Whether an array, of a function, of the file or in a structure, is only given to functions that print it."""
    match node:
        case c_ast.ID(name=name):
            own = any(name in scope for scope in body.scopes)
            bodies = [body.file.bodies[body.name]] if own else _bodies(body)
            return all(_prints_only(f.body, partial(_is_named, name)) for f in bodies)
        case c_ast.StructRef(field=c_ast.ID(name=name)):
            # Who compares memory looks at all fields.
            said = {n.name.name for f in _bodies(body) for n in nodes_of(f.body) if _is_call_by_name(n)}
            whole = said & {"memcmp", "bcmp", "memchr"}
            return not whole and all(_prints_only(f.body, partial(_is_field, name)) for f in _bodies(body))
        case _:
            return False


def _bodies(body: Body) -> Iterator[Any]:
    return (f for n, f in body.file.bodies.items() if n not in body.file.library)


def _is_call_by_name(node: Any) -> bool:
    return isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)


def _is_named(name: str, node: Any) -> bool:
    return isinstance(node, c_ast.ID) and bool(node.name == name)


def _is_field(name: str, node: Any) -> bool:
    return isinstance(node, c_ast.StructRef) and bool(node.field.name == name)


def _prints_only(node: Any, is_it: Callable[[Any], bool]) -> bool:
    """Whether what is meant is used as a whole argument of functions that write, and in `sizeof`, only."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=called)) if called in WRITING or called in MAKING:
            inner = node.args.exprs if node.args is not None else []
            return all(_prints_only(e, is_it) for e in inner if not is_it(e))
        case c_ast.UnaryOp(op="sizeof"):
            return True
        case _:
            return not is_it(node) and all(_prints_only(child, is_it) for _, child in node.children())


PRINTING: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    **{name: _writes(name) for name in WRITING},
    **{name: _makes(name) for name in MAKING},
}
