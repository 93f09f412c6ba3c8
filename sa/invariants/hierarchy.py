"""Which thread needs what of which others: each thread with the variables that it sees, and the order of the threads.

The main thread is the one with the claim. Its environment are the threads that write what it sees, theirs the threads
that write what these see, and so on (Rasin, Modular Verification of Concurrent Programs via Sequential Model Checking,
2017, chapter 7). Threads that are their own environments' environment make one level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind
from sa.automata.components import components
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.conditions.never import failing_edges, mentioned
from sa.invariants.own_points import Owner, Point, Step, begun_with, is_number, unfolded
from sa.terms import build
from sa.terms.bounds import Ranges
from sa.terms.term import Var


class Member(Struct, frozen=True, eq=False):
    """A thread with its points; the control variables of others that it looks at, and the data that it sees."""

    owner: Owner
    steps: Mapping[Point, Sequence[Step]]
    looks: tuple[Var, ...]
    data: frozenset[Var]


class Hierarchy(Struct, frozen=True, eq=False):
    """The threads, for each those that write what it sees, and the levels: each after those that it needs."""

    members: tuple[Member, ...]
    sources: Mapping[int, tuple[int, ...]]
    begun: Ranges

    def levels(self, mains: Iterable[int]) -> list[tuple[int, ...]]:
        """The threads that some main threads need, themselves included, the last level first."""
        return components(mains, self.sources)


def hierarchy(threads: Sequence[Automaton], claimed: frozenset[Var], bounds: Limits) -> Hierarchy:
    """The hierarchy of threads whose locals have different names; all see what is `claimed` of what they write.

    Raises LimitReached.
    """
    begun = begun_with(threads)
    owners, steps = unfolded(threads, begun, bounds)
    control = {v for o in owners for v in o.control}
    told = [c.free for t in threads for c in build.conjuncts(t.init)]
    shared = {v.var for t in threads for v in t.variables if v.kind is Kind.GLOBAL}
    copies = list(_copies(steps, shared))
    members = tuple(_member(o, s, control, claimed, told, copies) for o, s in zip(owners, steps, strict=True))
    written = [_written(m) for m in members]
    sources = {
        i: tuple(j for j in range(len(members)) if j != i and not written[j].isdisjoint((*m.looks, *m.data)))
        for i, m in enumerate(members)
    }
    return Hierarchy(members, sources, begun)


def main_threads(threads: Sequence[Automaton], bad: Bad) -> tuple[int, ...]:
    """The threads that a claim is about: those that may fail or are named, else those that write what it mentions."""
    numbers = [n for n, t in enumerate(threads) if next(failing_edges(t, bad.failing), None) is not None]
    if bad.claim is not None:
        named = mentioned(bad.claim)
        found = [n for n, t in enumerate(threads) if t.name in named]
        free = bad.claim.free
        numbers += found or [n for n, t in enumerate(threads) if any(v in free for e in t.edges for v, _ in e.updates)]
    return tuple(dict.fromkeys(numbers))


def _member(
    owner: Owner,
    steps: Mapping[Point, Sequence[Step]],
    control: set[Var],
    claimed: frozenset[Var],
    start: Sequence[frozenset[Var]],
    copies: Sequence[tuple[Var, Var]],
) -> Member:
    kinds = {v.var: v.kind for v in owner.thread.variables if is_number(v)}
    fixed = {v for v, kind in kinds.items() if kind is Kind.PARAM}
    seen = set(claimed & fixed)
    for here in steps.values():
        for step in here:
            seen |= step.guard.free | step.updates.keys()
            seen = seen.union(*(t.free for t in step.updates.values()))
    if not claimed.isdisjoint(seen - fixed):
        seen |= claimed
    # What others set a variable to is told by what they read for it alone, what variables begin with by parameters.
    while more := {y for x, y in copies if x in seen and y not in seen}:
        seen |= more
    seen = seen.union(*(free & fixed for free in start if not free.isdisjoint(seen - fixed)))
    mine = kinds.keys() & seen - set(owner.control)
    return Member(
        owner,
        steps,
        tuple(v.var for v in owner.thread.variables if v.var in mine & control),
        frozenset(mine - control),
    )


def _copies(steps: Iterable[Mapping[Point, Sequence[Step]]], shared: set[Var]) -> Iterator[tuple[Var, Var]]:
    """Shared variables with the one that some step sets them by, and nothing else."""
    for step in (s for found in steps for here in found.values() for s in here):
        for x, t in step.updates.items():
            if x in shared and x not in t.free and len(t.free) == 1:
                yield from ((x, y) for y in t.free if y in shared)


def _written(member: Member) -> frozenset[Var]:
    changes = {v for here in member.steps.values() for s in here for v in s.updates}
    return frozenset(changes)
