"""When a function will be undefined in any case: on every way on, through finitely many steps and without an acquire.

What C leaves undefined has no meaning as a whole, so that an optimiser may do it earlier (SEQ, PLDI 2022, section 4:
late undefined behaviour). Here it is a condition on registers, by weakest preconditions over the graph. Where nodes
lie on a cycle nothing is said: that they are left is not known.
"""

from __future__ import annotations

from collections.abc import Mapping

from sa.frontends.flow.access import Accesses
from sa.frontends.flow.debts import ENDS
from sa.frontends.flow.graph import (
    Begin,
    Divide,
    End,
    Fail,
    Havoc,
    Live,
    Load,
    Lock,
    Node,
    Room,
    Self,
    Set,
    Show,
    Skip,
    Step,
    Store,
    Stride,
    Sync,
    Test,
    outgoing,
)
from sa.frontends.flow.heap import BOUNDS
from sa.frontends.flow.layout import cell_at
from sa.frontends.flow.order import components
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, pointed
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, subterms

#: A condition of more terms is given up.
_MOST_TERMS = 100


def doomed(thread: Thread, known: Accesses) -> Mapping[Node, Term]:
    """By node a condition under which what follows is undefined; without one where none is known."""
    graph = thread.graph
    following = outgoing(graph.steps)
    successors = {n: [s.target for s in steps] for n, steps in following.items()}
    found = dict[Node, Term]()
    for component in components((graph.entry,), successors):
        (node, *more) = component
        if more or node in successors.get(node, ()) or node == graph.exit or node not in following:
            continue
        ways = [_before(s, found.get(s.target, build.FALSE), thread, known) for s in following[node]]
        if all(way is build.FALSE for way, _ in ways):
            continue
        made = build.land(*(build.lor(build.lnot(test), way) for way, test in ways))
        if made is not build.FALSE and sum(1 for _ in subterms((made,))) <= _MOST_TERMS:
            found[node] = made
    return found


def _before(step: Step, after: Term, thread: Thread, known: Accesses) -> tuple[Term, Term]:
    """The condition before a step, and the one under which the step is taken."""
    match step.op:
        case Fail(what):
            return (build.FALSE if what in ENDS or what in BOUNDS else build.TRUE), build.TRUE
        case Test(formula):
            return after, formula
        case Set(var, term):
            return substitute(after, {var: term}), build.TRUE
        case Show(sync=Sync.NONE | Sync.RELEASE):
            return after, build.TRUE
        case Skip() | Stride() | Live() | Begin() | End() | Lock():
            return after, build.TRUE
        case Store():
            return build.lor(after, _nowhere(step.op, thread, known)), build.TRUE
        case Load(var=var):
            kept = build.FALSE if var in after.free else after
            return build.lor(kept, _nowhere(step.op, thread, known)), build.TRUE
        case Divide(var=var) | Havoc(var=var) | Self(var) | Room(var=var) if var not in after.free:
            return after, build.TRUE
        case _:
            return build.FALSE, build.TRUE


def _nowhere(op: Load | Store, thread: Thread, known: Accesses) -> Term:
    """That an address is that of nothing."""
    values = pointed(op.address, op.among, known.found, thread.number)
    if OTHER in values or op.among is not None:
        return build.FALSE
    bad = (v for v in values if v is not OTHER and cell_at(v, known.found.layout) is None)
    return build.lor(*(build.eq(op.address, build.integer(v)) for v in sorted(bad)))
