"""Variables whose values still matter at a location, because something reads them before they are written.

Two states of a closed automaton that differ elsewhere have the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sa.automata.automaton import Automaton, Edge
from sa.terms.term import Var


def live(automaton: Automaton, always: frozenset[Var]) -> Mapping[str, frozenset[Var]]:
    """By location the variables that invariants, guards, labels or updates may read from there on.

    `always` are read everywhere, from outside. What environments read is not looked at.
    """
    return read_first(automaton, {q.name: always | q.inv.free for q in automaton.locations}, tested)


def read_first(
    automaton: Automaton, known: Mapping[str, frozenset[Var]], tests: Callable[[Edge], frozenset[Var]]
) -> Mapping[str, frozenset[Var]]:
    """By location the least sets with what is `known` there, what steps test, and what becomes of what is in them."""
    found = dict(known)
    entering = dict[str, list[tuple[str, Mapping[Var, frozenset[Var]], frozenset[Var]]]]()
    for edge in automaton.edges:
        chosen = frozenset(c.var for c in edge.choices)
        found[edge.source] |= tests(edge) - chosen
        becomes = {v: term.free - chosen if chosen else term.free for v, term in edge.updates}
        entering.setdefault(edge.target, []).append((edge.source, becomes, chosen))
    pending = dict.fromkeys(reversed(found))
    while pending:
        target = next(iter(pending))
        del pending[target]
        after = found[target]
        for source, written, chosen in entering.get(target, ()):
            needed = (after - written.keys() - chosen).union(*(written[v] for v in after & written.keys()))
            if not needed <= found[source]:
                found[source] |= needed
                pending[source] = None
    return found


def tested(edge: Edge) -> frozenset[Var]:
    """What the guard and the label of an edge read."""
    values = () if edge.label is None else edge.label.values
    return edge.guard.free.union(*(v.free for v in values))
