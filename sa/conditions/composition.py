"""Parallel composition (Definition 3), with the frame of THEORY section 1: the others' locals stay.

Any number of threads at once. Locals are named `thread.x` in the product, locations `p|q`; only locations
that edges lead to are made.
"""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin, Variable, edges_from, joint_name
from sa.automata.rename import apart
from sa.terms import build
from sa.terms.term import Term, Var


def product(threads: tuple[Automaton, ...]) -> Automaton:
    """The composition of threads over the same globals; of one thread, that thread itself."""
    if len(threads) == 1:
        return threads[0]
    separate = tuple(apart(t) for t in threads)
    variables = dict[Var, Variable]()
    for thread in separate:
        for variable in thread.variables:
            variables.setdefault(variable.var, variable)
    locations, edges = _explore(separate)
    return Automaton(
        joint_name(t.name for t in threads),
        tuple(sorted(variables.values(), key=lambda v: v.kind is Kind.LOCAL)),
        locations,
        joint_name(t.initial for t in separate),
        build.land(*(t.init for t in separate)),
        edges,
        threads[0].origin,
    )


def _explore(threads: tuple[Automaton, ...]) -> tuple[tuple[Location, ...], tuple[Edge, ...]]:
    outgoing = [edges_from(t) for t in threads]
    places = [{q.name: q for q in t.locations} for t in threads]
    start = tuple(t.initial for t in threads)
    seen, pending, edges = {start: joint_name(start)}, deque([start]), list[Edge]()
    while pending:
        here = pending.popleft()
        source = seen[here]
        for index, name in enumerate(here):
            for edge in outgoing[index][name]:
                there = (*here[:index], edge.target, *here[index + 1 :])
                target = seen.get(there)
                if target is None:
                    target = seen[there] = joint_name(there)
                    pending.append(there)
                edges.append(replace(edge, source=source, target=target, thread=threads[index].name))
    joined = (_joined(tuple(places[i][name] for i, name in enumerate(names))) for names in seen)
    return tuple(joined), tuple(edges)


def _joined(places: tuple[Location, ...]) -> Location:
    environments = [q.env for q in places if q.env is not None]
    env: Term | None = build.land(*environments) if len(environments) == len(places) else None
    inv = build.land(*(q.inv for q in places))
    text = " | ".join(q.origin.text for q in places)
    return Location(
        joint_name(q.name for q in places), inv, env, Origin(places[0].origin.span, text), tuple(q.name for q in places)
    )
