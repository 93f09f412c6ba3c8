"""Numbers that tell where something is in an array, and how they may be to each other.

Whoever has a place of its own there is not disturbed: a version that is not yet published, a slot that was reserved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.terms import build
from sa.terms.cases import branches
from sa.terms.sort import BOOL, INT, ArraySort
from sa.terms.substitute import substitute
from sa.terms.term import Call, Forall, Select, Store, Term, Var, array_sort_of, sort_of, subterms

#: Numbers that are compared at most.
COMPARED = 10

#: The index of what holds of all elements.
EVERYWHERE = build.variable("j@everywhere", INT)


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
    chosen = {c.var for e in edges for c in e.choices}
    return tuple(sorted((v for v in found if v not in chosen), key=lambda v: v.key))


def apart_from_others(threads: Sequence[Automaton]) -> Iterator[Term]:
    """That two places differ, and that one of them comes before the other."""
    places = indices_of(threads)
    if len(places) <= COMPARED:
        for one, other in combinations(places, 2):
            yield from (build.ne(one, other), build.lt(one, other), build.lt(other, one), build.le(one, other))
            yield build.le(other, one)


def at_own_places(thread: Automaton, owned: frozenset[Var], of_all: Sequence[Term]) -> Iterator[Term]:
    """What holds of all elements, of those that a thread reads or writes at its own places; that a flag which it has
    read as true is true; and that elements there are what it knows. Nobody else writes what is `owned`.
    """
    values = [(v, t) for e in thread.edges for v, t in e.updates]
    reached = tuple(subterms((*(t for _, t in values), *(e.guard for e in thread.edges))))
    reads = [t for t in reached if isinstance(t, Select) and t.index in owned]
    yield from (build.implies(v, t) for v, t in values if v in owned and t in reads and v.sort == BOOL)
    shared, known = variables_of(thread, Kind.GLOBAL), variables_of(thread, Kind.LOCAL)
    for place in dict.fromkeys(t.index for t in reached if isinstance(t, Select | Store) and t.index in owned):
        yield from (substitute(f.body, {EVERYWHERE: place}) for f in of_all if isinstance(f, Forall))
        elements = [build.select(a, place) for a in shared if isinstance(a.sort, ArraySort) and a.sort.index == INT]
        yield from (e for e in elements if sort_of(e) == BOOL)
        yield from (build.eq(e, v) for e in elements for v in known if v.sort == sort_of(e) and v is not place)


def everywhere(threads: Sequence[Automaton], shared: Sequence[Var]) -> Iterator[Term]:
    """What may hold of all elements: that those of two arrays are equal, or that one has what a function without a
    body says of the index, while a flag is up there or always; and that flags are up before a place only.
    """
    index = EVERYWHERE
    arrays = [v for v in shared if isinstance(v.sort, ArraySort) and v.sort.index == INT]
    flags = [build.select(v, index) for v in arrays if array_sort_of(v).element == BOOL]
    terms = (t for a in threads for e in a.edges for t in (e.guard, *(value for _, value in e.updates)))
    calls = (t for t in subterms(terms) if isinstance(t, Call) and len(t.arguments) == 1)
    results = [build.call(f, (index,)) for f in dict.fromkeys(c.function for c in calls) if f.arguments[0] == INT]
    elements = [build.select(v, index) for v in arrays]
    pairs = (*combinations(elements, 2), *product(elements, results))
    equal = [build.eq(one, other) for one, other in pairs if sort_of(one) == sort_of(other)]
    for formula in equal:
        for flag in (build.TRUE, *(f for f in flags if f.free.isdisjoint(formula.free - {index}))):
            yield build.forall((index,), build.implies(flag, formula))
    ends = (v for v in indices_of(threads) if v in shared)
    yield from (build.forall((index,), build.implies(flag, build.lt(index, end))) for end in ends for flag in flags)
