"""Which candidates follow from which others at sight: these need not be assumed beside them, nor asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from sa.terms import build
from sa.terms.term import IsZero, Le, Not, Or, Term

#: By formula those from each of which it follows.
Stronger: TypeAlias = Mapping[Term, tuple[Term, ...]]


def stronger(formulas: Collection[Term]) -> dict[Term, tuple[Term, ...]]:
    """Of formulas that follow from others among them, which these are."""
    every = frozenset(formulas)
    found = ((f, tuple(s for s in _implying(f) if s in every)) for f in every)
    return {f: some for f, some in found if some}


def strongest(formulas: Collection[Term], known: Stronger) -> tuple[Term, ...]:
    """The formulas without those that follow from another one of them."""
    every = frozenset(formulas)
    return tuple(f for f in formulas if every.isdisjoint(known.get(f, ())))


def _implying(formula: Term) -> Iterator[Term]:
    """Formulas that imply another one, and are not implied by it."""
    match formula:
        case Or(args):
            yield from args
        case Le(total):
            yield build.is_zero(total)
            yield build.at_most_zero(build.add(total, build.ONE))
        case Not(IsZero(total)):
            yield build.at_most_zero(build.add(total, build.ONE))
            yield build.at_most_zero(build.sub(build.ONE, total))
        case _:
            pass
