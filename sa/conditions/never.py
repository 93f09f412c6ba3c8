"""Something bad that invariants of threads exclude: failing steps, and states in which a claim is false."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from sa.automata.automaton import FAIL, Automaton, Edge
from sa.automata.ranges import within
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Never
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Joint locations of some threads that a claim is looked at in.
JOINT = 1_000


def failing_edges(thread: Automaton, failing: Failing | None) -> Iterator[Edge]:
    """The edges of a thread that are asked about."""
    if failing is not None and failing.thread in (None, thread.name):
        for edge in thread.edges:
            if edge.label is not None and edge.label.action == FAIL and failing.edge in (None, edge):
                yield edge


def taking(edge: Edge) -> Term:
    """That an edge can be taken."""
    return build.land(edge.guard, *(within(c) for c in edge.choices))


def at_places(claim: Term, places: Mapping[str, str]) -> Term:
    """A claim where these threads are at these locations."""
    known: dict[Var, Term] = {}
    for var in claim.free:
        name = var.name
        if name.place is not None and name.thread is not None and name.thread in places:
            known[var] = build.boolean(places[name.thread] == name.place)
    return substitute(claim, known)


def mentioned(claim: Term) -> tuple[str, ...]:
    """The threads of whose locations a claim speaks, in order."""
    return tuple(sorted({v.name.thread for v in claim.free if v.name.place is not None and v.name.thread is not None}))


def excluded(session: Session, written: Sequence[Automaton], threads: Sequence[Automaton], bad: Bad) -> Never | None:
    """How the invariants of the threads, whose locals have different names, exclude what is bad; None if they do not.

    `written` are the same threads as `bad` knows them. Raises LimitReached.
    """
    for original, thread in zip(written, threads, strict=True):
        invariants = {q.name: q.inv for q in thread.locations}
        asked = set(failing_edges(original, bad.failing))
        for edge, own in zip(original.edges, thread.edges, strict=True):
            if edge in asked and not session.implied(build.FALSE, (invariants[edge.source], taking(own))):
                return None
    if bad.claim is None:
        return Never(bad)
    for witnesses in _witnesses(bad.claim, threads):
        if all(session.implied(goal, known) for known, goal in _cases(bad.claim, witnesses)):
            return Never(bad, tuple(t.name for t in witnesses))
    return None


def _witnesses(claim: Term, threads: Sequence[Automaton]) -> Iterator[tuple[Automaton, ...]]:
    """Threads whose invariants together may imply the claim: few first."""
    names = mentioned(claim)
    if names:
        some = tuple(t for t in threads if t.name in names)
        if prod(len(t.locations) for t in some) <= JOINT:
            yield some
    else:
        yield from ((t,) for t in threads)
    if len(threads) > max(1, len(names)) and prod(len(t.locations) for t in threads) <= JOINT:
        yield tuple(threads)


def _cases(claim: Term, threads: Sequence[Automaton]) -> Iterator[tuple[tuple[Term, ...], Term]]:
    for places in product(*(t.locations for t in threads)):
        here = {t.name: q.name for t, q in zip(threads, places, strict=True)}
        yield tuple(q.inv for q in places), at_places(claim, here)
