"""Smaller programs of which something still holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import structs

from tests.frontends.c.judge.generator import INNER, statements
from tests.frontends.c.judge.syntax import Program, Return, Statement


def smallest(program: Program, holds: Callable[[Program], bool]) -> Program:
    """A program of which no statement, function, variable or member can be left out."""
    while True:
        following = next((p for p in _smaller(program) if _holds(p, holds)), None)
        if following is None:
            return program
        program = following


def _holds(program: Program, holds: Callable[[Program], bool]) -> bool:
    """Names that have no meaning any more make no program."""
    try:
        return holds(program)
    except (KeyError, StopIteration, IndexError):
        return False


def _smaller(program: Program) -> Iterator[Program]:
    for number, function in enumerate(program.functions):
        count = sum(1 for _ in statements(function.body))
        for at in range(count):
            for body in _without(function.body, at):
                made = structs.replace(function, body=body)
                yield structs.replace(
                    program, functions=(*program.functions[:number], made, *program.functions[number + 1 :])
                )
        for index in range(len(function.locals)):
            made = structs.replace(function, locals=(*function.locals[:index], *function.locals[index + 1 :]))
            functions = (*program.functions[:number], made, *program.functions[number + 1 :])
            yield structs.replace(program, functions=functions)
    for name in ("functions", "statics", "fields"):
        parts = getattr(program, name)
        for index in range(len(parts)):
            yield structs.replace(program, **{name: (*parts[:index], *parts[index + 1 :])})


def _without(body: tuple[Statement, ...], at: int) -> Iterator[tuple[Statement, ...]]:
    """The list without a statement, or with what is inside of it instead."""
    for index, statement in enumerate(body):
        inner = [getattr(statement, n, ()) for n in INNER]
        size = 1 + sum(1 for i in inner for _ in statements(i))
        if at == 0:
            if not isinstance(statement, Return):
                yield (*body[:index], *body[index + 1 :])
                yield from ((*body[:index], *i, *body[index + 1 :]) for i in inner if i)
            return
        if at < size:
            at -= 1
            for name, part in zip(INNER, inner, strict=True):
                count = sum(1 for _ in statements(part))
                if at < count:
                    for made in _without(part, at):
                        yield (*body[:index], structs.replace(statement, **{name: made}), *body[index + 1 :])
                    return
                at -= count
        at -= size
