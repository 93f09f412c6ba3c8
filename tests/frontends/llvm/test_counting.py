"""Intrinsics on bits: for all numbers of eight bits they are what the definitions say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sa.frontends.llvm.counting import joined, of_bits, overflow, saturated
from sa.frontends.llvm.values import as_canonical
from sa.terms import build
from sa.terms.build import integer
from sa.terms.term import Term

ALL = range(256)
SOME = (*range(0, 256, 23), 1, 127, 128, 255)


def number(value: int) -> Term:
    """The value of `i8` with these bits."""
    return integer(as_canonical(value, 8))


def signed(value: int) -> int:
    """The bits as a signed number."""
    return value - 256 if value > 127 else value


COUNTS: dict[str, Callable[[int], int]] = {
    "ctpop": lambda x: bin(x).count("1"),
    "ctlz": lambda x: 8 - x.bit_length(),
    "cttz": lambda x: 8 if x == 0 else (x & -x).bit_length() - 1,
    "bitreverse": lambda x: int(f"{x:08b}"[::-1], 2),
}


@pytest.mark.parametrize("op", COUNTS)
def test_counts_are_those_of_the_bits(op: str) -> None:
    assert [of_bits(op, number(x), 8, {}) for x in ALL] == [number(COUNTS[op](x)) for x in ALL]


def test_bytes_are_swapped() -> None:
    for x in (0x0102, 0xFF00, 0x80FF):
        swapped = int.from_bytes(x.to_bytes(2, "big"), "little")
        assert of_bits("bswap", integer(as_canonical(x, 16)), 16, {}) is integer(as_canonical(swapped, 16))


EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}


@pytest.mark.parametrize("op", [f"{sign}{op}" for sign in "su" for op in EXACT])
def test_what_overflows_wraps_around_or_saturates(op: str) -> None:
    least, most = (-128, 127) if op[0] == "s" else (0, 255)
    for x in SOME:
        for y in SOME:
            a, b = (signed(x), signed(y)) if op[0] == "s" else (x, y)
            exact = EXACT[op[1:]](a, b)
            value, wrong = overflow(op, number(x), number(y), 8, {})
            assert (value, wrong) == (number(exact % 256), build.boolean(not least <= exact <= most))
            if op[1:] != "mul":
                found = saturated(f"{op}.sat", number(x), number(y), 8, {})
                assert found is number(min(max(exact, least), most) % 256)


def test_a_funnel_shift_takes_bits_of_both() -> None:
    for count in range(10):
        for x in SOME:
            both = (x << 8) | 0b10110101
            left = (both << (count % 8)) >> 8 & 255
            right = (both >> (count % 8)) & 255
            parts = number(x), number(0b10110101)
            assert joined(f"fshl {count}", *parts, 8, {}) is number(left)
            assert joined(f"fshr {count}", *parts, 8, {}) is number(right)
