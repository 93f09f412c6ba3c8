"""Random cooperative programs as data and as texts: requests, branches, loops, assertions, and a claim.

All numbers are below `LIMIT`, so that every program has finitely many states. There are an event `e` and an array `f`
of two, whose index may be a variable that is too large.
"""

from __future__ import annotations

from random import Random
from typing import TypeAlias, assert_never

from msgspec import Struct

LIMIT = 3
SHARED, LOCAL = ("x", "y"), "k"
SCHEDULERS = ("cooperative", "fairthreads", "systemc", "priority")


class Test(Struct, frozen=True):
    """`name == value`, or that it is not."""

    name: str
    value: int
    equal: bool


class Put(Struct, frozen=True):
    """`name := (source + more) % LIMIT;`"""

    name: str
    source: str
    more: int


class Any(Struct, frozen=True):
    """`havoc name;`"""

    name: str


class Check(Struct, frozen=True):
    """`assert test;`"""

    test: Test


class Blocked(Struct, frozen=True):
    """`await test;`, which does not hand over."""

    test: Test


class Branch(Struct, frozen=True):
    """`if (test) { … } else { … }`"""

    test: Test
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class Loop(Struct, frozen=True):
    """`while (test) { … }`"""

    test: Test
    body: tuple[Statement, ...]


class Event(Struct, frozen=True):
    """`e`, or `f[index]`."""

    index: str | int | None


class Ask(Struct, frozen=True):
    """A request by its word; `yield` has no event, `wait for` and a late `notify` have a delay."""

    word: str
    event: Event | None = None
    delay: int | None = None


class Join(Struct, frozen=True):
    """`join T…;`"""

    thread: int


Statement: TypeAlias = Put | Any | Check | Blocked | Branch | Loop | Ask | Join


class Cooperative(Struct, frozen=True):
    """A program, and what never holds in it: all these tests at once."""

    scheduler: str
    threads: tuple[tuple[Statement, ...], ...]
    never: tuple[Test, ...]


def random_cooperative(rng: Random) -> Cooperative:
    """A program of two or three threads."""
    scheduler, count = rng.choice(SCHEDULERS), rng.choice((2, 2, 3))
    threads = tuple(_body(rng, scheduler, count, me) for me in range(count))
    never = tuple(Test(n, rng.randrange(LIMIT), True) for n in SHARED)
    return Cooperative(scheduler, threads, never)


def _body(rng: Random, scheduler: str, count: int, me: int) -> tuple[Statement, ...]:
    def some(size: int) -> tuple[Statement, ...]:
        return tuple(one(size) for _ in range(rng.randint(1, size)))

    def one(size: int) -> Statement:
        kind = rng.choice(("put", "put", "any", "check", "branch", "loop", "ask", "ask", "ask", "ask", "join"))
        if size <= 1 and kind in ("branch", "loop"):
            kind = "ask"
        name = rng.choice((*SHARED, LOCAL))
        match kind:
            case "put":
                return Put(name, rng.choice((*SHARED, LOCAL)), rng.randrange(LIMIT))
            case "any":
                return Any(name)
            case "check":
                rarely = rng.random() < 0.1
                return Blocked(_test(rng)) if rarely else Check(_test(rng, False))
            case "branch":
                return Branch(_test(rng), some(size - 1), some(size - 1) if rng.random() < 0.5 else ())
            case "loop":
                return Loop(_test(rng), (*some(size - 1), Ask("yield")))
            case "join":
                return Join(rng.choice([t for t in range(count) if t != me]))
            case _:
                return _ask(rng, scheduler)

    body = some(4)
    return (Loop(Test("y", LIMIT, False), (*body, Ask("yield"))),) if rng.random() < 0.2 else body


def _test(rng: Random, equal: bool | None = None) -> Test:
    return Test(rng.choice((*SHARED, LOCAL)), rng.randrange(LIMIT), rng.random() < 0.5 if equal is None else equal)


def _ask(rng: Random, scheduler: str) -> Ask:
    index = rng.choice((None, None, 0, 1, rng.choice((*SHARED, LOCAL)) if rng.random() < 0.2 else 0))
    event = Event(index)
    words = ["yield", "wait", "notify", "notify"]
    if scheduler == "systemc":
        words += ["wait for", "notify in", "notify in", "cancel"]
    match rng.choice(words):
        case "yield":
            return Ask("yield")
        case "wait for":
            return Ask("wait for", None, rng.randrange(LIMIT))
        case "notify in":
            return Ask("notify", event, rng.randrange(LIMIT))
        case word:
            return Ask(word, event)


def text_of(program: Cooperative) -> str:
    """The program in the language."""
    lines = [f"scheduler {program.scheduler};", "event e, f[2];", f"global x, y : 0..{LIMIT - 1} = 0;"]
    for number, body in enumerate(program.threads):
        lines.append(f"thread T{number} {{ local {LOCAL} : 0..{LIMIT - 1} = 0; {_text(body)} }}")
    lines.append(f"invariant apart : !({' && '.join(map(_formula, program.never))});")
    return "\n".join(lines) + "\n"


def without_scheduler(program: Cooperative) -> str:
    """The same threads without a scheduler: requests do nothing, but for the check of an index."""
    lines = [f"global x, y : 0..{LIMIT - 1} = 0;"]
    for number, body in enumerate(program.threads):
        told = _text(tuple(map(_unasked, body)))
        lines.append(f"thread T{number} {{ local {LOCAL} : 0..{LIMIT - 1} = 0; {told} }}")
    lines.append(f"invariant apart : !({' && '.join(map(_formula, program.never))});")
    return "\n".join(lines) + "\n"


def _unasked(statement: Statement) -> Statement:
    match statement:
        case Ask(_, Event(str() as index)):
            return Check(Test(index, LIMIT - 1, False))
        case Ask() | Join():
            return Branch(Test(SHARED[0], 0, True), (), ())
        case Branch(test, then, otherwise):
            return Branch(test, tuple(map(_unasked, then)), tuple(map(_unasked, otherwise)))
        case Loop(test, body):
            return Loop(test, tuple(map(_unasked, body)))
        case _:
            return statement


def _text(body: tuple[Statement, ...]) -> str:
    return " ".join(map(_line, body))


def _line(statement: Statement) -> str:
    match statement:
        case Put(name, source, more):
            return f"{name} := ({source} + {more}) % {LIMIT};"
        case Any(name):
            return f"havoc {name};"
        case Check(test):
            return f"assert {_formula(test)};"
        case Blocked(test):
            return f"await {_formula(test)};"
        case Branch(test, then, otherwise):
            return f"if ({_formula(test)}) {{ {_text(then)} }} else {{ {_text(otherwise)} }}"
        case Loop(test, body):
            return f"while ({_formula(test)}) {{ {_text(body)} }}"
        case Ask("wait for", _, delay):
            return f"wait for {delay};"
        case Ask(word, event, delay):
            about = "" if event is None else " e" if event.index is None else f" f[{event.index}]"
            return f"{word}{about}{'' if delay is None else f' in {delay}'};"
        case Join(thread):
            return f"join T{thread};"
        case _:
            assert_never(statement)


def _formula(test: Test) -> str:
    return f"{test.name} {'==' if test.equal else '!='} {test.value}"
