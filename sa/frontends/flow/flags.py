"""Flags: registers that get nothing but constants. Nodes are told apart by their values as long as these matter.

What a function did and what it returns then go together: `if (get(&x))` is left by the paths that wrote `x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.components import components
from sa.frontends.flow.graph import Graph, Set, Skip, Step, Test, outgoing
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.terms import over, written_by
from sa.frontends.flow.unroll import split_by
from sa.terms.term import Term, Var

#: A graph may grow by that factor.
_MOST_GROWTH = 3

#: So many nodes are few enough for the rounds of loops.
_MOST_NODES = 800


def without_flags(graph: Graph) -> None:
    """Tell nodes apart by the values of the flags that are tested, in place, unless there are too many nodes then."""
    most = _MOST_GROWTH * len(outgoing(graph.steps)) + 50
    _split(graph, _tested(graph.steps, _written(graph), frozenset()), most)


def without_counters(graph: Graph) -> None:
    """Tell nodes apart by the values of the counters that loops test, in place. Constant numbers of rounds go.

    One loop after the other, so that one of too many rounds leaves the others as they would be.
    """
    following, written = outgoing(graph.steps), _written(graph)
    loops = components((graph.entry,), {n: [s.target for s in out] for n, out in following.items()})
    groups = [[s for n in loop for s in following.get(n, ()) if s.target in loop] for loop in loops]
    for inside in groups:
        _split(graph, _tested(inside, written, frozenset(written)), _MOST_NODES)


def _split(graph: Graph, by: frozenset[Var], most: int) -> None:
    if not by:
        return
    relevant = {node: alive & by for node, alive in registers(graph).items()}
    made = split_by(graph, outgoing(graph.steps), relevant, most)
    if made is not None:
        graph.steps, graph.nodes, graph.entry, graph.exit = made


def without_copies(graph: Graph, var: Var) -> None:
    """Read a variable that nothing writes instead of registers that never hold anything else, in place."""
    while True:
        copies: dict[Var, Term] = {v: var for v, terms in _written(graph).items() if {*terms} == {var}}
        if not copies:
            return
        graph.steps = [
            replace(s, op=Skip())
            if isinstance(s.op, Set) and s.op.var in copies
            else replace(s, op=over(s.op, copies, lambda v: v))
            for s in graph.steps
        ]


def _written(graph: Graph) -> dict[Var, list[Term | None]]:
    """The terms that each register gets, None for what is none. Those that have a value at the entry are left out."""
    written = dict[Var, list[Term | None]]()
    for step in graph.steps:
        if (var := written_by(step.op)) is not None:
            written.setdefault(var, []).append(step.op.term if isinstance(step.op, Set) else None)
    for var in registers(graph).get(graph.entry, frozenset()):
        written.pop(var, None)
    return written


def _tested(
    steps: Iterable[Step], written: Mapping[Var, Sequence[Term | None]], found: frozenset[Var]
) -> frozenset[Var]:
    """The registers on which tests depend of those made of constants and each other.

    From nothing that is `found`, those are flags. From everything, counters are among them, made of themselves.
    """
    while True:
        made = frozenset(v for v, terms in written.items() if all(t is not None and t.free <= found for t in terms))
        if made == found:
            break
        found = made
    tested = {v for s in steps if isinstance(s.op, Test) for v in s.op.formula.free & found}
    while True:
        sources = {v for t in tested for term in written[t] if term is not None for v in term.free}
        if sources <= tested:
            return frozenset(tested)
        tested |= sources
