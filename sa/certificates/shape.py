"""Reading untrusted JSON: every access says what it expects, and where it did not find it."""

from __future__ import annotations

import zlib
from base64 import b85decode
from collections.abc import Iterator
from enum import Enum
from typing import Any, TypeAlias, TypeVar, assert_never

from msgspec import Struct

from sa.terms.read_smtlib import Names, Unreadable, read_smtlib
from sa.terms.sort import (
    ArraySort,
    ArrayValue,
    BoolSort,
    EnumSort,
    IntSort,
    Sort,
    Value,
    array_value,
    number,
    without_elements,
)
from sa.terms.term import Term

Json: TypeAlias = dict[str, Any]
#: A compressed text may not stand for more bytes.
_MAX_BYTES = 4_000_000_000
E = TypeVar("E", bound=Enum)


class Malformed(Exception):
    """The certificate is not written as one: where and why."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where = where
        self.why = why


class Entry(Struct, frozen=True):
    """A part of a document and its place in it. All methods raise Malformed."""

    value: object
    where: str = "the certificate"

    def wrong(self, why: str) -> Malformed:
        """What to raise about this part."""
        return Malformed(self.where, why)

    def fields(self, *names: str) -> tuple[Entry, ...]:
        """The values of an object that has exactly these fields."""
        if not isinstance(self.value, dict) or set(self.value) != set(names):
            raise self.wrong(f"an object with {', '.join(names)} is expected")
        return tuple(Entry(self.value[n], f"{self.where}.{n}") for n in names)

    def has(self, name: str) -> bool:
        """Whether this is an object with such a field."""
        return isinstance(self.value, dict) and name in self.value

    def only(self) -> tuple[str, Entry]:
        """The one field of an object, which tells what kind of thing it is."""
        if not isinstance(self.value, dict) or len(self.value) != 1:
            raise self.wrong("an object with one field is expected")
        ((name, value),) = self.value.items()
        return name, Entry(value, f"{self.where}.{name}")

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """The fields of an object, whatever their names."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object is expected")
        return ((n, Entry(x, f"{self.where}.{n}")) for n, x in self.value.items())

    def items(self) -> list[Entry]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list is expected")
        return [Entry(x, f"{self.where}[{i}]") for i, x in enumerate(self.value)]

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            raise self.wrong("a text is expected")
        return self.value

    def flag(self) -> bool:
        """`true` or `false`."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false is expected")
        return self.value

    def number(self) -> int:
        """An integer."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.wrong("an integer is expected")
        return self.value

    def index(self, size: int) -> int:
        """A place in something that has so many."""
        number = self.number()
        if not 0 <= number < size:
            raise self.wrong(f"{number} is not one of {size}, counted from 0")
        return number

    def choice(self, kind: type[E]) -> E:
        """A member of an enumeration, by its name in small letters."""
        for member in kind:
            if self.value == member.name.lower():
                return member
        raise self.wrong(f"one of {', '.join(m.name.lower() for m in kind)} is expected")

    def term(self, names: Names) -> Term:
        """A term as SMT-LIB text."""
        try:
            return read_smtlib(self.text(), names)
        except Unreadable as problem:
            raise self.wrong(str(problem)) from None

    def of_sort(self, sort: Sort) -> Value:
        """A plain value: true, 7, or the name of a constructor."""
        match sort:
            case BoolSort():
                return self.flag()
            case IntSort():
                return self.number()
            case EnumSort(name, constructors):
                if self.value not in constructors:
                    raise self.wrong(f"a value of {name} is expected")
                return constructors.index(self.text())
            case ArraySort(index, element):
                default, entries = self.fields("default", "entries")
                rows = [row.items() for row in entries.items()]
                if any(len(row) != 2 for row in rows):
                    raise self.wrong("pairs of an index and an element are expected")
                found = {without_elements(at.of_sort(index)): x.of_sort(element) for at, x in rows}
                return array_value(sort, default.of_sort(element), found)
            case _:
                assert_never(sort)


def plain(value: Value, sort: Sort) -> bool | int | str | Json:
    """A value as JSON has it."""
    match sort:
        case IntSort():
            return number(value)
        case BoolSort():
            return bool(value)
        case EnumSort(_, constructors):
            return constructors[number(value)]
        case ArraySort(index, element):
            assert isinstance(value, ArrayValue)
            entries = [[plain(i, index), plain(x, element)] for i, x in value.entries]
            return {"default": plain(value.default, element), "entries": entries}
        case _:
            assert_never(sort)


def unpacked(entry: Entry, size: int) -> bytes:
    """Numbers of so many bytes each that were compressed into one text: base 85 of zlib. Raises Malformed."""
    try:
        unpacking = zlib.decompressobj()
        written = unpacking.decompress(b85decode(entry.text()), _MAX_BYTES)
    except (ValueError, zlib.error):
        raise entry.wrong("this is no compressed text") from None
    if not unpacking.eof or len(written) % size:
        raise entry.wrong(f"numbers of {size} bytes are expected")
    return written
