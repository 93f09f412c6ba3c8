"""Joins of the first thread where there is any number of threads: it is not known which of them is waited for.

They do not wait, and what goes wrong behind them says nothing (`heap.JOINED`). So there are more runs than in C, but
the steps of all other threads in them are steps of runs that there are: nothing behind such a join may change what the
others see (`access.still`), and none is created there.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.base.diagnostic import InputError, error
from sa.frontends.flow.graph import ANY, Fail, Fork, Graph, Havoc, Join, Load, Node, Op, Skip, Step, Store, outgoing
from sa.frontends.flow.heap import BOUNDS, JOINED


def loosened(graph: Graph) -> None:
    """Let joins whose thread is not a constant not wait, in place. Raises InputError for a creation behind one."""
    following = outgoing(graph.steps)
    behind, pending = set[Node](), [s.target for s in graph.steps if _is_open(s.op)]
    while pending:
        node = pending.pop()
        if node not in behind:
            behind.add(node)
            pending += [s.target for s in following.get(node, ())]
    graph.steps = [_behind(s) if s.source in behind else replace(s, op=_open(s.op)) for s in graph.steps]


def _is_open(op: Op) -> bool:
    return isinstance(op, Join) and bool(op.thread.free)


def _open(op: Op) -> Op:
    if not isinstance(op, Join) or not _is_open(op):
        return op
    return Skip() if op.result is None else Havoc(op.result, ANY)


def _behind(step: Step) -> Step:
    match step.op:
        case Fork():
            message, hint = "a creation behind a join of any number of threads", "create all threads before"
            raise InputError((error("SA721", message, step.origin.span, hint),))
        case Fail(what):
            return replace(step, op=Fail(what if what in BOUNDS else JOINED))
        case Load() | Store():
            return replace(step, op=replace(step.op, wrong=JOINED))
        case _:
            return replace(step, op=_open(step.op))
