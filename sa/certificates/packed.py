"""Many packed states: rising numbers in one array.

Nothing here needs numpy but `written` and `read_rising`: loading it takes as long as a small proof.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator
from importlib.util import find_spec

#: In so many bytes each number is written at most.
WIDEST = 8

#: Whether there is numpy; otherwise nobody makes such arrays.
HAS_NUMPY = find_spec("numpy") is not None


class Rising(Collection[int]):
    """A set of numbers of 64 bits with a sign, as an array of type `q` that whoever makes it gives in rising order."""

    def __init__(self, numbers: array[int]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __contains__(self, number: object) -> bool:
        place = bisect_left(self.numbers, number) if isinstance(number, int) else len(self.numbers)
        return place < len(self.numbers) and self.numbers[place] == number

    def written(self, size: int) -> bytes:
        """The numbers, which are not negative, in so many bytes each, the highest first."""
        import numpy as np

        wide = np.frombuffer(self.numbers, np.int64).astype(">i8").view(np.uint8).reshape(-1, WIDEST)
        text: bytes = wide[:, WIDEST - size :].tobytes()
        return text


def read_rising(written: bytes, size: int) -> Rising:
    """Numbers as `Rising.written` writes them; whether they rise is not looked at."""
    import numpy as np

    wide = np.zeros((len(written) // size, WIDEST), np.uint8)
    wide[:, WIDEST - size :] = np.frombuffer(written, np.uint8).reshape(-1, size)
    return Rising(array("q", wide.view(">i8").astype(np.int64).tobytes()))
