"""Statements as they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sa.base.source import Span
from sa.language.syntax.expression import Expression, Identifier, Place, Type


@dataclass(frozen=True, slots=True)
class Label:
    """`@action` or `@action(values)`."""

    action: str
    values: tuple[Expression, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """`x, y := e1, e2`: simultaneous."""

    places: tuple[Place, ...]
    values: tuple[Expression, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Havoc:
    """`havoc x, y`: any values of their types."""

    places: tuple[Place, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Skip:
    """`skip`: a step that changes nothing."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assume:
    """`assume e`: the step is possible only where e holds."""

    condition: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert e`: a step; where e does not hold it is a visible `fail`."""

    condition: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Await:
    """`await e;` or `await e { body }`: `atomic { assume e; body }`."""

    condition: Expression
    body: Block | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Atomic:
    """`atomic { body }`: one step."""

    body: Block
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arm:
    """`if (condition) body`; the condition is None for `*`. The span covers `if (condition)` only."""

    condition: Expression | None
    body: Block
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """`if (c1) {…} else if (c2) {…} else {…}`: the arms in order, then `orelse` if there is one."""

    arms: tuple[Arm, ...]
    orelse: Block | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class While:
    """`while (condition) body`; the condition is None for `*`. `head` covers `while (condition)` only."""

    condition: Expression | None
    body: Block
    head: Span = field(compare=False, repr=False)
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Choose:
    """`choose { … } or { … }`: the first step of a branch decides."""

    branches: tuple[Block, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Break:
    """`break`: no step of its own."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Continue:
    """`continue`: no step of its own."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    """`return`: to the end of the thread; no step of its own."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Local:
    """`local x, y : int = e`, until the end of the block; without a value it is arbitrary."""

    names: tuple[Identifier, ...]
    type: Type
    value: Expression | None
    ghost: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CompareAndSwap:
    """`r := cas(x, expected, new)`: one step; r is a Boolean, or an int that becomes 1 or 0."""

    result: Place
    place: Place
    expected: Expression
    new: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FetchAdd:
    """`r := fetch_add(x, k)`: one step; r gets the old value of x."""

    result: Place
    place: Place
    amount: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """`lock(l)`: waits for `l == 0`, then writes the number of the thread (from 1, in file order)."""

    place: Place
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unlock:
    """`unlock(l)`: writes 0; a visible `fail` where the thread does not hold the lock."""

    place: Place
    span: Span = field(compare=False, repr=False)


Action: TypeAlias = (
    Assign
    | Havoc
    | Skip
    | Assume
    | Assert
    | Await
    | Atomic
    | If
    | While
    | Choose
    | Break
    | Continue
    | Return
    | Local
    | CompareAndSwap
    | FetchAdd
    | Lock
    | Unlock
)


@dataclass(frozen=True, slots=True)
class Statement:
    """`NAME: @label action`. The name is that of the location before it."""

    action: Action
    name: Identifier | None
    label: Label | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Block:
    """`{ statements }`."""

    statements: tuple[Statement, ...]
    span: Span = field(compare=False, repr=False)
