"""What the system tells a program: variables of its environment, messages of errors, the number of the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import value
from sa.frontends.c.formats import is_text
from sa.frontends.c.literals import outside_text
from sa.frontends.c.numbers_in_texts import same_number
from sa.frontends.c.operations import demand, load, store
from sa.frontends.c.types import BOOL, INT, Int, key_of, range_of
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Begin, Cell, End, Object, Range, Storage, base
from sa.frontends.flow.heap import MESSAGES
from sa.terms import build
from sa.terms.term import Int as Number

#: What is no number of an error.
_NO_ERROR = -(2**31)

#: What threads keep there is no matter of races.
_SHARED = Int("int", 32, True, atomic=True)


def _environment(body: Body, arguments: Sequence[Any]) -> Value:
    """`getenv`: there is no such text, or one of a limited length, which nothing changes."""
    if not is_text(arguments[0]):
        raise Unsupported("SA716", "it is not known here which environment variable this reads", "write its name")
    name = "environment " + "".join(map(chr, letters_of(arguments[0])))
    text, there = outside_text(body, name, kept=True), number(same_number(body, f"whether there is {name}", BOOL))
    return Value(build.ite(build.eq(there, build.ZERO), build.ZERO, number(text)), text.type)


def _message(body: Body, arguments: Sequence[Any]) -> Value:
    """`strerror`: some text of a limited length, the same for the same number (C11 7.24.6.2).

    Which one the text of a place is says a number that is kept for it: there is room for one.
    """
    wanted = number(value(body, arguments[0]))
    if isinstance(wanted, Number):
        return outside_text(body, f"message of error {wanted.value}", kept=True)
    made = f"message of an error {len(body.file.static)}"
    name = body.file.static.setdefault(id(arguments[0]), (arguments[0], made))[1]
    place = _scalar(
        body, f"number of {name}", Cell("", range_of(_SHARED), key_of(_SHARED), build.integer(_NO_ERROR), True)
    )
    emit(body, Begin())
    before = number(load(body, place))
    demand(body, build.lor(*(build.eq(before, n) for n in (build.integer(_NO_ERROR), wanted))), MESSAGES)
    store(body, place, Value(wanted, INT))
    emit(body, End())
    return outside_text(body, name, kept=True)


def _process(body: Body, arguments: Sequence[Any]) -> Value:
    """`getpid`: a process has one number, below the limit of Linux."""
    return load(body, _scalar(body, "process", Cell("", Range(1, 2**22), key_of(INT))))


def _scalar(body: Body, name: str, cell: Cell) -> InMemory:
    """A number of the program that C has no name for."""
    if name not in body.file.objects:
        body.file.objects[name] = Object(name, (cell,), Storage.STATIC, body.origin)
    return InMemory(base(name), _SHARED if cell.synchronises else INT)


def message_of(node: Any) -> Any | None:
    """The number of the error whose message an expression is, if it is one; nobody but who gets it looks at it."""
    called = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name == "strerror"
    return node.args.exprs[0] if called and node.args is not None else None


SYSTEM: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "getenv": _environment,
    "strerror": _message,
    "getpid": _process,
}
