"""Many packed states in one array: the same set, and written as they would be one by one."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from sa.certificates.packed import Rising, read_rising

pytest.importorskip("numpy")


def test_an_array_is_the_set_of_its_numbers() -> None:
    numbers = sorted(Random(1).sample(range(1 << 55), 300))
    rising = Rising(array("q", numbers))
    assert list(rising) == numbers
    assert all(x in rising and x + 1 not in rising for x in numbers)
    assert 0 not in Rising(array("q"))


@pytest.mark.parametrize("size", range(1, 9))
def test_what_is_written_is_read_again(size: int) -> None:
    numbers = sorted({Random(i).randrange(1 << min(8 * size, 62)) for i in range(200)})
    written = Rising(array("q", numbers)).written(size)
    assert written == b"".join(x.to_bytes(size, "big") for x in numbers)
    assert list(read_rising(written, size)) == numbers
