"""Expressions and types as they are written."""

from __future__ import annotations

from typing import TypeAlias

from sa.base.source import Span
from sa.language.syntax.node import Node


class Identifier(Node, frozen=True):
    """A name where it is declared."""

    name: str
    span: Span


class Name(Node, frozen=True):
    """A variable, constant, parameter, constructor or macro without arguments; dotted when qualified (`conc.x`).

    `primes` counts the primes behind it.
    """

    name: str
    primes: int
    span: Span


class Index(Node, frozen=True):
    """An element of an array, `flag[i]`, or with primes `flag[i]'`."""

    name: str
    index: Expression
    primes: int
    span: Span


class Integer(Node, frozen=True):
    """An integer literal; never negative."""

    value: int
    span: Span


class Boolean(Node, frozen=True):
    """`true` or `false`."""

    value: bool
    span: Span


class Unary(Node, frozen=True):
    """`!e` or `-e`."""

    operator: str
    operand: Expression
    span: Span


class Chain(Node, frozen=True):
    """Operands of one strength side by side: `a + b - c`, `a * b / c`, `a && b`, `a ==> b ==> c`, `a <==> b`.

    `operators[i]` stands between `operands[i]` and `operands[i + 1]`. The groups are {+, -}, {*, /, %}, {&&},
    {||}, {==>}, {<==>}; all associate to the left, only `==>` to the right.
    """

    operands: tuple[Expression, ...]
    operators: tuple[str, ...]
    span: Span


class Compare(Node, frozen=True):
    """`left op right` with op among ==, !=, <, <=, >, >=."""

    operator: str
    left: Expression
    right: Expression
    span: Span


class Conditional(Node, frozen=True):
    """`if condition then positive else negative`."""

    condition: Expression
    positive: Expression
    negative: Expression
    span: Span


class Apply(Node, frozen=True):
    """A function or macro applied: `gcd(a, b)`."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span


class Binder(Node, frozen=True):
    """Names of one type, as in `forall x, y : int`."""

    names: tuple[Identifier, ...]
    type: Type
    span: Span


class Quantified(Node, frozen=True):
    """`forall x : int :: body`, or `exists` when `universal` is false."""

    universal: bool
    binders: tuple[Binder, ...]
    body: Expression
    span: Span


class Old(Node, frozen=True):
    """`old(e)`, in relations: e before the step. Plain names outside of `old` are then the values after it."""

    body: Expression
    span: Span


class At(Node, frozen=True):
    """`at T1.CS`, or `at T[1].CS` for a member of a family."""

    thread: str
    index: Expression | None
    location: str
    span: Span


class Member(Node, frozen=True):
    """`T[1].x` or `T[i].f[2]`: a local of a member of a family, or of a copy."""

    thread: str
    index: Expression
    local: Name | Index
    span: Span


class Unchanged(Node, frozen=True):
    """`unchanged x, y` where a relation may stand; an array's name means all of its elements."""

    names: tuple[Name | Index, ...]
    span: Span


class Elements(Node, frozen=True):
    """`{e1, e2}`: the value of a whole array or sequence, in a declaration or an assignment."""

    values: tuple[Expression, ...]
    span: Span


Expression: TypeAlias = (
    Name
    | Index
    | Integer
    | Boolean
    | Unary
    | Chain
    | Compare
    | Conditional
    | Apply
    | Quantified
    | Old
    | At
    | Member
    | Unchanged
    | Elements
)


#: What can be assigned to.
Place: TypeAlias = Name | Index


class NamedType(Node, frozen=True):
    """`int`, `bool` or an enumeration."""

    name: str
    span: Span


class RangeType(Node, frozen=True):
    """`low..high`, both ends included."""

    low: Expression
    high: Expression
    span: Span


class ArrayType(Node, frozen=True):
    """`element[size]`: indices 0..size-1; `element[*]`, without a size: all integers are indices."""

    element: NamedType | RangeType
    size: Expression | None
    span: Span


class SequenceType(Node, frozen=True):
    """`seq<element, size>`: up to `size` elements."""

    element: Type
    size: Expression
    span: Span


Type: TypeAlias = NamedType | RangeType | ArrayType | SequenceType
