"""A state that was never seen is excluded by what its words have not had together, and one that was seen by nothing."""

from __future__ import annotations

from itertools import product

from sa.invariants.features import Feature, Seen
from sa.invariants.implications import Arc, excluding, written
from sa.terms.build import lnot, lor, variable
from sa.terms.sort import BOOL
from sa.terms.term import Term, Var

NAMES = tuple(variable(n, BOOL) for n in ("a", "b", "c"))


def _feature(number: int, var: Var) -> Feature:
    def says(value: object) -> Term:
        return var if value else lnot(var)

    return Feature(frozenset((var,)), lambda row: row[number], says, var)


def seen(*rows: tuple[bool, ...]) -> Seen:
    """What was seen of three flags."""
    made = Seen(tuple(_feature(n, v) for n, v in enumerate(NAMES)))
    made.look(rows)
    return made


def test_two_words_that_were_never_together() -> None:
    flags = seen((False, False, False), (True, False, True), (False, True, True))
    (arc,) = excluding(flags, (True, True, True), frozenset((0, 1)), 1)
    assert {f for f, _ in arc.words} | {arc.feature} == {0, 1}
    assert written(arc, flags) is lor(lnot(NAMES[0]), lnot(NAMES[1]))
    assert not arc.holds((True, True, False)) and arc.holds((True, False, False))


def test_a_value_that_was_never_seen() -> None:
    assert excluding(seen((True, True, True)), (False, True, True), frozenset(), 1) == [Arc((), 0, frozenset((True,)))]


def test_exactly_what_was_not_seen_is_excluded() -> None:
    every = tuple(product((False, True), repeat=3))
    for chosen in product((False, True), repeat=len(every)):
        rows = [row for row, is_seen in zip(every, chosen, strict=True) if is_seen]
        if rows:
            known = seen(*rows)
            for row in every:
                found = excluding(known, row, frozenset(), 9)
                assert bool(found) == (row not in rows)
                assert all(not arc.holds(row) and all(map(arc.holds, rows)) for arc in found)
