"""Movers: over which steps of the other threads a step can be moved, after Lipton.

A step moves right over a step f of another thread if, wherever both are possible one after the other, they are possible
in the other order with the same result; it moves left if f does so over it. Steps that touch nothing in common do. Of
others the solver says whether they do, under what is known at both locations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from msgspec import Struct, field

from sa.automata.automaton import Edge, Kind
from sa.automata.ranges import within
from sa.base.limits import spend
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var
from sa.transform.facts import Facts, Known, ThreadPlace, contradict, possible, simplified

#: An edge, by the numbers of its thread and its own.
Step = tuple[int, int]


class Mover(Enum):
    """How a step moves over the steps of the other threads, in one letter."""

    BOTH = "B"
    RIGHT = "R"
    LEFT = "L"
    NONE = "N"


class Movers(Struct, frozen=True, eq=False):
    """How each edge moves, and for those that do not move right, or left, an edge that is in the way."""

    kinds: Mapping[Step, Mover]
    right: Mapping[Step, Step]
    left: Mapping[Step, Step]


class _Work(Struct, frozen=True, eq=False):
    facts: Facts
    session: Session
    local: Mapping[Step, frozenset[Var]]
    known: Known = field(default_factory=Known)
    swapped: dict[tuple[Step, Step], bool] = field(default_factory=dict)


def movers_of(facts: Facts, session: Session) -> Movers:
    """How all edges move. Raises LimitReached."""
    threads = facts.threads
    steps = [(n, k) for n, t in enumerate(threads) for k in range(len(t.edges))]
    work = _Work(facts, session, {})
    touching = _touching(facts)
    right, left, kinds = dict[Step, Step](), dict[Step, Step](), dict[Step, Mover]()
    for step in steps:
        spend(session.bounds, 100)
        for other in touching(step):
            if step not in right and not _swaps(work, step, other):
                right[step] = other
            if step not in left and not _swaps(work, other, step):
                left[step] = other
        match step in right, step in left:
            case False, False:
                kinds[step] = Mover.BOTH
            case False, True:
                kinds[step] = Mover.RIGHT
            case True, False:
                kinds[step] = Mover.LEFT
            case _:
                kinds[step] = Mover.NONE
    return Movers(kinds, right, left)


class _Touching:
    """The edges of other threads that a step does not commute with by what they read and write."""

    def __init__(self, facts: Facts) -> None:
        self.reads: dict[Var, list[Step]] = {}
        self.writes: dict[Var, list[Step]] = {}
        self.of: dict[Step, tuple[tuple[Var, ...], tuple[Var, ...]]] = {}
        shared = dict.fromkeys(v.var for t in facts.threads for v in t.variables if v.kind is Kind.GLOBAL)
        for n, thread in enumerate(facts.threads):
            for k, edge in enumerate(thread.edges):
                reads, writes = footprint(edge)
                read, written = (tuple(v for v in shared if v in some) for some in (reads, writes))
                self.of[n, k] = read, written
                for v in read:
                    self.reads.setdefault(v, []).append((n, k))
                for v in written:
                    self.writes.setdefault(v, []).append((n, k))

    def __call__(self, step: Step) -> Iterator[Step]:
        reads, writes = self.of[step]
        found = dict.fromkeys(o for v in writes for o in (*self.reads.get(v, ()), *self.writes.get(v, ())))
        found |= dict.fromkeys(o for v in reads for o in self.writes.get(v, ()))
        return (other for other in found if other[0] != step[0])


def _touching(facts: Facts) -> _Touching:
    return _Touching(facts)


def footprint(edge: Edge) -> tuple[frozenset[Var], frozenset[Var]]:
    """What a step reads, and what it writes."""
    return edge.guard.free.union(*(t.free for _, t in edge.updates)), frozenset(v for v, _ in edge.updates)


def _swaps(work: _Work, first: Step, second: Step) -> bool:
    key = first, second
    if key not in work.swapped:
        work.swapped[key] = _asked(work, first, second)
    return work.swapped[key]


def _asked(work: _Work, first: Step, second: Step) -> bool:
    facts, session = work.facts, work.session
    e, f = (facts.threads[n].edges[k] for n, k in (first, second))
    start: tuple[ThreadPlace, ThreadPlace] = (first[0], e.source), (second[0], f.source)
    between: tuple[ThreadPlace, ThreadPlace] = (first[0], e.target), (second[0], f.source)
    taking_e, taking_f = _taking(e), _taking(f)
    for (one, other), taking in ((start, taking_e), (between, taking_f)):
        if contradict(work.known, (facts.at(one), facts.at(other), taking)):
            return True
        if not facts.meet(one, other):
            return True
        if not facts.turns and not possible(session, work.known, facts, one, other, ()):
            return True
    if facts.turns:
        # Who gives the turn away and who takes it do not commute, and all else contradicts itself.
        return False
    after_e, after_f = dict(e.updates), dict(f.updates)
    known = (*facts.at(start[0]), *facts.at(start[1]), *facts.together(*start), *taking_e)
    behind = (*facts.at(between[0]), *facts.at(between[1]), *facts.together(*between))
    known = (*known, *(substitute(t, after_e) for t in (*behind, *taking_f)))
    results = (
        build.eq(
            substitute(after_f[v], after_e) if v in after_f else after_e[v],
            substitute(after_e[v], after_f) if v in after_e else after_f[v],
        )
        for v in {**after_e, **after_f}
    )
    wanted = build.land(*taking_f, *(substitute(t, after_f) for t in taking_e), *results)
    left = simplified((*known, build.lnot(wanted)))
    return left is None or isinstance(session.check(left), Unsat)


def _taking(edge: Edge) -> tuple[Term, ...]:
    return (edge.guard, *map(within, edge.choices))
