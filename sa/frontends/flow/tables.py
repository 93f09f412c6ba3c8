"""Functions that threads run, where they are chosen, or read from memory: from a table, or a field of a structure.

Threads are made before it is known what memory holds. So what is read is guessed by the stores to the same place, or by
what it is at first; that it is another function is a step of its own, a bound of the translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.frontends.flow.graph import Fail, Fork, Graph, Load, Node, Set, Step, Store, Test, Unit, base, code, fresh
from sa.frontends.flow.heap import OTHER_FUNCTION
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.terms import written_by
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Ite, Term, Var

#: What may be any function.
_ANY: Sequence[None] = (None,)


def without_tables(graph: Graph, unit: Unit) -> None:
    """Let each creation of a thread name a function, as far as some can be guessed, in place."""
    before = dict[Node, list[Step]]()
    for step in graph.steps:
        before.setdefault(step.target, []).append(step)
    for step in [s for s in graph.steps if isinstance(s.op, Fork)]:
        assert isinstance(step.op, Fork)
        chosen = step.op.procedure
        if not isinstance(chosen, Ite) and chosen not in graph.registers:
            continue
        found = dict.fromkeys(_values(chosen, step.source, before, graph, unit, set()))
        procedures = [term for term in map(code, unit.procedures) if term in found]
        if None in found or not procedures:
            continue
        graph.steps = [s for s in graph.steps if s is not step]
        others: Term = build.TRUE
        for procedure in procedures:
            same, here = simplified(build.eq(chosen, procedure)), fresh(graph)
            graph.steps.append(Step(step.source, Test(build.land(others, same)), here, step.origin))
            graph.steps.append(Step(here, replace(step.op, procedure=procedure), step.target, step.origin))
            others = build.land(others, build.lnot(same))
        if others is not build.FALSE:
            off = fresh(graph)
            graph.steps.append(Step(step.source, Test(others), off, step.origin))
            graph.steps.append(Step(off, Fail(OTHER_FUNCTION), fresh(graph), step.origin))


def _values(
    term: Term, node: Node, before: Mapping[Node, Sequence[Step]], graph: Graph, unit: Unit, met: set[tuple[Var, Node]]
) -> Iterator[Term | None]:
    """What a term may be at a node, if guesses are right; None among that for anything. Registers are `met` once."""
    if isinstance(term, Ite):
        yield from _values(term.positive, node, before, graph, unit, met)
        yield from _values(term.negative, node, before, graph, unit, met)
    elif not isinstance(term, Var) or term not in graph.registers:
        yield term
    elif (term, node) not in met:
        met.add((term, node))
        yield from _written(term, node, before, graph, unit, met)


def _written(
    var: Var, node: Node, before: Mapping[Node, Sequence[Step]], graph: Graph, unit: Unit, met: set[tuple[Var, Node]]
) -> Iterator[Term | None]:
    """What the last writes of a register give it, on each way to a node."""
    pending, seen = [node], {node}
    while pending:
        here = pending.pop()
        if here == graph.entry:
            yield None
        for step in before.get(here, ()):
            match step.op:
                case Load(written, address, _, _, _) if written is var:
                    yield from _stored(address, graph, unit)
                case Set(written, term) if written is var:
                    yield from _values(term, step.source, before, graph, unit, met)
                case op if written_by(op) is var:
                    yield None
                case _ if step.source not in seen:
                    seen.add(step.source)
                    pending.append(step.source)
                case _:
                    pass


def _stored(address: Term, graph: Graph, unit: Unit) -> Sequence[Term | None]:
    """The values that are stored at an address, or else the one that is there at first."""
    found = {s.op.term: None for s in graph.steps if isinstance(s.op, Store) and s.op.address is address}
    if found:
        return _ANY if any(v in graph.registers for term in found for v in term.free) else tuple(found)
    distance, parts = linear_parts(address)
    for obj in unit.objects:
        if parts == {base(obj.name): 1} and 0 <= distance < len(obj.cells):
            return (obj.cells[distance].initial,)
    return _ANY
