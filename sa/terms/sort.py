"""Sorts of terms. Ranges are not sorts: a range restricts a variable of sort int.

`Sort` is a closed union. Whoever takes sorts apart ends in `assert_never`, so that the type checker names each place
that a new sort concerns; what such a place cannot handle raises `base.limits.Unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class IntSort:
    """The integers, without bounds."""

    name: ClassVar[str] = "int"


@dataclass(frozen=True, slots=True)
class BoolSort:
    """The two truth values."""

    name: ClassVar[str] = "bool"


@dataclass(frozen=True, slots=True)
class EnumSort:
    """An enumeration with its constructors in order."""

    name: str
    constructors: tuple[str, ...]


Sort: TypeAlias = IntSort | BoolSort | EnumSort

INT = IntSort()
BOOL = BoolSort()

#: A value of a term: an enumeration's value is the index of its constructor.
Value: TypeAlias = int | bool


def finite_values(sort: Sort) -> Sequence[Value] | None:
    """All values of the sort in their order, None for infinitely many."""
    match sort:
        case IntSort():
            return None
        case BoolSort():
            return (False, True)
        case EnumSort(_, constructors):
            return range(len(constructors))
        case _:
            assert_never(sort)


def is_value(value: object, sort: Sort) -> bool:
    """Whether this is a value of the sort; `True` is no integer here."""
    match sort:
        case IntSort():
            return type(value) is int
        case BoolSort():
            return type(value) is bool
        case EnumSort(_, constructors):
            return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(constructors)
        case _:
            assert_never(sort)


def enumerations(sorts: Iterable[Sort]) -> Iterator[EnumSort]:
    """The enumerations that occur in some sorts, in order, as often as they do."""
    for sort in sorts:
        match sort:
            case EnumSort():
                yield sort
            case IntSort() | BoolSort():
                pass
            case _:
                assert_never(sort)


def default_value(sort: Sort) -> Value:
    """Some value of the sort, for variables of which nothing is said."""
    match sort:
        case BoolSort():
            return False
        case IntSort() | EnumSort():
            return 0
        case _:
            assert_never(sort)


def show_value(value: Value, sort: Sort) -> str:
    """A value as the language writes it."""
    match sort:
        case IntSort():
            return str(value)
        case BoolSort():
            return "true" if value else "false"
        case EnumSort(_, constructors):
            return constructors[int(value)]
        case _:
            assert_never(sort)
