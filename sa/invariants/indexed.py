"""Numbers that tell where something is in an array, and how they may be to each other.

Whoever has a place of its own there is not disturbed: a version that is not yet published, a slot that was reserved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from sa.automata.automaton import Automaton
from sa.terms import build
from sa.terms.cases import branches
from sa.terms.sort import INT
from sa.terms.term import Select, Store, Term, Var, subterms

#: Numbers that are compared at most.
COMPARED = 10


def indices_of(threads: Sequence[Automaton]) -> tuple[Var, ...]:
    """Variables by which arrays are read or written, and those that they get their values from or give them to."""
    edges = [e for t in threads for e in t.edges]
    terms = [t for e in edges for t in (e.guard, *(v for _, v in e.updates), *(e.label.values if e.label else ()))]
    reached = (t.index for t in subterms(terms) if isinstance(t, Select | Store))
    found = dict.fromkeys(v for i in reached for v in i.free if v.sort == INT)
    copied = [(v, t) for e in edges for v, value in e.updates for t in branches(value) if isinstance(t, Var)]
    for _ in copied:
        more = {w: None for pair in copied for v, w in (pair, pair[::-1]) if v in found and w not in found}
        if not more:
            break
        found.update(more)
    return tuple(sorted(found, key=lambda v: v.key))


def apart_from_others(threads: Sequence[Automaton]) -> Iterator[Term]:
    """That two places differ, and that one of them comes before the other."""
    places = indices_of(threads)
    if len(places) <= COMPARED:
        for one, other in combinations(places, 2):
            yield from (build.ne(one, other), build.lt(one, other), build.lt(other, one), build.le(one, other))
            yield build.le(other, one)
