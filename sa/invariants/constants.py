"""Constants of a thread: what variables are at its locations, as far as it knows (Kildall 1973)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.dataflow import forward
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.sort import Value
from sa.terms.term import Bool, Int, Term, Var

#: Variables whose value is known.
Known: TypeAlias = Mapping[Var, Value]


def constants(thread: Automaton, own: frozenset[Var], others: frozenset[Var] = frozenset()) -> Mapping[str, Known]:
    """What is known at each location that the thread may come to, of its `own` variables: nobody else writes these.

    Of `others` it is what the thread tested or wrote last, or how they begin: a guess.
    """
    leaving = edges_from(thread)

    def follow(place: str, known: Known) -> Iterator[tuple[str, Known]]:
        steps = ((e.target, _after(e, known, own, others)) for e in leaving.get(place, ()))
        return ((target, after) for target, after in steps if after is not None)

    def join(before: Known, after: Known) -> Known:
        return {v: x for v, x in before.items() if after.get(v) == x}

    return forward({thread.initial: _told(thread.init, own | others)}, follow, join)


def owned(thread: Automaton, threads: Sequence[Automaton]) -> tuple[frozenset[Var], frozenset[Var]]:
    """The thread's variables that no other thread writes, and those that another one does."""
    written = {v for t in threads if t is not thread for e in t.edges for v, _ in e.updates}
    every = frozenset(v.var for v in thread.variables)
    return every - written, every & written


def _told(formula: Term, own: frozenset[Var]) -> dict[Var, Value]:
    found = dict[Var, Value]()
    for part in build.conjuncts(formula):
        said = solution(part, part.free & own) if len(part.free) == 1 else None
        if said is not None and isinstance(said[1], Int | Bool):
            found[said[0]] = said[1].value
    return found


def _after(edge: Edge, known: Known, own: frozenset[Var], others: frozenset[Var]) -> Known | None:
    """What is known after the step; None if it is not possible."""
    told = _told(edge.guard, own | others)
    if any(known.get(v, x) != x for v, x in told.items() if v in own):
        return None
    after = {**known, **told}
    for var, term in edge.updates:
        if (var in own or var in others) and isinstance(term, Int | Bool):
            after[var] = term.value
        else:
            after.pop(var, None)
    return after
