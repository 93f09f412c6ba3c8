"""Sorts of terms. Ranges are not sorts: a range restricts a variable of sort int."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sort:
    """`int` (mathematical), `bool`, or an enumeration with its constructors in order."""

    name: str
    constructors: tuple[str, ...] = ()


INT = Sort("int")
BOOL = Sort("bool")

#: A value of a term: an enumeration's value is the index of its constructor.
Value = int | bool


def default_value(sort: Sort) -> Value:
    """Some value of the sort, for variables of which nothing is said."""
    return False if sort == BOOL else 0


def show_value(value: Value, sort: Sort) -> str:
    """A value as the language writes it."""
    if sort.constructors:
        return sort.constructors[int(value)]
    if sort == BOOL:
        return "true" if value else "false"
    return str(value)
