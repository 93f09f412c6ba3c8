"""Many packed states: columns of words, which numpy takes as they are.

Word k of a state are its bits from 62·k on. numpy, which takes as long to load as a small proof, is not needed here.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice

#: How many bits of a state are in a word; the numbers of a column are not negative.
WORD = 62
ONES = (1 << WORD) - 1

#: Whether there is numpy; otherwise nobody makes such columns.
HAS_NUMPY = find_spec("numpy") is not None

_AT_ONCE = 4_096


class Columns(Collection[int]):
    """A set of packed states, one or more words each: in arrays of type `q`, all of the same length."""

    def __init__(self, words: tuple[array[int], ...]) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words[0])

    def __iter__(self) -> Iterator[int]:
        if len(self.words) == 1:
            return iter(self.words[0])
        return map(_joined, zip(*self.words, strict=True))

    def __contains__(self, state: object) -> bool:
        return any(state == s for s in self)


def _joined(words: tuple[int, ...]) -> int:
    return sum(word << WORD * k for k, word in enumerate(words))


def words_of(state: int, count: int) -> tuple[int, ...]:
    """A state as so many words."""
    return tuple(state >> WORD * k & ONES for k in range(count))


def columns(states: Iterable[int], count: int) -> Columns:
    """States as columns of so many words."""
    made = tuple(array("q") for _ in range(count))
    waiting = iter(states)
    while part := list(islice(waiting, _AT_ONCE)):
        for k, column in enumerate(made):
            column.extend([state >> WORD * k & ONES for state in part])
    return Columns(made)
