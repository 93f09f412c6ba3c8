"""What the differences between variables are at each location of one automaton, by forward propagation of zones.

It needs no solver, so it does for products of threads with hundreds of locations. That it is true is for the checker
to show, like any other part of a relation or of an invariant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from heapq import heappop, heappush
from typing import TypeAlias, TypeVar

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.domains import zones
from sa.domains.zones import Zone
from sa.terms import build
from sa.terms.substitute import prime, substitute
from sa.terms.term import IsZero, Le, Term, Var, subterms

#: Places between which there are steps.
P = TypeVar("P")

#: A step: where it leads, what it may change, and its cases as relations (`zones.step`).
Leading: TypeAlias = tuple[P, tuple[Var, ...], tuple[Term, ...]]

#: Numbers in tests that are thresholds, the smallest ones.
THRESHOLDS = 8

#: Steps through all edges, times that a location is joined before it is widened, and the most variables.
STEPS, JOINS, VARIABLES = 30_000, 3, 24

#: Units of a place that is looked at, and of each constraint that its steps add to a zone.
A_PLACE, A_CONSTRAINT = 600, 12


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
    places = {q.name: q for q in automaton.locations}
    leaving = {q: list[Leading[str]]() for q in places}
    for edge in automaton.edges:
        changed = (*(v for v, _ in edge.updates), *(c.var for c in edge.choices))
        leaving[edge.source].append((edge.target, changed, _relations(edge, places[edge.target].inv)))
    shared = () if others is Others.STILL else variables_of(automaton, Kind.GLOBAL)
    for name, here in leaving.items() if shared else ():
        here.append((name, shared, _disturbances(places[name], shared, others)))
    first = zones.meet(zones.EVERYTHING, build.land(automaton.init, places[automaton.initial].inv))
    tests = (*(e.guard for e in automaton.edges), *(q.inv for q in automaton.locations))
    starts = {} if first is None else {automaton.initial: first}
    return spread(starts, leaving, thresholds(tests), STEPS, limits)


def spread(
    starts: Mapping[P, Zone],
    leaving: Mapping[P, Sequence[Leading[P]]],
    bounds: Sequence[int],
    most: int,
    limits: Limits,
) -> Mapping[P, Zone]:
    """Zones of all that comes to each place from the starts; none where more than `most` places are looked at.

    A bound that grows is widened to the next of `bounds`. Raises LimitReached.
    """
    places = tuple(leaving)
    sizes = {p: sum(zones.size(relations) for _, _, relations in here) for p, here in leaving.items()}
    order = {place: i for i, place in enumerate(places)}
    found, joins = dict(starts), dict.fromkeys(leaving, 0)
    queue = sorted(order[p] for p in starts)
    waiting = set(starts)
    for _ in range(most):
        if not queue:
            return found
        place = places[heappop(queue)]
        spend(limits, A_PLACE + A_CONSTRAINT * sizes[place])
        waiting.discard(place)
        for target, changed, relations in leaving[place]:
            came = zones.after(found[place], relations, changed)
            if came is None or not _weakened(found, joins, target, came, bounds):
                continue
            if target not in waiting:
                waiting.add(target)
                heappush(queue, order[target])
    return {}


def thresholds(formulas: Iterable[Term]) -> tuple[int, ...]:
    """Bounds that may stay: those that tests have, before and after a step by one."""
    tests = dict.fromkeys(formulas)
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


def _weakened(found: dict[P, Zone], joins: dict[P, int], place: P, came: Zone, bounds: Sequence[int]) -> bool:
    """Whether states came to a location that were not there."""
    old = found.get(place)
    if old is None:
        found[place] = came
        return True
    joined = zones.join(old, came)
    if joined == old:
        return False
    joins[place] += 1
    found[place] = joined if joins[place] <= JOINS else zones.widen(old, joined, bounds)
    return found[place] != old
