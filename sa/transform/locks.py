"""Locks by their shape: shared numbers with a free value, which is waited for before another constant is assigned.

Reductions do not rest on this: movers are found by what steps do. Whoever reads about a reduction wants to know which
locks are held where.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sa.automata.automaton import Automaton, Edge, Kind
from sa.terms import build
from sa.terms.term import Int, Term, Var
from sa.transform.facts import Facts, ThreadPlace, simplified


def locks_of(threads: Sequence[Automaton]) -> Mapping[Var, Term]:
    """The locks, each with its free value, which all begin with.

    Each step that writes one assigns the free value, or waits for it and assigns another constant; both occur.
    """
    start = frozenset(f for t in threads for f in build.conjuncts(t.init))
    shared = dict.fromkeys(v.var for t in threads for v in t.variables if v.kind is Kind.GLOBAL)
    writes = {v: [(e, dict(e.updates)[v]) for t in threads for e in t.edges if v in dict(e.updates)] for v in shared}
    found = dict[Var, Term]()
    for var, steps in writes.items():
        free = next((c for c in _constants(steps) if build.eq(var, c) in start and _is_lock(var, c, steps)), None)
        if free is not None:
            found[var] = free
    return found


def _constants(steps: Sequence[tuple[Edge, Term]]) -> Iterator[Term]:
    return iter(dict.fromkeys(value for _, value in steps if isinstance(value, Int)))


def _is_lock(var: Var, free: Term, steps: Sequence[tuple[Edge, Term]]) -> bool:
    taken = [(e, value) for e, value in steps if value is not free]
    is_free = build.eq(var, free)
    acquired = all(isinstance(value, Int) and is_free in build.conjuncts(e.guard) for e, value in taken)
    return acquired and 0 < len(taken) < len(steps)


def held(facts: Facts, locks: Mapping[Var, Term], spot: ThreadPlace) -> tuple[Var, ...]:
    """The locks that a thread holds at a location: there it is known that they are not free."""
    here = facts.true[spot[0]].get(spot[1], ())
    return tuple(v for v, free in locks.items() if simplified((*here, build.eq(v, free))) is None)
