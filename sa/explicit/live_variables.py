"""What of a state matters at a location: variables that are read before they are written, and what ι reads.

States that agree on these have the same steps, the same answers, and the same partners.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge
from sa.terms.build import conjuncts, land
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: What matters, by number of the location.
Kept = tuple[frozenset[Var], ...]

#: What steps ask for so that an invariant holds after them, by the invariant and the updates.
Landings: TypeAlias = dict[tuple[Term, tuple[tuple[Var, Term], ...]], Term]


def everything(automaton: Automaton) -> Kept:
    """All variables matter everywhere."""
    return (frozenset(v.var for v in automaton.variables),) * len(automaton.locations)


def kept(automaton: Automaton, always: frozenset[Var]) -> Kept:
    """The least sets that contain what is read of them, and of the automaton's own variables those in `always`."""
    own = frozenset(v.var for v in automaton.variables)
    number = {q.name: i for i, q in enumerate(automaton.locations)}
    found = [set(always & own) for _ in automaton.locations]
    entering = dict[int, list[tuple[int, Mapping[Var, Term]]]]()
    landings: Landings = {}
    for edge in automaton.edges:
        source, target = number[edge.source], number[edge.target]
        updates: dict[Var, Term] = dict(edge.updates)
        shown = () if edge.label is None else edge.label.values
        tests = (edge.guard, landing(automaton, edge, source, target, landings), *shown)
        found[source].update(v for t in tests for v in t.free if v in own)
        entering.setdefault(target, []).append((source, updates))
    pending = dict.fromkeys(reversed(range(len(found))))
    while pending:
        target = next(iter(pending))
        del pending[target]
        for source, made in entering.get(target, ()):
            read = {v for w in found[target] for v in made.get(w, w).free if v in own}
            if not read <= found[source]:
                found[source] |= read
                pending[source] = None
    return tuple(map(frozenset, found))


def landing(automaton: Automaton, edge: Edge, source: int, target: int, known: Landings) -> Term:
    """What the target's invariant asks of the state before a step; what held before and is not written still holds.

    In a composition a thread's step asks for the same wherever the others are, so it is looked up in what is `known`.
    """
    updates = dict(edge.updates)
    before = frozenset(conjuncts(automaton.locations[source].inv))
    due = land(
        *(c for c in conjuncts(automaton.locations[target].inv) if c not in before or not c.free.isdisjoint(updates))
    )
    key = due, edge.updates
    found = known.get(key)
    if found is None:
        found = known[key] = substitute(due, updates)
    return found
