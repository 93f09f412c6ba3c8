"""Objects as the scalars that accesses may be of."""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from sa.frontends.llvm.layout import Place, Scalar


class Shape(Struct, frozen=True):
    """The scalars of an object, and its size in bytes. What follows a pointer to it takes it to be aligned so."""

    scalars: tuple[Scalar, ...]
    size: int
    align: int = 1


class Touched(Struct, frozen=True):
    """The scalars that an access may be of: the first one, and how many scalars and indices it is to the next ones."""

    first: int
    count: int
    step: int
    least: int


def touched(place: Place, bits: int, shape: Shape) -> Touched | None:
    """The scalars that an access may be of; None where it may be of a part of one, or of several.

    There are none where it is never within the object.
    """
    numbers = {scalar.offset: n for n, scalar in enumerate(shape.scalars) if scalar.bits == bits}
    last = shape.size - bits // 8
    if place.index is None:
        if not 0 <= place.offset <= last:
            return Touched(0, 0, 0, 0)
        return Touched(numbers[place.offset], 1, 0, 0) if place.offset in numbers else None
    if place.stride <= 0:
        return None
    least, most = -(place.offset // place.stride), (last - place.offset) // place.stride
    meant = [numbers.get(place.offset + j * place.stride) for j in range(least, most + 1)]
    if None in meant or not meant:
        return None if meant else Touched(0, 0, 0, 0)
    found = [n for n in meant if n is not None]
    steps = {two - one for one, two in pairwise(found)}
    return Touched(found[0], len(found), steps.pop() if steps else 1, least) if len(steps) < 2 else None
