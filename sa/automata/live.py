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
    steps = [(e, _read(e), {v: term.free for v, term in e.updates}) for e in reversed(automaton.edges)]
    changed = True
    while changed:
        changed = False
        for edge, read, written in steps:
            after, known = found[edge.target], found[edge.source]
            needed = read.union(after - written.keys(), *(written[v] for v in after & written.keys()))
            more = known | (needed - {c.var for c in edge.choices})
            if more != known:
                found[edge.source] = more
                changed = True
    return found


def _read(edge: Edge) -> frozenset[Var]:
    values = () if edge.label is None else edge.label.values
    return edge.guard.free.union(*(v.free for v in values))
