"""Cells seen through the type of the other signedness (C11 6.5): the same bits, another number."""

from __future__ import annotations

from sa.terms import build
from sa.terms.term import Term

_UNSIGNED = "u"


def kin(one: str, other: str) -> bool:
    """Whether accesses by the first type meet cells of the other one."""
    return one.removeprefix(_UNSIGNED) == other.removeprefix(_UNSIGNED)


def seen_as(term: Term, stored: str, wanted: str) -> Term:
    """The number that the bits of a value of the one type are in the other."""
    if stored == wanted:
        return term
    bits = int(wanted.removeprefix(_UNSIGNED).removeprefix("int"))
    size = build.integer(2**bits)
    if wanted.startswith(_UNSIGNED):
        return build.ite(build.le(build.ZERO, term), term, build.add(term, size))
    return build.ite(build.le(term, build.integer(2 ** (bits - 1) - 1)), term, build.sub(term, size))


def seen_number(value: int, stored: str, wanted: str) -> int:
    """The same of a number."""
    if stored == wanted:
        return value
    bits = int(wanted.removeprefix(_UNSIGNED).removeprefix("int"))
    if wanted.startswith(_UNSIGNED):
        return value if value >= 0 else value + 2**bits
    return value if value < 2 ** (bits - 1) else value - 2**bits
