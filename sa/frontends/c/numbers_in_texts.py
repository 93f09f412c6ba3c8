"""Numbers that are read from texts: from outside of the program any one, else the one that stands there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pycparser import c_ast

from sa.frontends.c.body import Body, InMemory, emit, fresh, object_of
from sa.frontends.c.caveats import few_arguments
from sa.frontends.c.constants import letters_of
from sa.frontends.c.expressions import value
from sa.frontends.c.externs import anything
from sa.frontends.c.formats import is_text, scanned
from sa.frontends.c.literals import is_argument
from sa.frontends.c.once import read_once
from sa.frontends.c.operations import decide, load
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.types import Array, CType
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import Halt, Storage, base
from sa.terms import build

#: Functions that fill an array with letters from outside, that read a number there, and that show what is in it.
_FILLS = frozenset({"fgets", "scanf", "fscanf"})
READS = frozenset({"atoi", "atol", "atoll", "strtol", "strtoll", "strtoul", "strtoull", "strtod", "sscanf"})
_SHOWS = frozenset({"printf", "fprintf", "puts", "fputs"})

#: A table of the numbers of arguments, and how many it has.
_TABLE, _MOST_ARGUMENTS = "numbers of arguments", 4096

#: Letters of a line that may be any number of 64 bits.
_ANY_NUMBER = 22


def numbered(kind: CType, *words: str) -> Callable[[Body, Sequence[Any]], Value]:
    """A text as a number of a type, which has these words in C; fractions have none, and no values.

    What comes from outside may be any number. An argument and a variable of the environment stay the same.
    Raises Unsupported.
    """

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        text, *others = arguments
        if is_text(text):
            raise Unsupported("SA716", "a number is read from a constant text", "write the number")
        if words and not (is_outside(body, text) and is_only_number(body, text)):
            return _number_of(body, text, others, words)
        value(body, text)
        if others and number(value(body, others[0])) is not build.ZERO:
            given = c_ast.ExprList([text, others[0]])
            body.file.call(body, c_ast.FuncCall(c_ast.ID("__sacheck_number_ends"), given))
        name = constant_name(text)
        if is_argument(body, text) and has_table(body):
            return _in_table(body, value(body, text.subscript), kind)
        if name is None:
            return anything(body, kind)
        start, base_ = f"{' '.join(words)} {name}, base ", _base(others)
        if any(o.startswith(start) and o != start + base_ for o in body.file.objects):
            raise Unsupported("SA716", "the same text is read with another base before", "read it once")
        return same_number(body, start + base_, kind)

    return handler


def _base(others: Sequence[Any]) -> str:
    """In which base a number is read, in words. Raises Unsupported where that is not known."""
    if len(others) < 2:
        return "10"
    if not isinstance(others[1], c_ast.Constant):
        raise Unsupported("SA716", "the base of this number is not known here", "give it as a constant")
    return str(int(others[1].value, 0))


def is_outside(body: Body, text: Any) -> bool:
    """Whether a text is an argument, a variable of the environment, or a line whose letters nobody else looks at."""
    return _called(text) == "getenv" or is_argument(body, text) or _is_line(body, text)


def is_only_number(body: Body, text: Any) -> bool:
    """Whether the function reads an argument, or a variable of the environment, as a number in one way only.

    Else its letters say which number it is. Raises Unsupported where it is not known which argument it is.
    """
    if isinstance(text, c_ast.ID):
        return True
    function, name = body.file.bodies.get(body.name), constant_name(text)
    nodes = () if function is None else tuple(nodes_of(function))
    given = is_argument(body, text)
    table = given and has_table(body)
    same = [n for n in nodes if (is_argument(body, n) or _called(n) == "getenv") and constant_name(n) == name]
    chosen = [a for a in _read_arguments(body) if constant_name(a) is None]
    if table:
        same = [n for n in nodes if is_argument(body, n)]
    elif given and name is not None and chosen:
        return False
    read = [n for n in nodes if _called(n) in READS and any(a in same for a in _arguments(n)[:1])]
    shown = [a for n in nodes if _called(n) in _SHOWS for a in _arguments(n) if a in same]
    alike = len({_way(n) for n in read}) == 1
    if table and not alike:
        raise Unsupported("SA716", "arguments are read in several ways here", "read their numbers in one way")
    return alike and (table or len(read) + len(shown) == len(same))


def _way(call: Any) -> tuple[str | None, str]:
    """How a call reads: which function, and in which base or by which format."""
    name, at = _called(call), 1 if _called(call) == "sscanf" else 2
    return name, "".join(str(getattr(a, "value", None)) for a in _arguments(call)[at : at + 1])


def has_table(body: Body) -> bool:
    """Whether `main` may read the number of one argument twice by an index that is not constant.

    Then there is a table of their numbers. Once is enough for a loop that counts its index up.
    """
    function = body.file.bodies.get(body.name)
    read = _read_arguments(body)
    chosen = [a for a in read if constant_name(a) is None]
    return function is not None and bool(chosen) and not (len(read) == 1 and read_once(function.body, chosen[0]))


def is_read_once(body: Body, text: Any) -> bool:
    """Whether `main` reads no argument but this one, and once for each of its indices."""
    function = body.file.bodies.get(body.name)
    return function is not None and len(_read_arguments(body)) == 1 and read_once(function.body, text)


def _read_arguments(body: Body) -> list[Any]:
    """The arguments of which the function reads numbers, once for each place."""
    function = body.file.bodies.get(body.name)
    calls = () if function is None else (n for n in nodes_of(function) if _called(n) in READS)
    return [a for n in calls for a in _arguments(n)[:1] if is_argument(body, a)]


def _in_table(body: Body, index: Value, kind: CType) -> Value:
    """The number of the argument with an index; the run ends where the table has none."""
    if _TABLE not in body.file.objects:
        made = object_of(_TABLE, Array(kind, _MOST_ARGUMENTS), Storage.STATIC, body.origin, None, kept=True)
        body.file.objects[_TABLE] = made
    body.file.granted[few_arguments(_MOST_ARGUMENTS)] = None
    there, behind = fresh(body), fresh(body)
    decide(body, build.lt(number(index), build.integer(_MOST_ARGUMENTS)), there, behind)
    body.here = behind
    emit(body, Halt())
    body.here = there
    return load(body, InMemory(build.add(base(_TABLE), number(index)), kind, "index"))


def _called(node: Any) -> str | None:
    return node.name.name if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else None


def _is_line(body: Body, text: Any) -> bool:
    """Whether a text is a long array of the function that is filled from outside, and where one number is read."""
    function = body.file.bodies.get(body.name)
    if not isinstance(text, c_ast.ID) or function is None:
        return False
    nodes = tuple(nodes_of(function))
    sizes = [getattr(n.type, "dim", None) for n in nodes if isinstance(n, c_ast.Decl) and n.name == text.name]
    if len(sizes) != 1 or not isinstance(sizes[0], c_ast.Constant) or not sizes[0].value.isdigit():
        return False
    places = [n for n in nodes if isinstance(n, c_ast.ID) and n.name == text.name]
    given = [_called(n) for n in nodes if _called(n) for a in _arguments(n) if a in places]
    asked = [n for n in nodes if isinstance(n, c_ast.UnaryOp) and n.op == "sizeof" and n.expr in places]
    known = [name for name in given if name in _FILLS | READS | _SHOWS]
    one = sum(name in READS for name in known) == 1 and any(name in _FILLS for name in known)
    if not (one and int(sizes[0].value) >= _ANY_NUMBER and len(known) + len(asked) == len(places)):
        return False
    # What it had before is known where nothing was read.
    first = any(isinstance(n, c_ast.Decl) and n.name == text.name and n.init is not None for n in nodes)
    filling = [n for n in nodes if _called(n) in _FILLS and any(a in places for a in _arguments(n))]
    return not first and all(_is_long(n, text.name) for n in filling)


def _is_long(call: Any, name: str) -> bool:
    """Whether a call reads so much that it may be any number."""
    given = _arguments(call)
    if _called(call) != "fgets":
        form = given[0 if _called(call) == "scanf" else 1]
        pieces = scanned(form) if is_text(form) else ()
        return all(p.conversion != "s" or p.width is None or p.width >= _ANY_NUMBER for p in pieces) and not any(
            p.set is not None or p.conversion == "c" for p in pieces
        )
    size = given[1]
    if isinstance(size, c_ast.UnaryOp) and size.op == "sizeof":
        return getattr(size.expr, "name", None) == name
    return isinstance(size, c_ast.Constant) and size.value.isdigit() and int(size.value) > _ANY_NUMBER


def _arguments(call: Any) -> Sequence[Any]:
    return () if call.args is None else call.args.exprs


def constant_name(text: Any) -> str | None:
    """What says which argument or variable of the environment a text is."""
    if isinstance(text, c_ast.ArrayRef) and isinstance(text.subscript, c_ast.Constant):
        return f"argument {text.subscript.value}"
    if _called(text) == "getenv" and is_text(_arguments(text)[0]):
        return "environment " + "".join(map(chr, letters_of(_arguments(text)[0])))
    return None


def same_number(body: Body, name: str, kind: CType) -> Value:
    """Some number, the same each time."""
    if name not in body.file.objects:
        body.file.objects[name] = object_of(name, kind, Storage.STATIC, body.origin, None, kept=True)
    return load(body, InMemory(base(name), kind))


def _number_of(body: Body, text: Any, others: Sequence[Any], words: Sequence[str]) -> Value:
    """The number that a text begins with, with the base 10, and where it ends."""
    if len(others) > 1 and not (isinstance(others[1], c_ast.Constant) and others[1].value == "10"):
        raise Unsupported("SA716", "a number is read with another base than 10", "read it with the base 10")
    end = others[0] if others else c_ast.Constant("int", "0")
    read = c_ast.FuncCall(c_ast.ID("__sacheck_number_of"), c_ast.ExprList([text, end]))
    wanted = c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(list(words))))
    return value(body, c_ast.Cast(wanted, read))
