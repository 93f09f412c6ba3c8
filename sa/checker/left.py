"""Steps that a run may take for ever, thread by thread, and what they may not do to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.checker.control_points import Graph, Question, Taken, require, where_at
from sa.terms.build import conjoined, le
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, sort_of


class Thread(Struct):
    """A thread's graph, the steps that may be taken for ever, and what then holds at last by location."""

    graph: Graph
    left: tuple[Taken, ...]
    settled: dict[int, list[Term]]

    def known(self, place: int) -> tuple[Term, ...]:
        """What holds at a location at last, if the thread steps for ever."""
        return (*self.graph.known[place], *self.settled.get(place, ()))


def others(threads: Sequence[Thread], number: int) -> Iterator[tuple[Thread, Taken]]:
    """The steps that are left of other threads."""
    return ((t, s) for n, t in enumerate(threads) if n != number for s in t.left)


def require_kept(
    question: Question, own: Thread, other: tuple[Thread, Taken], place: int, premise: Sequence[Term], term: Term
) -> None:
    """The step of another thread does not make a formula false, or raise a number, where this thread is at a place."""
    thread, step = other
    if term.free.isdisjoint(step.updates):
        return
    first = step.passage[0]
    after = substitute(term, step.updates)
    wanted = after if sort_of(term) == BOOL else le(after, term)
    known = conjoined((*premise, *thread.known(first), *step.premise))
    at = where_at(question, thread.graph.part, thread.graph.part.points[first])
    require(question, own.graph, place, known, step.choices, wanted, *at)
