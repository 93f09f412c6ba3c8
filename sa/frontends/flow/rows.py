"""Elements of columns: what they are at first, what is read of them and what they become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sa.frontends.flow.graph import Cell
from sa.frontends.flow.layout import Column, element
from sa.frontends.flow.naming import ARRAY
from sa.terms import build
from sa.terms.term import Term


def filled(initials: Sequence[Term | None]) -> Term:
    """The array with these elements; beyond the end it has the most frequent one."""
    terms = [build.ZERO if t is None else t for t in initials]
    usual = Counter(terms).most_common(1)[0][0]
    array: Term = build.constant_array(ARRAY, usual)
    for index, term in enumerate(terms):
        array = build.store(array, build.integer(index), term)
    return array


def chosen(array: Term, index: Term, cell: Cell) -> Term:
    """An element. Where the first ones are arbitrary any number stands for the one of its type."""
    found = build.select(array, index)
    low, high = cell.range.low, cell.range.high
    if cell.initial is not None or low is None or high is None:
        return found
    within = build.mod(build.sub(found, build.integer(low)), high - low + 1)
    return build.add(within, build.integer(low))


def changed(array: Term, address: Term, here: Term, value: Term, column: Column | None) -> Term:
    """A cell, or a column with one element changed, behind a store that is about it where `here` holds."""
    if column is None:
        return build.ite(here, value, array)
    index = element(address, column)
    return build.store(array, index, build.ite(here, value, build.select(array, index)))
