"""Sorts of terms. Ranges are not sorts: a range restricts a variable of sort int.

`Sort` is a closed union. Whoever takes sorts apart ends in `assert_never`, so that the type checker names each place
that a new sort concerns; what such a place cannot handle raises `base.limits.Unsupported`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, TypeAlias, assert_never

from msgspec import Struct

from sa.base.limits import Unsupported


class IntSort(Struct, frozen=True):
    """The integers, without bounds."""

    name: ClassVar[str] = "int"


class BoolSort(Struct, frozen=True):
    """The two truth values."""

    name: ClassVar[str] = "bool"


class EnumSort(Struct, frozen=True):
    """An enumeration with its constructors in order."""

    name: str
    constructors: tuple[str, ...]

    def __hash__(self) -> int:
        # Each term of the sort is looked up by it, and there may be thousands of constructors.
        return hash((self.name, len(self.constructors)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, EnumSort):
            return NotImplemented
        return self.name == other.name and self.constructors == other.constructors


class ArraySort(Struct, frozen=True):
    """Total functions from one sort to another. Raises Unsupported for an index that is itself an array."""

    index: Sort
    element: Sort

    def __post_init__(self) -> None:
        if isinstance(self.index, ArraySort):
            raise Unsupported("an array indexed by arrays")

    @property
    def name(self) -> str:
        """How the language calls it."""
        return f"{self.element.name}[*]" if self.index == INT else f"[{self.index.name}]{self.element.name}"


Sort: TypeAlias = IntSort | BoolSort | EnumSort | ArraySort

INT = IntSort()
BOOL = BoolSort()


#: A value of a sort without elements: an enumeration's value is the index of its constructor.
Plain: TypeAlias = int | bool


class ArrayValue(Struct, frozen=True):
    """A value of an array sort: `default` but for finitely many `entries`, in ascending order of their indices.

    `array_value` and `stored` make them in a normal form, so that equal arrays are equal values. `indices` are all
    indices where there are finitely many.
    """

    default: Value
    entries: tuple[tuple[Plain, Value], ...] = ()
    indices: Sequence[Plain] | None = None

    def __getitem__(self, index: Plain) -> Value:
        return next((x for i, x in self.entries if i == index), self.default)


#: A value of a term.
Value: TypeAlias = Plain | ArrayValue


def array_value(sort: ArraySort, default: Value, entries: Mapping[Plain, Value]) -> ArrayValue:
    """The array of this sort with these entries, and `default` everywhere else."""
    return _normal(default, dict(entries), finite_values(sort.index))


def stored(array: ArrayValue, index: Plain, value: Value) -> ArrayValue:
    """The array with another value at an index."""
    return _normal(array.default, {**dict(array.entries), index: value}, array.indices)


def _normal(default: Value, entries: dict[Plain, Value], indices: Sequence[Plain] | None) -> ArrayValue:
    if indices is not None and 2 * len(entries) >= len(indices):
        # The most frequent element is the default; the first index decides between equally frequent ones.
        elements = [entries.get(i, default) for i in indices]
        counts = Counter(elements)
        entries, default = dict(zip(indices, elements, strict=True)), max(elements, key=lambda x: counts[x])
    return ArrayValue(default, tuple(sorted((i, x) for i, x in entries.items() if x != default)), indices)


def without_elements(value: Value) -> Plain:
    """A value that is no array. Raises Unsupported for an array."""
    if isinstance(value, ArrayValue):
        raise Unsupported("an array where a number is needed")
    return value


def number(value: Value) -> int:
    """The number that stands for a value: 0 and 1 for truth values. Raises Unsupported for an array."""
    return int(without_elements(value))


#: Bits of the longest integer that is computed with: squares of squares outgrow any memory.
LONGEST = 2**18


def not_too_long(value: int) -> int:
    """The integer. Raises Unsupported for one of more than some 80,000 digits."""
    if value.bit_length() > LONGEST:
        raise Unsupported("a number with too many digits")
    return value


def finite_values(sort: Sort) -> Sequence[Plain] | None:
    """All values of the sort in their order; None for infinitely many, and for arrays."""
    match sort:
        case IntSort() | ArraySort():
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
        case ArraySort(index, element):
            return (
                isinstance(value, ArrayValue)
                and all(is_value(x, element) for x in (value.default, *(x for _, x in value.entries)))
                and all(is_value(i, index) for i, _ in value.entries)
                and value == array_value(sort, value.default, dict(value.entries))
            )
        case _:
            assert_never(sort)


def enumerations(sorts: Iterable[Sort]) -> Iterator[EnumSort]:
    """The enumerations that occur in some sorts, in order, as often as they do."""
    for sort in sorts:
        match sort:
            case EnumSort():
                yield sort
            case ArraySort(index, element):
                yield from enumerations((index, element))
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
        case ArraySort(_, element):
            return array_value(sort, default_value(element), {})
        case _:
            assert_never(sort)


def show_value(value: Value, sort: Sort) -> str:
    """A value as the language writes it; an array as `{0: 5, 3: 7, else 0}`."""
    match sort:
        case IntSort():
            return str(value)
        case BoolSort():
            return "true" if value else "false"
        case EnumSort(_, constructors):
            return constructors[number(value)]
        case ArraySort(index, element):
            assert isinstance(value, ArrayValue)
            entries = (f"{show_value(i, index)}: {show_value(x, element)}" for i, x in value.entries)
            return f"{{{', '.join((*entries, f'else {show_value(value.default, element)}'))}}}"
        case _:
            assert_never(sort)
