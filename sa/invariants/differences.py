"""What the differences between variables are at each location of one automaton, by forward propagation of zones.

It needs no solver, so it does for products of threads with hundreds of locations. That it is true is for the checker
to show, like any other part of a relation or of an invariant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from heapq import heappop, heappush

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.automata.ranges import within
from sa.base.limits import Limits, check_time
from sa.domains import zones
from sa.domains.zones import Zone
from sa.terms import build
from sa.terms.substitute import prime, substitute
from sa.terms.term import IsZero, Le, Term, Var, subterms

#: Numbers in tests that are thresholds, the smallest ones.
THRESHOLDS = 8

#: Steps through all edges, times that a location is joined before it is widened, and the most variables.
STEPS, JOINS, VARIABLES = 30_000, 3, 24


class Others(Enum):
    """What others do to shared variables: nothing, what the environments say, or anything."""

    STILL = 0
    DECLARED = 1
    ANYTHING = 2


def differences(automaton: Automaton, others: Others, limits: Limits) -> dict[str, tuple[Term, ...]]:
    """Formulas by location; none where there is too much to look at. Raises LimitReached."""
    if len(automaton.variables) > VARIABLES:
        return {}
    found = _reached(automaton, others, limits)
    said = {place: zones.formulas(zone) for place, zone in found.items()}
    # Where nothing came, nothing can be.
    return {q.name: said.get(q.name, (build.FALSE,)) for q in automaton.locations} if found else {}


def _reached(automaton: Automaton, others: Others, limits: Limits) -> Mapping[str, Zone]:
    order = {q.name: i for i, q in enumerate(automaton.locations)}
    places = {q.name: q for q in automaton.locations}
    leaving: dict[str, list[tuple[Edge, tuple[Term, ...]]]] = {q: [] for q in places}
    for edge in automaton.edges:
        leaving[edge.source].append((edge, _relations(edge, places[edge.target].inv)))
    shared = () if others is Others.STILL else variables_of(automaton, Kind.GLOBAL)
    thresholds = _thresholds(automaton)
    first = zones.meet(zones.EVERYTHING, build.land(automaton.init, places[automaton.initial].inv))
    if first is None:
        return {}
    found, joins = {automaton.initial: first}, dict.fromkeys(places, 0)
    queue, waiting = [(order[automaton.initial], automaton.initial)], {automaton.initial}
    for _ in range(STEPS):
        if not queue:
            return found
        check_time(limits)
        place = heappop(queue)[1]
        waiting.discard(place)
        steps = [(e.target, (*(v for v, _ in e.updates), *(c.var for c in e.choices)), r) for e, r in leaving[place]]
        if shared:
            steps.append((place, shared, _disturbances(places[place], shared, others)))
        for target, changed, relations in steps:
            came = zones.after(found[place], relations, changed)
            if came is None or not _weakened(found, joins, target, came, thresholds):
                continue
            if target not in waiting:
                waiting.add(target)
                heappush(queue, (order[target], target))
    return {}


def _thresholds(automaton: Automaton) -> tuple[int, ...]:
    """Bounds that may stay: those that tests have, before and after a step by one."""
    tests = dict.fromkeys((*(e.guard for e in automaton.edges), *(q.inv for q in automaton.locations)))
    numbers = {build.linear_parts(a.total)[0] for a in subterms(tests) if isinstance(a, Le | IsZero)}
    few = sorted({*numbers, 0}, key=abs)[:THRESHOLDS]
    return tuple(sorted({s * n + d for n in few for s in (1, -1) for d in (-1, 0, 1)}))


def _relations(edge: Edge, landing: Term) -> tuple[Term, ...]:
    updates = dict(edge.updates)
    guard = build.land(edge.guard, *(within(c) for c in edge.choices), substitute(landing, updates))
    return zones.step(guard, updates)


def _disturbances(place: Location, shared: Iterable[Var], others: Others) -> tuple[Term, ...]:
    declared = others is Others.DECLARED and place.env is not None
    return (build.land(place.env if declared and place.env is not None else build.TRUE, prime(place.inv, shared)),)


def _weakened(found: dict[str, Zone], joins: dict[str, int], place: str, came: Zone, thresholds: Sequence[int]) -> bool:
    """Whether states came to a location that were not there."""
    old = found.get(place)
    if old is None:
        found[place] = came
        return True
    joined = zones.join(old, came)
    if joined == old:
        return False
    joins[place] += 1
    found[place] = joined if joins[place] <= JOINS else zones.widen(old, joined, thresholds)
    return found[place] != old
