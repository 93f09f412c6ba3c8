"""Joins of the first thread where there is any number of threads: it is not known which of them is waited for.

Such a join has two ways. One waits until all threads that were created have ended: C has such runs, and behind it the
first thread is alone whichever thread it waits for. The other does not wait, and so has all runs of C and more. Behind
that one the first thread is *early*, and what goes wrong says nothing of the program (`heap.JOINED`): in the first
thread, and in the others as soon as the first one has written what they may read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.frontends.flow.chains import chain
from sa.frontends.flow.graph import (
    ANY,
    Begin,
    Cell,
    End,
    Fail,
    Fork,
    Graph,
    Havoc,
    Join,
    Load,
    Node,
    Object,
    Op,
    Range,
    Register,
    Skip,
    Step,
    Storage,
    Store,
    Wait,
    base,
    fresh,
    outgoing,
)
from sa.frontends.flow.heap import BOUNDS, JOINED, LOCK, LOCK_JOINED
from sa.frontends.flow.lives import Dead, Free, Freeable
from sa.frontends.flow.orders import ACQUIRE, UPDATE
from sa.terms import build

#: The objects that count the threads which run, and that say whether the first thread was early.
RUNNING, EARLY = "__running", "__early"


def loosened(graph: Graph) -> tuple[Object, ...]:
    """Give joins whose thread is not a constant their two ways, in place, and return the objects that these need."""
    joins = [s for s in graph.steps if _is_open(s.op)]
    if not joins:
        return ()
    early = _early_nodes(graph, joins)
    steps = list[Step]()
    for step in graph.steps:
        steps += _opened(graph, step, early) if _is_open(step.op) else [step]
        if step.source in early:
            steps += _early(graph, step, early)
    graph.steps = steps
    ranges = ((RUNNING, ANY), (EARLY, Range(0, 1)))
    where = joins[0].origin
    return tuple(Object(n, (Cell("", r, "count", build.ZERO, True),), Storage.STATIC, where) for n, r in ranges)


def running(graph: Graph, origin: Origin, more: int) -> list[Op]:
    """That there are `more` threads now, to be done in an atomic region."""
    number = build.variable(f"__running{len(graph.registers)}")
    graph.registers[number] = Register(number, ANY, origin, temporary=True)
    after = build.add(number, build.integer(more))
    return [
        Load(number, base(RUNNING), "count", "thread"),
        Store(base(RUNNING), after, "count", "thread", order=UPDATE),
    ]


def calm(graph: Graph, disturbs: Callable[[Step], bool]) -> bool:
    """Take back, in place, that the first thread is early where it disturbs nobody; whether there was such a place."""
    before = {s.target: s for s in graph.steps if isinstance(s.op, Store) and s.op.address is base(EARLY)}
    stores = (s for s in graph.steps if isinstance(s.op, Store) and s.source in before)
    idle = {id(before[s.source]) for s in stores if not disturbs(s)}
    graph.steps = [replace(s, op=Skip()) if id(s) in idle else s for s in graph.steps]
    return bool(idle)


def _early_nodes(graph: Graph, joins: Sequence[Step]) -> dict[Node, Node]:
    """The copies of all nodes behind a join, for a thread that is early. The end is the same one."""
    following = outgoing(graph.steps)
    found, pending = {graph.exit: graph.exit}, [s.target for s in joins]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = fresh(graph)
            pending += [s.target for s in following.get(node, ())]
    return found


def _is_open(op: Op) -> bool:
    return isinstance(op, Join) and bool(op.thread.free)


def _opened(graph: Graph, step: Step, early: dict[Node, Node]) -> Iterator[Step]:
    """The two ways of a join. Which result it has is not known on either, so then the thread is early."""
    assert isinstance(step.op, Join)
    where = step.origin
    yield from _early(graph, step, {step.source: step.source, step.target: early[step.target]})
    if step.op.result is not None:
        return
    number = build.variable(f"__number{step.source}")
    graph.registers[number] = Register(number, ANY, where, temporary=True)
    ops: list[Op] = [Begin(), Load(number, base(RUNNING), "count", "thread", order=ACQUIRE)]
    ops += [Wait(build.eq(number, build.ZERO)), End()]
    yield from chain(graph, step.source, ops, step.target, where)


def _early(graph: Graph, step: Step, early: dict[Node, Node]) -> Iterator[Step]:
    """A step of a thread that is early."""
    source, target = early[step.source], early[step.target]
    told = Store(base(EARLY), build.ONE, "count", "thread")
    match step.op:
        case Join(_, result) if _is_open(step.op):
            yield Step(source, Skip() if result is None else Havoc(result, ANY), target, step.origin)
        case Fork():
            yield from chain(graph, source, [told, step.op], target, step.origin)
        case Fail(what):
            yield Step(source, Fail(what if what in BOUNDS else JOINED), target, step.origin)
        case Load():
            yield Step(source, replace(step.op, wrong=JOINED), target, step.origin)
        case Store():
            wrong = LOCK_JOINED if step.op.wrong == LOCK else JOINED
            yield from chain(graph, source, [told, replace(step.op, wrong=wrong)], target, step.origin)
        case Free():
            yield from chain(graph, source, [told, replace(step.op, early=True)], target, step.origin)
        case Freeable():
            yield Step(source, replace(step.op, early=True), target, step.origin)
        case Dead():
            yield from chain(graph, source, [told, step.op], target, step.origin)
        case _:
            yield replace(step, source=source, target=target)
