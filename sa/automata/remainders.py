"""Remainders of counters as variables of their own: for boxes, and as part of locations.

A sequence lock counts by one, and readers ask whether the number is even. Boxes cannot say that of the number. So the
remainder of a number by a small constant, where some step asks for it, becomes a variable with few values that every
step keeps up to date. What is found is said of the number itself again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.automata.ranges import is_large
from sa.terms import build
from sa.terms.name import staged
from sa.terms.remainders import Remainder, asked, first, remainder_of, replaced
from sa.terms.sort import INT
from sa.terms.term import Term, Var

#: Remainders by constants up to this one, and of so many numbers.
DIVISOR, NUMBERS = 8, 6


def with_remainders(threads: tuple[Automaton, ...]) -> tuple[tuple[Automaton, ...], Mapping[Var, Term]]:
    """The `apart` threads with the remainders that they ask for as variables, and what each of these is.

    The threads are as they were where they ask for none, or for too many.
    """
    formulas = [f for t in threads for f in _formulas(t)]
    # Numbers with few values are told apart anyway.
    numbers = frozenset(v.var for t in threads for v in t.variables if is_large(v))
    values = [update for t in threads for e in t.edges for update in e.updates]
    found = asked(formulas, values, numbers, DIVISOR, NUMBERS)
    if not found or len(found) > NUMBERS:
        return threads, {}
    names = {(v, n): build.variable(staged(v.name, f"%{n}"), INT) for v, n in found}
    made = tuple(_with(t, names) for t in threads)
    return made, {name: build.mod(v, n) for (v, n), name in names.items()}


def _formulas(thread: Automaton) -> Iterator[Term]:
    yield thread.init
    yield from (q.inv for q in thread.locations)
    for edge in thread.edges:
        yield edge.guard
        yield from (value for _, value in edge.updates if value.free)


def _with(thread: Automaton, names: Mapping[Remainder, Var]) -> Automaton:
    declared = {v.var: v for v in thread.variables}
    own = {r: name for r, name in names.items() if r[0] in declared}
    memo = dict[Term, Term]()
    added = [replace(declared[v], var=name, low=0, high=n - 1, sequence=False) for (v, n), name in own.items()]
    begun = build.land(thread.init, *(first(thread.init, v, n, name) for (v, n), name in own.items()))

    def edge(e: Edge) -> Edge:
        updates = dict(e.updates)
        later = (
            (name, replaced(remainder_of(updates[v], n), own, memo)) for (v, n), name in own.items() if v in updates
        )
        said = ((v, replaced(value, own, memo)) for v, value in e.updates)
        return replace(e, guard=replaced(e.guard, own, memo), updates=(*said, *later))

    return replace(
        thread,
        variables=(*thread.variables, *added),
        init=replaced(begun, own, memo),
        locations=tuple(replace(q, inv=replaced(q.inv, own, memo)) for q in thread.locations),
        edges=tuple(edge(e) for e in thread.edges),
    )
