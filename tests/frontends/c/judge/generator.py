"""Random programs: right ones, alone or two in one, with some changes of which about half bring a fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

from msgspec import structs

from tests.frontends.c.judge.idioms import IDIOMS
from tests.frontends.c.judge.parsing import read
from tests.frontends.c.judge.printing import text
from tests.frontends.c.judge.syntax import (
    ACQ_REL,
    ACQUIRE,
    RELAXED,
    RELEASE,
    SEQ_CST,
    Assign,
    Atomic,
    Block,
    Break,
    Fence,
    Free,
    Function,
    If,
    Join,
    Load,
    Named,
    Number,
    Program,
    Return,
    Statement,
    Sync,
    While,
)

#: Statements of a list and an index among them become others.
Change: TypeAlias = Callable[[tuple[Statement, ...], int], Sequence[Statement]]
ORDERS = {
    "load": (RELAXED, ACQUIRE, SEQ_CST),
    "store": (RELAXED, RELEASE, SEQ_CST),
    "fence": (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST),
}
OTHERS = {
    "pthread_cond_signal": "pthread_cond_broadcast",
    "pthread_cond_broadcast": "pthread_cond_signal",
    "pthread_rwlock_rdlock": "pthread_rwlock_wrlock",
    "pthread_rwlock_wrlock": "pthread_rwlock_rdlock",
    "sem_wait": "sem_trywait",
    "pthread_mutex_lock": "pthread_mutex_trylock",
}
INNER = ("then", "otherwise", "body")


def program(random: Random, *, threads: bool = True) -> Program:
    """A random program."""
    names = [n for n in IDIOMS if threads or "pthread_create" not in IDIOMS[n]]
    source = IDIOMS[random.choice(names)]
    found = read(source)
    if random.random() < 0.3:
        found = _both(random, found, read(IDIOMS[random.choice(names)])) or found
    for _ in range(random.choice([0, 1, 1, 1, 1, 2, 2, 2, 3])):
        found = changed(random, found)
    return found


def changed(random: Random, before: Program) -> Program:
    """A program with one change."""
    for _ in range(20):
        number = random.randrange(len(before.functions))
        function = before.functions[number]
        count = sum(1 for _ in statements(function.body))
        if not count:
            continue
        change = random.choice(CHANGES)
        body = _edited(function.body, random.randrange(count), partial(change, random, function))
        if body is not None and body != function.body:
            after = structs.replace(function, body=body)
            functions = (*before.functions[:number], after, *before.functions[number + 1 :])
            return structs.replace(before, functions=functions)
    return before


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, those of inner lists behind the one that has them."""
    for statement in body:
        yield statement
        for name in INNER:
            yield from statements(getattr(statement, name, ()))


def _edited(body: tuple[Statement, ...], at: int, change: Change) -> tuple[Statement, ...] | None:
    """The list with a change at the statement of this number."""
    for index, statement in enumerate(body):
        size = 1 + sum(1 for n in INNER for _ in statements(getattr(statement, n, ())))
        if at == 0:
            return tuple(change(body, index))
        if at < size:
            at -= 1
            for name in INNER:
                inner = getattr(statement, name, ())
                count = sum(1 for _ in statements(inner))
                if at < count:
                    made = _edited(inner, at, change)
                    assert made is not None
                    return (*body[:index], structs.replace(statement, **{name: made}), *body[index + 1 :])
                at -= count
        at -= size
    return None


# Changes. Each gets the function and a place in it.


def _drop(_random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    if isinstance(body[at], Block | Return):
        return body
    return (*body[:at], *body[at + 1 :])


def _swap(_random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    if at + 1 >= len(body) or isinstance(body[at + 1], Return):
        return body
    return (*body[:at], body[at + 1], body[at], *body[at + 2 :])


def _move(random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    rest = [*body[:at], *body[at + 1 :]]
    last = len(rest) - 1 if rest and isinstance(rest[-1], Return) else len(rest)
    if isinstance(body[at], Return) or last < 0:
        return body
    rest.insert(random.randint(0, last), body[at])
    return rest


def _twice(_random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    if not isinstance(body[at], Free | Sync | Atomic | Assign):
        return body
    return (*body[: at + 1], body[at], *body[at + 1 :])


def _order(random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    statement = body[at]
    match statement:
        case Fence():
            made: Statement = Fence(random.choice(ORDERS["fence"]))
        case Atomic(operation=operation, orders=orders) if orders:
            choices = ORDERS.get(operation, (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST))
            first = random.choice(choices)
            rest = [random.choice(ORDERS["load"]) for _ in orders[1:]]
            made = structs.replace(statement, orders=(first, *rest))
        case _:
            return body
    return (*body[:at], made, *body[at + 1 :])


def _number(random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    statement = body[at]
    match statement:
        case Atomic(values=(Number(value),)):
            made: Statement = structs.replace(statement, values=(Number(value + random.choice([-1, 1])),))
        case Assign(value=Number(value)):
            made = structs.replace(statement, value=Number(value + random.choice([-1, 1])))
        case Sync(numbers=(value,)):
            made = structs.replace(statement, numbers=(max(1, value + random.choice([-1, 1])),))
        case _:
            return body
    return (*body[:at], made, *body[at + 1 :])


def _unwrap(_random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    statement = body[at]
    match statement:
        case If(_, then, _):
            return (*body[:at], *then, *body[at + 1 :])
        case While(condition, inner, _) if not any(isinstance(s, Break) for s in statements(inner)):
            return (*body[:at], If(condition, inner), *body[at + 1 :])
        case _:
            return body


def _other(_random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    statement = body[at]
    if isinstance(statement, Sync) and statement.function in OTHERS and statement.result is None:
        made = structs.replace(statement, function=OTHERS[statement.function])
        return (*body[:at], made, *body[at + 1 :])
    return body


def _plain(_random: Random, _function: Function, body: tuple[Statement, ...], at: int) -> Sequence[Statement]:
    """An atomic addition as a load and a store, or an initialisation as a store."""
    statement = body[at]
    match statement:
        case Atomic("fetch_add" | "fetch_sub" | "exchange", place, _, _, str() as result):
            first = Atomic("load", place, (), (SEQ_CST,), result)
            kept = structs.replace(statement, result=None)
            return (*body[:at], kept, first, *body[at + 1 :])
        case Atomic("store", place, values):
            return (*body[:at], Atomic("init", place, values, ()), *body[at + 1 :])
        case _:
            return body


CHANGES = (_drop, _drop, _swap, _move, _move, _twice, _order, _order, _number, _unwrap, _other, _plain)


def _both(random: Random, one: Program, other: Program) -> Program | None:
    """Two programs in one, whose statements in `main` are mixed."""
    fields = {f.name: f for f in one.fields}
    if any(fields.get(f.name, f).type != f.type for f in other.fields):
        return None
    main = other.functions[-1]
    names = [v.name for v in (*other.statics, *other.functions[:-1], *main.locals)]
    renamed = re.sub(rf"(?<!->)\b({'|'.join(names)})\b", r"\1_", text(other))
    other = read(renamed)
    first, second = one.functions[-1], other.functions[-1]
    merged = tuple(_mixed(random, first.body, second.body))
    made = structs.replace(first, locals=(*first.locals, *second.locals), body=merged)
    every = (*one.fields, *(f for f in other.fields if f.name not in fields))
    return Program(every, (*one.statics, *other.statics), (*one.functions[:-1], *other.functions[:-1], made))


def _mixed(random: Random, one: tuple[Statement, ...], other: tuple[Statement, ...]) -> Iterator[Statement]:
    """Two lists, each in its order; `return` comes last."""
    pending = [list(_open(body)) for body in (one, other)]
    while any(pending):
        chosen = random.choice([p for p in pending if p])
        yield from (chosen.pop(0) for _ in range(random.randint(1, min(3, len(chosen)))))
    yield Return(Number(0))


def _open(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """A list without the `return` at its end."""
    for statement in body:
        if isinstance(statement, Block):
            yield structs.replace(statement, body=tuple(_open(statement.body)))
        elif not isinstance(statement, Return):
            yield statement


def mentions_memory(found: Program) -> bool:
    """Whether a program frees memory."""
    return any(isinstance(s, Free) for f in found.functions for s in statements(f.body))


__all__ = ["Join", "Load", "Named", "changed", "program"]
