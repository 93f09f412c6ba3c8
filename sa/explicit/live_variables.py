"""What of a state matters at a location: variables that are read before they are written, and what ι reads.

States that agree on these have the same steps, the same answers, and the same partners.
"""

from __future__ import annotations

from typing import TypeAlias

from sa.automata.automaton import Automaton, Edge
from sa.automata.live import read_first, tested
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
    landings: Landings = {}

    def tests(edge: Edge) -> frozenset[Var]:
        due = landing(automaton, edge, number[edge.source], number[edge.target], landings)
        return (tested(edge) | due.free) & own

    found = read_first(automaton, dict.fromkeys(number, always & own), tests)
    return tuple(found[q.name] & own for q in automaton.locations)


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
