"""Expressions and types as they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sa.base.source import Span


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name where it is declared."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, constant, parameter, constructor or macro without arguments; dotted when qualified (`conc.x`).

    `primes` counts the primes behind it.
    """

    name: str
    primes: int
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Index:
    """An element of an array, `flag[i]`, or with primes `flag[i]'`."""

    name: str
    index: Expression
    primes: int
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer literal; never negative."""

    value: int
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""

    value: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`!e` or `-e`."""

    operator: str
    operand: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands of one strength side by side: `a + b - c`, `a * b / c`, `a && b`, `a ==> b ==> c`, `a <==> b`.

    `operators[i]` stands between `operands[i]` and `operands[i + 1]`. The groups are {+, -}, {*, /, %}, {&&},
    {||}, {==>}, {<==>}; all associate to the left, only `==>` to the right.
    """

    operands: tuple[Expression, ...]
    operators: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """`left op right` with op among ==, !=, <, <=, >, >=."""

    operator: str
    left: Expression
    right: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if condition then positive else negative`."""

    condition: Expression
    positive: Expression
    negative: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """A function or macro applied: `gcd(a, b)`."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binder:
    """Names of one type, as in `forall x, y : int`."""

    names: tuple[Identifier, ...]
    type: Type
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Quantified:
    """`forall x : int :: body`, or `exists` when `universal` is false."""

    universal: bool
    binders: tuple[Binder, ...]
    body: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Old:
    """`old(e)`, in relations: e before the step. Plain names outside of `old` are then the values after it."""

    body: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class At:
    """`at T1.CS`, or `at T[1].CS` for a member of a family."""

    thread: str
    index: Expression | None
    location: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """`unchanged x, y` where a relation may stand; an array's name means all of its elements."""

    names: tuple[Name | Index, ...]
    span: Span = field(compare=False, repr=False)


Expression: TypeAlias = (
    Name | Index | Integer | Boolean | Unary | Chain | Compare | Conditional | Apply | Quantified | Old | At | Unchanged
)


#: What can be assigned to.
Place: TypeAlias = Name | Index


@dataclass(frozen=True, slots=True)
class NamedType:
    """`int`, `bool` or an enumeration."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RangeType:
    """`low..high`, both ends included."""

    low: Expression
    high: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`element[size]`: indices 0..size-1."""

    element: NamedType | RangeType
    size: Expression
    span: Span = field(compare=False, repr=False)


Type: TypeAlias = NamedType | RangeType | ArrayType
