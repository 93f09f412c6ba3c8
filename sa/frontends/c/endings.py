"""Words for the ends of a run: of the process, by what is claimed, and by what is undefined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sa.automata.automaton import EXIT
from sa.frontends.c.body import Body, converted, emit, fresh
from sa.frontends.c.expressions import NOTHING, branch, value
from sa.frontends.c.observable_accesses import is_alone
from sa.frontends.c.ordered import leaving
from sa.frontends.c.types import INT
from sa.frontends.c.values import Unsupported, Value, number
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Fail, Halt, Op

Handler: TypeAlias = Callable[[Body, Sequence[Any]], Value]


def _halt(how: str | None) -> Handler:
    """The process ends, in a way of its own; without one as `exit` does it."""

    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        values = tuple(number(converted(body, value(body, argument), INT)) for argument in arguments)
        if body.file.choices.visible:
            emit(body, Show(how or leaving(body), values, Sync.END if values else Sync.NONE))
            emit(body, Show(EXIT, ()))
        emit(body, Halt(True))
        body.here = fresh(body)
        return NOTHING

    return handler


def _unreachable(body: Body, arguments: Sequence[Any]) -> Value:
    """What the compiler may take for impossible: undefined where a function is compared alone."""
    if not is_alone(body):
        return _halt("unreachable")(body, arguments)
    emit(body, Fail("undefined"))
    body.here = fresh(body)
    return NOTHING


def _unless(body: Body, arguments: Sequence[Any], otherwise: Op) -> Value:
    """Go on where the condition holds, the first argument; a text may follow. Raises Unsupported."""
    if not 1 <= len(arguments) <= 2:
        raise Unsupported("SA719", f"this takes a condition, and {len(arguments)} arguments are given")
    on, off = fresh(body), fresh(body)
    branch(body, arguments[0], on, off)
    body.here = off
    emit(body, otherwise)
    body.here = on
    return NOTHING


def _assume(body: Body, arguments: Sequence[Any]) -> Value:
    return _unless(body, arguments, Halt())


def _supposed(body: Body, arguments: Sequence[Any]) -> Value:
    """What the compiler may suppose, in a function that is compared alone: it is undefined otherwise."""
    return _unless(body, arguments, Fail("undefined") if is_alone(body) else Halt())


def _assert(body: Body, arguments: Sequence[Any]) -> Value:
    return _unless(body, arguments, Fail("assertion"))


def _error(body: Body, arguments: Sequence[Any]) -> Value:
    emit(body, Fail("reached"))
    body.here = fresh(body)
    return NOTHING


def _fail(body: Body, arguments: Sequence[Any]) -> Value:
    what = arguments[0].value.strip('"')
    emit(body, Fail(what))
    body.here = fresh(body)
    return NOTHING


ENDINGS: Mapping[str, Handler] = {
    # Without its header `assert` is no macro, but it means the same.
    "__sacheck_assert": _assert, "assert": _assert, "__VERIFIER_assert": _assert, "__assert_fail": _error,
    "__assert": _error, "reach_error": _error, "__VERIFIER_error": _error, "__sacheck_fail": _fail,
    "__VERIFIER_assume": _assume, "assume_abort_if_not": _assume, "__builtin_assume": _supposed,
    "abort": _halt("aborts"), "exit": _halt(None), "_exit": _halt("exits_at_once"), "_Exit": _halt("exits_at_once"),
    "__builtin_unreachable": _unreachable, "__builtin_trap": _halt("traps"), "quick_exit": _halt("exits_quickly"),
}  # fmt: skip
