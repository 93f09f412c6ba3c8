"""Constants of a thread: what variables are at its locations, as far as it knows (Kildall 1973)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge, edges_from
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
    found: dict[str, Known] = {thread.initial: _told(thread.init, own | others)}
    pending = [thread.initial]
    while pending:
        here = pending.pop()
        for edge in leaving.get(here, ()):
            after = _after(edge, found[here], own, others)
            if after is None:
                continue
            before = found.get(edge.target)
            joined = after if before is None else {v: x for v, x in before.items() if after.get(v) == x}
            if before is None or len(joined) < len(before):
                found[edge.target] = joined
                pending.append(edge.target)
    return found


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
