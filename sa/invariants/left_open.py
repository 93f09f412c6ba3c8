"""What stands in the way of a claim that intervals do not settle: what is known where it may fail, who disturbs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from sa.automata.automaton import Automaton, Edge
from sa.certificates.run import Bad
from sa.conditions.never import failing_edges, taking
from sa.invariants.interval_facts import Facts, is_possible
from sa.invariants.intervals import Bounded
from sa.question.asked import Disturbance, Open
from sa.terms import build, interval
from sa.terms.bounds import interval_of, truth_of
from sa.terms.interval import Interval
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def left_open(threads: Sequence[Automaton], known: Bounded, facts: Facts, bad: Bad) -> Iterator[Open]:
    """The first failing step that intervals allow, or the formula that may become false."""
    for number, (written, owner) in enumerate(zip(threads, known.owners, strict=True)):
        wanted = set(failing_edges(written, bad.failing))
        for edge, own in zip(written.edges, owner.thread.edges, strict=True):
            if edge in wanted and any(is_possible(known, number, point, own) for point in known.points[number]):
                read = _decisive(own, facts.places[number, own.source])
                said = tuple(
                    (v, x) for v, x in _there(known, number, own.source).items() if v in read and x != interval.WHOLE
                )
                found = tuple(_disturbing(known, facts, number, own.source, read))
                yield Open(bad, written.name, edge.origin, said, found)
                return
    if bad.claim is not None:
        yield Open(bad, None, None, (), tuple(_breaking(known, bad.claim)))


def _there(known: Bounded, number: int, place: str) -> Mapping[Var, Interval]:
    """What a thread's variables may be at a location, where that is not what they may be anyway."""
    owner, found = known.owners[number], dict[Var, Interval]()
    for point, box in known.points[number].items():
        if point.place == place:
            fixed = {v: interval_of(x, {}) for v, x in owner.known(point).items()}
            for v, values in {**box, **fixed}.items():
                found[v] = interval.hull(found.get(v, values), values)
    declared = {v.var: (v.low, v.high) for v in owner.thread.variables}
    return {
        v: values
        for v, values in sorted(found.items(), key=lambda p: p[0].key)
        if values not in (declared.get(v), interval.WHOLE)
    }


def _decisive(edge: Edge, known: Sequence[Term]) -> Set[Var]:
    """The variables that decide whether an edge can be taken, where that is not known anyway."""
    open_ = [part for part in build.conjuncts(taking(edge)) if part not in known]
    return frozenset[Var]().union(*(part.free for part in open_))


def _disturbing(known: Bounded, facts: Facts, number: int, place: str, read: Set[Var]) -> Iterator[Disturbance]:
    """The steps of other threads that may change variables while a thread is at a location."""
    for other, (owner, points) in enumerate(zip(known.owners, known.points, strict=True)):
        if other == number:
            continue
        for edge in owner.thread.edges:
            apart = frozenset({(number, place), (other, edge.source)}) in facts.excluded
            disturbs = not apart and any(v in read for v, _ in edge.updates)
            if disturbs and any(is_possible(known, other, point, edge) for point in points):
                yield Disturbance(owner.thread.name, edge.origin)


def _breaking(known: Bounded, claim: Term) -> Iterator[Disturbance]:
    """The steps behind which a formula is not known to be true."""
    for number, (owner, points) in enumerate(zip(known.owners, known.points, strict=True)):
        for edge in owner.thread.edges:
            updates = dict(edge.updates)
            if claim.free.isdisjoint(updates):
                continue
            after = substitute(claim, updates)
            here = [p for p in points if is_possible(known, number, p, edge)]
            if any(truth_of(after, {**known.common, **points[p]}) is not True for p in here):
                yield Disturbance(owner.thread.name, edge.origin)
