"""Variables whose values still matter at a location, because something reads them before they are written.

Two states of a closed automaton that differ elsewhere have the same runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from sa.automata.automaton import Automaton, Edge
from sa.terms.term import Var


def live(automaton: Automaton, always: frozenset[Var]) -> Mapping[str, frozenset[Var]]:
    """By location the variables that invariants, guards, labels or updates may read from there on.

    `always` are read everywhere, from outside. What environments read is not looked at.
    """
    found = {q.name: always | q.inv.free for q in automaton.locations}
    changed = True
    while changed:
        changed = False
        for edge in reversed(automaton.edges):
            more = found[edge.source] | _before(edge, found[edge.target])
            changed = changed or more != found[edge.source]
            found[edge.source] = more
    return found


def _before(edge: Edge, after: frozenset[Var]) -> frozenset[Var]:
    values = () if edge.label is None else edge.label.values
    written = {v: term.free for v, term in edge.updates}
    read = edge.guard.free.union(*(v.free for v in values), *(written.get(v, {v}) for v in after))
    return read - {c.var for c in edge.choices}
