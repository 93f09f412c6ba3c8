"""Random programs without threads: memory, lists, pointers to variables whose block ends, and their faults."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.frontends.c.judge.syntax import (
    INT,
    INT_POINTER,
    NODE,
    NODE_POINTER,
    Address,
    Allocate,
    Assert,
    Assign,
    Binary,
    Block,
    Call,
    Expression,
    Field,
    Free,
    Function,
    If,
    Load,
    Local,
    Named,
    Number,
    Place,
    Program,
    Return,
    Statement,
    Target,
    Variable,
)

FIELDS = (Variable("value", INT), Variable("next", NODE_POINTER), Variable("other", INT))
STATICS = (Variable("list", NODE_POINTER), Variable("number", INT), Variable("at", INT_POINTER))
NODES, POINTERS, NUMBERS = ("p", "q"), ("i", "j"), ("n", "m")
#: Gives the address of its own variable.
GONE = Function(
    "gone",
    (),
    (Variable("where", INT_POINTER),),
    (Block((Variable("x", INT, 3),), (Assign(Local("where"), Address(Named("x"))), Return(Local("where")))),),
    INT_POINTER,
)
#: Frees what it is given.
DROP = Function("drop", (Variable("it", NODE_POINTER),), (), (Free(Local("it")),))


def program(random: Random) -> Program:
    """A random program. What is freed is often not used again, so that the programs do not all fail at once."""
    body = [Allocate("calloc", NODE, name) for name in NODES]
    pointed = (Assign(Local(n), Address(Named("number"))) for n in POINTERS)
    statements: list[Statement] = [*body, *pointed, Assign(Named("at"), Address(Named("number")))]
    for _ in range(random.randint(2, 9)):
        statements.extend(_statement(random, 0))
    if random.random() < 0.6:
        statements.extend(s for n in NODES for s in _freed(n) if random.random() < 0.85)
    local = (
        *(Variable(n, NODE_POINTER, 0) for n in NODES),
        *(Variable(n, INT_POINTER, 0) for n in POINTERS),
        *(Variable(n, INT, 0) for n in NUMBERS),
    )
    main = Function("main", (), local, (*statements, Return(Number(0))), INT)
    return Program(FIELDS, STATICS, (GONE, DROP, main))


def _freed(name: str) -> Iterator[Statement]:
    yield Free(Local(name))


def _node(random: Random) -> Expression:
    return random.choice([Local("p"), Local("q"), Local("p"), Local("q"), Load(Named("list"))])


def _field(random: Random) -> Place:
    return Field(Local(random.choice(NODES)), random.choice(["value", "other"]))


def _where(random: Random) -> Expression:
    """An address of a number."""
    choices: list[Expression] = [Address(Named("number")), Address(_field(random)), Local("i"), Local("j")]
    return random.choice([*choices, Load(Named("at"))])


def _value(random: Random) -> Expression:
    choices: list[Expression] = [
        Number(random.randrange(3)),
        Local(random.choice(NUMBERS)),
        Load(Named("number")),
        Load(_field(random)),
        Load(Target(Local(random.choice(POINTERS)))),
    ]
    return random.choice(choices)


def _condition(random: Random) -> Expression:
    if random.random() < 0.3:
        return Binary(random.choice(["==", "!="]), _node(random), random.choice([_node(random), Number(0)]))
    return Binary(random.choice(["==", "!=", "<"]), _value(random), _value(random))


def _statement(random: Random, depth: int) -> Iterator[Statement]:
    form = random.randrange(16)
    match form:
        case 0 | 1:
            yield Allocate("calloc", NODE, random.choice(NODES))
        case 2:
            name = random.choice(NODES)
            yield Free(Local(name))
            if random.random() < 0.7:
                yield Assign(Local(name), random.choice([Number(0), Local(random.choice(NODES))]))
        case 3:
            name = random.choice(NODES)
            yield Assign(Local(name), random.choice([_node(random), _node(random), Load(Field(Local("p"), "next"))]))
            if random.random() < 0.7:
                yield If(Binary("==", Local(name), Number(0)), (Allocate("calloc", NODE, name),))
        case 4:
            yield Assign(Field(Local(random.choice(NODES)), "next"), _node(random))
        case 5 | 6:
            yield Assign(Named("list"), _node(random))
        case 7 | 8:
            yield Assign(_field(random), _value(random))
        case 9:
            yield Assign(Local(random.choice(POINTERS)), _where(random))
        case 10:
            yield Assign(Target(Local(random.choice(POINTERS))), Binary("&", _value(random), Number(3)))
        case 11:
            yield Assign(Local(random.choice(NUMBERS)), Binary("&", _value(random), Number(3)))
        case 12:
            yield from _nested(random, depth)
        case 13:
            yield Assert(_condition(random))
        case 14:
            yield from _called(random)
        case _:
            name = random.choice(NODES)
            yield Allocate("realloc", NODE, random.choice([name, name, *NODES]), Local(name))


def _nested(random: Random, depth: int) -> Iterator[Statement]:
    inner = tuple(s for _ in range(random.randint(1, 2)) for s in _statement(random, depth + 1)) if depth < 2 else ()
    if random.random() < 0.5:
        yield If(_condition(random), inner)
        return
    name = f"x{depth}"
    pointed = Assign(random.choice([Local("i"), Local("j"), Named("at")]), Address(Named(name)))
    used = Assign(Local("n"), Load(Target(Local(random.choice(POINTERS)))))
    yield Block((Variable(name, INT, 1),), (pointed, *inner, used) if random.random() < 0.5 else (pointed, *inner))


def _called(random: Random) -> Iterator[Statement]:
    if random.random() < 0.4:
        yield Call("gone", (), random.choice(POINTERS))
    elif random.random() < 0.3:
        yield Free(_where(random))
    else:
        name = random.choice(NODES)
        yield Call("drop", (Local(name),))
        if random.random() < 0.6:
            yield Assign(Local(name), Number(0))
