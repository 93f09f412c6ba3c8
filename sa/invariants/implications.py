"""Clauses over words that no state has broken so far: what else is the case where one word is, or two are.

A state of the solver that should not be reachable is excluded by such a clause, if there is one. None is written down
before it is needed: with a few hundred words there are many thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import TypeAlias

from msgspec import Struct

from sa.invariants.features import Seen, Word
from sa.terms import build
from sa.terms.sort import Value
from sa.terms.term import Term


class Arc(Struct, frozen=True):
    """Where all these words are the case, the feature has one of the values."""

    words: tuple[Word, ...]
    feature: int
    values: frozenset[Value]

    def holds(self, words: Sequence[Value]) -> bool:
        """Whether it holds in a state with these words."""
        return words[self.feature] in self.values or any(words[f] != x for f, x in self.words)


#: Words of a clause at most, and groups of words that are looked at for one of more than three.
LONGEST, GROUPS = 5, 5_000

#: How likely a clause is to be of use: the first ones come first.
Rank: TypeAlias = tuple[int, int, int]


def written(arc: Arc, seen: Seen) -> Term:
    """The clause as a formula."""
    says = seen.features[arc.feature].says
    here = build.land(*(seen.features[f].says(x) for f, x in arc.words))
    return build.implies(here, build.lor(*(says(x) for x in sorted(arc.values, key=repr))))


def excluding(seen: Seen, words: Sequence[Value], relevant: frozenset[int], most: int) -> list[Arc]:
    """Clauses that a state with these words breaks, the shortest that there are, those that say most first."""
    with_them = [seen.with_word[f].get(x, 0) for f, x in enumerate(words)]
    never = [f for f, states in enumerate(with_them) if not states]
    if never:
        everywhere = (1 << seen.count) - 1
        return [Arc((), f, seen.among(everywhere, f)) for f in never]
    for size in range(2, LONGEST + 1):
        if size > 3 and comb(len(words), size) > GROUPS:
            break
        groups = _strangers(with_them, size, (1 << seen.count) - 1)
        if ranked := sorted(_ranked(seen, words, with_them, relevant, groups), key=lambda r: r[0]):
            return [arc for _, arc in ranked[:most]]
    return []


def _strangers(with_them: Sequence[int], size: int, states: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """Groups of features of that size whose values never came together among some states."""
    if size == 1:
        yield from ((f,) for f in range(first, len(with_them)) if not states & with_them[f])
        return
    for f in range(first, len(with_them) - size + 1):
        yield from ((f, *others) for others in _strangers(with_them, size - 1, states & with_them[f], f + 1))


def _ranked(
    seen: Seen,
    words: Sequence[Value],
    with_them: Sequence[int],
    relevant: frozenset[int],
    found: Iterator[tuple[int, ...]],
) -> Iterator[tuple[Rank, Arc]]:
    """For each choice of features the clause about them that leaves fewest values to one of them."""
    for features in found:
        options = list[tuple[Rank, Arc]]()
        strange = sum(f not in relevant for f in features)
        for feature in features:
            others = tuple(f for f in features if f != feature)
            states = with_them[others[0]]
            for f in others[1:]:
                states &= with_them[f]
            values = seen.among(states, feature)
            arc = Arc(tuple((f, words[f]) for f in others), feature, values)
            options.append(((strange, len(values), -states.bit_count()), arc))
        yield min(options, key=lambda o: o[0])
