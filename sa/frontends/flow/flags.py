"""Flags: registers that get nothing but constants. Nodes are told apart by their values as long as these matter.

What a function did and what it returns then go together: `if (get(&x))` is left by the paths that wrote `x`.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.frontends.flow.graph import Graph, Set, Skip, Test, outgoing
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.terms import over, written_by
from sa.frontends.flow.unroll import split_by
from sa.terms.term import Term, Var

#: A graph may grow by that factor.
_MOST_GROWTH = 3


def without_flags(graph: Graph) -> None:
    """Tell nodes apart by the values of the flags that are tested, in place, unless there are too many nodes then."""
    flags = _flags(graph)
    if not flags:
        return
    after = registers(graph)
    relevant = {node: alive & flags for node, alive in after.items()}
    made = split_by(graph, outgoing(graph.steps), relevant, _MOST_GROWTH * len(outgoing(graph.steps)) + 50)
    if made is not None:
        graph.steps, graph.nodes, graph.entry, graph.exit = made


def without_copies(graph: Graph, var: Var) -> None:
    """Read a variable that nothing writes instead of registers that never hold anything else, in place."""
    while True:
        entry = registers(graph).get(graph.entry, frozenset())
        written = dict[Var, set[Term | None]]()
        for step in graph.steps:
            if (target := written_by(step.op)) is not None:
                written.setdefault(target, set()).add(step.op.term if isinstance(step.op, Set) else None)
        copies: dict[Var, Term] = {v: var for v, terms in written.items() if terms == {var} and v not in entry}
        if not copies:
            return
        graph.steps = [
            replace(s, op=Skip())
            if isinstance(s.op, Set) and s.op.var in copies
            else replace(s, op=over(s.op, copies, lambda v: v))
            for s in graph.steps
        ]


def _flags(graph: Graph) -> frozenset[Var]:
    """The registers all of whose values are constants or made of other flags, as far as tests depend on them."""
    written = dict[Var, list[Term | None]]()
    for step in graph.steps:
        if (var := written_by(step.op)) is not None:
            written.setdefault(var, []).append(step.op.term if isinstance(step.op, Set) else None)
    given = registers(graph).get(graph.entry, frozenset())
    found = frozenset[Var]()
    while True:
        more = frozenset(
            var
            for var, terms in written.items()
            if var not in given and all(t is not None and t.free <= found for t in terms)
        )
        if more == found:
            break
        found = more
    tested = {v for s in graph.steps if isinstance(s.op, Test) for v in s.op.formula.free & found}
    while True:
        sources = {v for t in tested for term in written[t] if term is not None for v in term.free}
        if sources <= tested:
            return frozenset(tested)
        tested |= sources
