"""Tickets: values that threads draw from a counter that only grows, so that no two of them hold the same.

Who has drawn `v` knows that it is less than the counter, as long as it keeps it. A later draw of another thread takes
the counter itself, which is another value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.term import Term, Var


class Draws(Struct, frozen=True, eq=False):
    """A counter that only grows, and by thread the locals that it is drawn into."""

    counter: Var
    into: Mapping[int, Set[Var]]

    def differ(self, one: tuple[int, Set[Term]], other: tuple[int, Set[Term]]) -> Term:
        """That what two threads hold differs, where it is known of both, each with what holds where it is."""
        mine, theirs = (self._held(*each) for each in (one, other))
        return build.land(*(build.lnot(build.eq(v, w)) for v in mine for w in theirs))

    def _held(self, thread: int, known: Set[Term]) -> list[Var]:
        return [v for v in self.into.get(thread, ()) if build.lt(v, self.counter) in known]


def draws_of(threads: Sequence[Automaton]) -> tuple[Draws, ...]:
    """The counters of threads with names of their own that are drawn from by more than one of them."""
    edges = [(n, e) for n, t in enumerate(threads) for e in t.edges]
    shared = dict.fromkeys(v.var for t in threads for v in t.variables if v.kind is Kind.GLOBAL and v.var.sort == INT)
    found = list[Draws]()
    for counter in shared:
        if all(_grows(e, counter) for _, e in edges):
            into = dict[int, set[Var]]()
            for n, edge in edges:
                into.setdefault(n, set()).update(_drawn(edge, counter))
            into = {n: drawn for n, drawn in into.items() if drawn}
            if len(into) > 1:
                found.append(Draws(counter, into))
    return tuple(found)


def _grows(edge: Edge, counter: Var) -> bool:
    """Whether the step leaves the counter as it is, or adds a positive constant."""
    after = dict(edge.updates).get(counter, counter)
    constant, parts = build.linear_parts(after)
    return parts == {counter: 1} and (after is counter or constant > 0)


def _drawn(edge: Edge, counter: Var) -> Iterator[Var]:
    updates = dict(edge.updates)
    return (v for v, t in edge.updates if counter in updates and v is not counter and t is counter)
