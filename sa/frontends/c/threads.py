"""Threads: how they are created, joined and left, and what they have for themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pycparser import CParser, c_ast

from sa.frontends.c.allocators import without_casts
from sa.frontends.c.body import Body, InMemory, emit, fresh, temporary
from sa.frontends.c.expressions import NOTHING, value
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.operations import store
from sa.frontends.c.ordered import result_of_join, word_as
from sa.frontends.c.types import INT, ULONG, Pointer
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.graph import ANY, Begin, End, Exit, Fork, Join, Range, Self, code
from sa.frontends.flow.threads import MAX_THREADS
from sa.terms import build

#: What `library.c` has room for.
MOST_KEYS = 8

#: What threads call at their ends, and how often it looks for values that are left (`PTHREAD_DESTRUCTOR_ITERATIONS`).
LAST, MOST_ROUNDS = "__sacheck_last", 4


def _self(body: Body, arguments: Sequence[Any]) -> Value:
    var = temporary(body, INT, Range(1, MAX_THREADS))
    emit(body, Self(var))
    return Value(var, ULONG)


def _create(body: Body, arguments: Sequence[Any]) -> Value:
    """`pthread_create(&id, attributes, function, argument)`; `thrd_create(&id, function, argument)`."""
    pthread = len(arguments) == 4
    where = value(body, arguments[0])
    if not isinstance(where.type, Pointer):
        raise Unsupported(
            "SA719", "the number of the new thread is written where the first argument points", "write `&`"
        )
    function = value(body, arguments[2 if pthread else 1])
    argument = value(body, arguments[3 if pthread else 2])
    named = [n for n in body.file.bodies if function.term is code(n)]
    # One that is read from memory may be any whose address is taken.
    body.file.indirect |= not named
    body.file.wanted += [n for n in named or body.file.addressed if n not in body.file.wanted]
    var = temporary(body, ULONG, ANY)
    emit(body, Begin())
    emit(body, Fork(number(function), number(argument), var))
    emit(body, End())
    # The new thread may run before its number is written.
    if number(where) is not build.integer(0):
        store(body, InMemory(number(where), where.type.to), Value(var, where.type.to))
    return Value(build.integer(0), INT)


def _join(body: Body, arguments: Sequence[Any]) -> Value:
    thread = number(value(body, arguments[0]))
    where = result_of_join(body, arguments)
    wanted = number(where) is not build.integer(0) and isinstance(where.type, Pointer)
    var = temporary(body, ULONG, ANY) if wanted else None
    emit(body, Join(thread, var))
    if var is not None and isinstance(where.type, Pointer):
        kind = where.type.to
        store(body, InMemory(number(where), kind), word_as(body, Value(var, ULONG), kind))
    return Value(build.integer(0), INT)


def _leave(body: Body, arguments: Sequence[Any]) -> Value:
    body.file.leaves = True
    emit(body, Exit(number(value(body, arguments[0])) if arguments else build.integer(0)))
    body.here = fresh(body)
    return NOTHING


def _does_nothing(node: Any) -> bool:
    """Whether a function for the end of a thread is none."""
    node = without_casts(node)
    return (isinstance(node, c_ast.Constant) and node.value == "0") or (
        isinstance(node, c_ast.ID) and node.name == "NULL"
    )


def _key(name: str) -> Callable[[Body, Sequence[Any]], Value]:
    """A new key, with what is called for its value at the end of a thread."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        end = arguments[1] if len(arguments) > 1 else c_ast.Constant("int", "0")
        site = body.file.keys.setdefault(id(arguments[0]), len(body.file.keys) + 1)
        if site > MOST_KEYS:
            raise Unsupported("SA716", f"more than {MOST_KEYS} places where keys are created")
        if not _does_nothing(end):
            if is_alone(body):
                hint = "give NULL, and call the function before the thread ends"
                raise Unsupported("SA718", "a function for the end of a thread is not compared", hint)
            body.file.finishing[site] = None
        given = c_ast.ExprList([arguments[0], c_ast.Constant("int", str(site)), end])
        return body.file.call(body, c_ast.FuncCall(c_ast.ID(f"__sacheck_{name}"), given))

    return handler


def last_function(places: Iterable[int]) -> c_ast.FuncDef:
    """What each thread calls last: the functions of keys, as long as there are values, but a few times only (POSIX)."""
    calls = "".join(f"if (__sacheck_end_of_key({place})) again = 1;" for place in places)
    rounds = f"while (again && round < {MOST_ROUNDS}) {{ again = 0; {calls} round = round + 1; }}"
    text = f"void {LAST}(void) {{ int again = 1; int round = 0; {rounds} }}"
    (made,) = CParser().parse(text, "<library>").ext
    return made


THREADS: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    **dict.fromkeys(("__sacheck_self", "pthread_self", "thrd_current"), _self),
    **dict.fromkeys(("pthread_create", "thrd_create"), _create),
    **dict.fromkeys(("pthread_join", "thrd_join"), _join),
    **dict.fromkeys(("pthread_exit", "thrd_exit"), _leave),
    **{name: _key(name) for name in ("pthread_key_create", "tss_create")},
}
