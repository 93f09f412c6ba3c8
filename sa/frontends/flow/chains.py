"""Steps that the front end puts into a graph: one behind the other, with registers that it makes up."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Origin
from sa.frontends.flow.graph import ANY, Graph, Node, Op, Register, Step, fresh
from sa.terms import build
from sa.terms.name import unused
from sa.terms.term import Var


def temporary(graph: Graph, origin: Origin) -> Var:
    """A new register that the front end makes up."""
    var = build.variable(unused("__t", {v.name for v in graph.registers}))
    graph.registers[var] = Register(var, ANY, origin, temporary=True)
    return var


def chain(graph: Graph, source: Node, ops: Sequence[Op], target: Node, origin: Origin) -> list[Step]:
    """Steps one behind the other."""
    made, here = list[Step](), source
    for number, op in enumerate(ops, 1):
        after = target if number == len(ops) else fresh(graph)
        made.append(Step(here, op, after, origin))
        here = after
    return made
