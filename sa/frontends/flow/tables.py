"""Functions that threads run, where they are read from memory: from a table, or a field of a structure.

Threads are made before it is known what memory holds. So what is read is guessed by the stores to the same place, or by
what it is at first; that it is another function is a step of its own, a bound of the translation.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.frontends.flow.graph import Fail, Fork, Graph, Load, Set, Step, Store, Test, Unit, base, fresh
from sa.frontends.flow.heap import OTHER_FUNCTION
from sa.frontends.flow.terms import written_by
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Term, Var


def without_tables(graph: Graph, unit: Unit) -> None:
    """Let each creation of a thread name a function, as far as one can be guessed, in place."""
    before = dict[int, list[Step]]()
    for step in graph.steps:
        before.setdefault(step.target, []).append(step)
    for number, step in enumerate(graph.steps):
        if not isinstance(step.op, Fork) or not isinstance(step.op.procedure, Var):
            continue
        if step.op.procedure not in graph.registers or (found := _held(step, before, graph, unit)) is None:
            continue
        here, off = fresh(graph), fresh(graph)
        same = build.eq(step.op.procedure, found)
        graph.steps[number] = Step(step.source, Test(same), here, step.origin)
        graph.steps += (
            Step(here, replace(step.op, procedure=found), step.target, step.origin),
            Step(step.source, Test(build.lnot(same)), off, step.origin),
            Step(off, Fail(OTHER_FUNCTION), fresh(graph), step.origin),
        )


def _held(fork: Step, before: dict[int, list[Step]], graph: Graph, unit: Unit) -> Term | None:
    """What the register holds from which a thread gets its function: the code of one, if the guess is right."""
    assert isinstance(fork.op, Fork)
    var, here = fork.op.procedure, fork.source
    for _ in graph.steps:
        if len(before.get(here, ())) != 1:
            return None
        (step,) = before[here]
        here = step.source
        if written_by(step.op) is not var:
            continue
        match step.op:
            case Load(_, address, _, _, _):
                return _stored(address, graph, unit)
            case Set(_, term):
                if not isinstance(term, Var) or term not in graph.registers:
                    return term
                var = term
            case _:
                return None
    return None


def _stored(address: Term, graph: Graph, unit: Unit) -> Term | None:
    """The only value that is stored at an address, or else the one that is there at first."""
    found = {s.op.term for s in graph.steps if isinstance(s.op, Store) and s.op.address is address}
    if found:
        return found.pop() if len(found) == 1 else None
    distance, parts = linear_parts(address)
    for obj in unit.objects:
        if parts == {base(obj.name): 1} and 0 <= distance < len(obj.cells):
            return obj.cells[distance].initial
    return None
