"""Which candidates follow from which others at sight: these need not be assumed beside them, nor asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from sa.terms import build
from sa.terms.term import IsZero, Le, Not, Or, Term

#: By formula those from each of which it follows.
Stronger: TypeAlias = Mapping[Term, tuple[Term, ...]]


def stronger(groups: Iterable[Collection[Term]]) -> list[Stronger]:
    """Of each group the formulas that follow from others in it, with these.

    What implies a formula does not depend on its group, and is made once for all of them.
    """
    sets = [frozenset(g) for g in groups]
    implying = {f: some for f in frozenset().union(*sets) if (some := tuple(_implying(f)))}
    return [_among(group, implying) for group in sets]


def _among(group: frozenset[Term], implying: Stronger) -> Stronger:
    found = ((f, tuple(s for s in implying[f] if s in group)) for f in group if f in implying)
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
