"""Where threads stand still: their ends, where no step of theirs is possible, and states in which nobody can go on.

Written invariants are taken to cut no steps (THEORY section 1), so a step is possible where its guard holds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import product

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.ranges import is_large, values_of, within
from sa.automata.rename import apart
from sa.terms.build import FALSE, TRUE, conjuncts, constant, forall, land, lnot, lor, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term

#: Choices with more values together are not tried one by one.
_WAYS = 64


def possible(edges: Iterable[Edge]) -> Term:
    """That one of the edges can be taken, for some values of its choices."""
    return lor(*(_possible(e) for e in edges))


def _possible(edge: Edge) -> Term:
    chosen = {c.var: c for c in edge.choices}
    known, asked = list[Term](), list[Term]()
    for formula in (*conjuncts(edge.guard), *(f for c in edge.choices for f in conjuncts(within(c)))):
        (known if formula.free.isdisjoint(chosen) else asked).append(formula)
    own = {f for c in edge.choices for f in conjuncts(within(c))}
    # Each choice has a value in its range, so only what else is said of choices can exclude a step.
    if all(f in own for f in asked):
        return land(*known)
    some = land(*asked)
    needed = tuple(c for c in edge.choices if c.var in some.free)
    if not any(is_large(c) or values_of(c) is None for c in needed):
        ranges = [[constant(x, c.var.sort) for x in values_of(c) or ()] for c in needed]
        ways = list(product(*ranges)) if _count(ranges) <= _WAYS else []
        if ways:
            cases = (substitute(some, dict(zip((c.var for c in needed), way, strict=True))) for way in ways)
            return land(*known, lor(*cases))
    return land(*known, lnot(forall(tuple(c.var for c in needed), lnot(some))))


def _count(ranges: Iterable[Sequence[Term]]) -> int:
    count = 1
    for values in ranges:
        count *= max(len(values), 1)
    return count


def over(thread: Automaton) -> tuple[str, ...]:
    """The locations at which a thread has nothing left to do: its ends, and the first one of a thread never started."""
    internal = {v.var for v in thread.variables if v.internal}
    outgoing = edges_from(thread)
    waits = [e for e in outgoing[thread.initial] if e.guard.free & internal]
    # A thread that others start waits for that first of all.
    unstarted = bool(waits) and len(waits) == len(outgoing[thread.initial])
    return tuple(q for q, edges in outgoing.items() if not edges or (unstarted and q == thread.initial))


def no_standstill(threads: Sequence[Automaton], endless: Container[str] = ()) -> Term:
    """In every state some thread can step, or each is at its end: over shared variables, locals `T.x`, and `at T.q`.

    Those that are `endless` need not be at an end, as a scheduler that serves the others.
    """
    blocked, open_ = list[Term](), list[Term]()
    for thread in map(apart, threads):
        ends, outgoing = over(thread), edges_from(thread)
        at = {q: variable(at_place(thread.name, q), BOOL) for q in outgoing}
        cases = (land(at[q], lnot(possible(edges)) if edges else TRUE) for q, edges in outgoing.items())
        blocked.append(lor(*(c for c in cases if c is not FALSE)))
        if thread.name not in endless:
            open_.append(lnot(lor(*(at[q] for q in ends))))
    return lnot(land(*blocked, lor(*open_)))
