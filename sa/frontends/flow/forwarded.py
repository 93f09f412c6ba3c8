"""Addresses that pointers get once, in place of the pointers: which element is accessed is said there."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from sa.automata.components import reachable
from sa.frontends.flow.graph import Graph, Load, Node, Set, Step, Store, outgoing
from sa.frontends.flow.terms import written_by
from sa.terms.build import linear_parts
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Var, sort_of


def forward_addresses(graph: Graph) -> None:
    """Accesses through a pointer that is set once, to a place in an object, are of that place.

    All ways to the access come from where the pointer is set, all ways to there from where what it is set from is set,
    once. So that has still the value that it had: a way that sets it again, and not the pointer, would lead from the
    entry to the access without the pointer.
    """
    writes = Counter(written_by(s.op) for s in graph.steps)
    sets = {written_by(s.op): s for s in graph.steps}
    for step in graph.steps:
        if not isinstance(step.op, Set) or sort_of(step.op.term) != INT:
            continue
        # What the environment chooses among some objects is none of these. Objects of activations may have ended.
        named = [p.name for p in linear_parts(step.op.term)[1] if isinstance(p, Var) and p.name.startswith("&")]
        if not named or any(name.removeprefix("&") in graph.objects for name in named):
            continue
        var, term = step.op.var, step.op.term
        if writes[var] == 1 and all(
            writes[v] == 0 or (writes[v] == 1 and step.source not in _reached(graph, sets[v])) for v in term.free
        ):
            without = _reached(graph, step)
            graph.steps[:] = [s if s.source in without else _through(s, var, step.op) for s in graph.steps]


def _through(step: Step, var: Var, given: Set) -> Step:
    """The step, with what the pointer is set to in place of it; pointers that are set to it are, too."""
    match step.op:
        case Load(address=address) | Store(address=address) if var in address.free:
            return replace(step, op=replace(step.op, address=substitute(address, {var: given.term})))
        case Set(_, term) if var in term.free:
            return replace(step, op=replace(step.op, term=substitute(term, {var: given.term})))
        case _:
            return step


def _reached(graph: Graph, without: Step) -> set[Node]:
    """The nodes that are reached without a step."""
    steps = outgoing([s for s in graph.steps if s is not without])
    return reachable((graph.entry,), lambda node: (s.target for s in steps.get(node, ())))
