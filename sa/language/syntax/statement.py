"""Statements as they are written."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, TypeAlias

from sa.base.source import Span
from sa.language.syntax.clause import ThreadName
from sa.language.syntax.expression import Expression, Identifier, Place, Type
from sa.language.syntax.node import Node


class Label(Node, frozen=True):
    """`@action` or `@action(values)`."""

    action: str
    values: tuple[Expression, ...]
    span: Span


class Assign(Node, frozen=True):
    """`x, y := e1, e2`: simultaneous."""

    places: tuple[Place, ...]
    values: tuple[Expression, ...]
    span: Span


class Havoc(Node, frozen=True):
    """`havoc x, y`: any values of their types."""

    places: tuple[Place, ...]
    span: Span


class Skip(Node, frozen=True):
    """`skip`: a step that changes nothing."""

    span: Span


class Assume(Node, frozen=True):
    """`assume e`: the step is possible only where e holds."""

    condition: Expression
    span: Span


class Assert(Node, frozen=True):
    """`assert e`: a step; where e does not hold it is a visible `fail`."""

    condition: Expression
    span: Span


class Await(Node, frozen=True):
    """`await e;` or `await e { body }`: `atomic { assume e; body }`."""

    condition: Expression
    body: Block | None
    span: Span


class Atomic(Node, frozen=True):
    """`atomic { body }`: one step."""

    body: Block
    span: Span


class Arm(Node, frozen=True):
    """`if (condition) body`; the condition is None for `*`. The span covers `if (condition)` only."""

    condition: Condition | None
    body: Block
    span: Span


class If(Node, frozen=True):
    """`if (c1) {…} else if (c2) {…} else {…}`: the arms in order, then `orelse` if there is one."""

    arms: tuple[Arm, ...]
    orelse: Block | None
    span: Span


class While(Node, frozen=True):
    """`while (condition) body`; the condition is None for `*`. `head` covers `while (condition)` only."""

    condition: Condition | None
    body: Block
    head: Span
    span: Span


class Choose(Node, frozen=True):
    """`choose { … } or { … }`: the first step of a branch decides."""

    branches: tuple[Block, ...]
    span: Span


class For(Node, frozen=True):
    """`for name in low..high body`: `name` counts from `low`, while it is at most `high`.

    `head` covers what stands in front of the body.
    """

    name: Identifier
    low: Expression
    high: Expression
    body: Block
    head: Span
    span: Span


class Call(Node, frozen=True):
    """`f(values);`: the statements of a procedure."""

    name: str
    values: tuple[Expression, ...]
    span: Span


class Break(Node, frozen=True):
    """`break`: no step of its own."""

    span: Span


class Continue(Node, frozen=True):
    """`continue`: no step of its own."""

    span: Span


class Return(Node, frozen=True):
    """`return`: to the end of the thread or procedure; no step of its own.

    `return e` ends a procedure with a result; it is a step that computes it.
    """

    value: Expression | None
    span: Span


class Local(Node, frozen=True):
    """`local x, y : int = e`, until the end of the block; without a value it is arbitrary."""

    names: tuple[Identifier, ...]
    type: Type
    value: Expression | None
    ghost: bool
    span: Span


class CompareAndSwap(Node, frozen=True):
    """`r := cas(x, expected, new)`: one step; r is a Boolean, or an int that becomes 1 or 0.

    Without a result it is a condition, as the other operations.
    """

    keyword: ClassVar[str] = "cas"
    result: Place | None
    place: Place
    expected: Expression
    new: Expression
    span: Span


class FetchAdd(Node, frozen=True):
    """`r := fetch_add(x, k)`: one step; r gets the old value of x."""

    keyword: ClassVar[str] = "fetch_add"
    result: Place | None
    place: Place
    amount: Expression
    span: Span


class Exchange(Node, frozen=True):
    """`r := exchange(x, e)`: one step; x becomes e, r gets the old value of x."""

    keyword: ClassVar[str] = "exchange"
    result: Place | None
    place: Place
    value: Expression
    span: Span


Operation: TypeAlias = CompareAndSwap | FetchAdd | Exchange


class Attempt(Node, frozen=True):
    """`cas(…)`, `!cas(…)`, `fetch_add(…) == e` as a condition: one step, which goes where its result leads.

    The result is compared with `right`, which is read before the step; with `true` where nothing is written.
    """

    operation: Operation
    operator: str
    right: Expression
    span: Span


Condition: TypeAlias = Expression | Attempt


class Lock(Node, frozen=True):
    """`lock(l)`: waits for `l == 0`, then writes the number of the thread (from 1, in file order)."""

    place: Place
    span: Span


class Unlock(Node, frozen=True):
    """`unlock(l)`: writes 0; a visible `fail` where the thread does not hold the lock."""

    place: Place
    span: Span


class Start(Node, frozen=True):
    """`start T`: the thread T, which waits for it, may go on; a visible `fail` where it was started before."""

    thread: ThreadName
    span: Span


class Join(Node, frozen=True):
    """`join T`: waits for the end of the thread T."""

    thread: ThreadName
    span: Span


class Asked(Enum):
    """What a cooperative thread asks of its scheduler; `END` at its end, without a statement.

    The value is how a scheduler declares its answer.
    """

    YIELD = "yield"
    WAIT = "wait(e)"
    WAIT_FOR = "wait for(t)"
    NOTIFY = "notify(e)"
    NOTIFY_IN = "notify(e, t)"
    CANCEL = "cancel(e)"
    JOIN = "join(t)"
    END = "end"


class Request(Node, frozen=True):
    """`yield;`, `wait e;`, `wait for t;`, `notify e;`, `notify e in t;`, `cancel e;` in a cooperative thread."""

    asked: Asked
    about: ThreadName | None
    delay: Expression | None
    span: Span


class Suspend(Node, frozen=True):
    """`suspend;` in a scheduler: the thread that asks stops to run, until the scheduler resumes it."""

    span: Span


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
    | For
    | Call
    | Choose
    | Break
    | Continue
    | Return
    | Local
    | CompareAndSwap
    | FetchAdd
    | Exchange
    | Lock
    | Unlock
    | Start
    | Join
    | Request
    | Suspend
)


class Statement(Node, frozen=True):
    """`NAME: @label action`. The name is that of the location before it."""

    action: Action
    name: Identifier | None
    label: Label | None
    span: Span


class Block(Node, frozen=True):
    """`{ statements }`."""

    statements: tuple[Statement, ...]
    span: Span
