"""Parallel composition (Definition 3) as the checker makes it; the others' locals stay (THEORY section 1).

Locations are found breadth first, threads in their order and edges in theirs: so edges have numbers that anybody finds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable, joint_name
from sa.automata.rename import renamed
from sa.terms.build import land
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var


def product(threads: Sequence[Automaton], names: Sequence[str]) -> Automaton:
    """The composition, locals named `name.x` after the given names; of one thread, that thread.

    Environments are dropped.
    """
    if len(threads) == 1:
        return replace(threads[0], name=names[0])
    separate = [renamed(t, partial(_own, name=name)) for t, name in zip(threads, names, strict=True)]
    places, edges = _reached(separate, names)
    return Automaton(
        joint_name(names),
        variables_of_product(threads, names),
        places,
        joint_name(t.initial for t in separate),
        land(*(t.init for t in separate)),
        edges,
        threads[0].origin,
    )


def variables_of_product(threads: Sequence[Automaton], names: Sequence[str]) -> tuple[Variable, ...]:
    """The variables of the product, what is shared first."""
    if len(threads) == 1:
        return threads[0].variables
    variables = dict[Var, Variable]()
    for thread, name in zip(threads, names, strict=True):
        for v in thread.variables:
            variables.setdefault(_own(v, name), replace(v, var=_own(v, name)))
    shared = (v for v in variables.values() if v.kind is not Kind.LOCAL)
    return (*shared, *(v for v in variables.values() if v.kind is Kind.LOCAL))


def init_of_product(threads: Sequence[Automaton], names: Sequence[str]) -> Term:
    """The initial condition of the product."""
    if len(threads) == 1:
        return threads[0].init
    return land(*(substitute(t.init, _names(t, name)) for t, name in zip(threads, names, strict=True)))


def _names(thread: Automaton, name: str) -> Mapping[Var, Term]:
    return {v.var: _own(v, name) for v in thread.variables}


def _own(variable: Variable, name: str) -> Var:
    return local_of(variable.var, name) if variable.kind is Kind.LOCAL else variable.var


def _reached(threads: Sequence[Automaton], names: Sequence[str]) -> tuple[tuple[Location, ...], tuple[Edge, ...]]:
    known = [{q.name: q for q in t.locations} for t in threads]
    start = tuple(t.initial for t in threads)
    pending, edges = deque([start]), list[Edge]()
    called = {start: joint_name(start)}
    while pending:
        here = pending.popleft()
        for number, thread in enumerate(threads):
            for edge in thread.edges:
                if edge.source == here[number]:
                    there = (*here[:number], edge.target, *here[number + 1 :])
                    if there not in called:
                        called[there] = joint_name(there)
                        pending.append(there)
                    ends = called[here], called[there]
                    edges.append(replace(edge, source=ends[0], target=ends[1], thread=names[number]))
    places = (
        Location(
            name,
            land(*(known[n][q].inv for n, q in enumerate(parts))),
            None,
            known[0][parts[0]].origin,
            parts,
        )
        for parts, name in called.items()
    )
    return tuple(places), tuple(edges)
