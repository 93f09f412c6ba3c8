"""Variables that decide what can be done: all others, and what is assigned to them, are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.terms import build
from sa.terms.term import Term, Var


def decisive(automata: Sequence[Automaton], claimed: Iterable[Var]) -> list[Automaton]:
    """The automata without variables on which no guard, no visible value and nothing claimed depends."""
    needed = set(claimed)
    edges = [e for a in automata for e in a.edges]
    for edge in edges:
        needed |= edge.guard.free
        if edge.label is not None:
            needed |= {v for t in edge.label.values for v in t.free}
    while True:
        more = {v for e in edges for target, t in e.updates if target in needed for v in t.free} - needed
        if not more:
            return [_sliced(a, needed) for a in automata]
        needed |= more


def _sliced(automaton: Automaton, needed: set[Var]) -> Automaton:
    return replace(
        automaton,
        variables=tuple(v for v in automaton.variables if v.var in needed),
        init=_of(automaton.init, needed),
        locations=tuple(replace(q, inv=_of(q.inv, needed)) for q in automaton.locations),
        edges=tuple(_edge(e, needed) for e in automaton.edges),
    )


def _of(condition: Term, needed: set[Var]) -> Term:
    """What a condition says of the variables that are needed."""
    return build.land(*(c for c in build.conjuncts(condition) if c.free <= needed))


def _edge(edge: Edge, needed: set[Var]) -> Edge:
    updates = tuple((v, t) for v, t in edge.updates if v in needed)
    return replace(edge, updates=updates, choices=tuple(c for c in edge.choices if c.var in needed))
