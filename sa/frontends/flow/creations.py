"""What creations, joins, and the beginning and end of threads become, once the threads are known.

A thread has a row of three cells in the object `THREADS`: what it is at, its argument, and its result.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import THREAD_BEGINS, THREAD_ENDS, Origin
from sa.frontends.flow.chains import chain, temporary
from sa.frontends.flow.graph import (
    ANY,
    Begin,
    End,
    Fail,
    Fork,
    Graph,
    Havoc,
    Join,
    Load,
    Op,
    Set,
    Step,
    Store,
    Test,
    Wait,
    base,
    fresh,
)
from sa.frontends.flow.heap import MORE_COPIES
from sa.frontends.flow.joins import running
from sa.frontends.flow.orders import ACQUIRE, RELEASE
from sa.terms import build
from sa.terms.term import Term, Var

THREADS, OFFER = "__threads", "__offer"
#: What the cells of a thread are for.
_STATE, _ARGUMENT, _RESULT = 0, 1, 2
ROW = 3
#: What is wrong where a thread that is waited for is none.
NO_THREAD = "a thread that there is not"
#: What a thread is at: waiting for its creation, running, over.
_RUNNING, OVER = 1, 2


def cell(number: int, which: int) -> Term:
    """The address of a thread's cell."""
    return build.add(base(THREADS), build.integer(ROW * (number - 1) + which))


def offer(number: int) -> str:
    """The name of the object by which copies of a family are created: whether one is wanted, and its argument."""
    return f"{OFFER}{number}"


def framed(graph: Graph, number: int, parameters: tuple[Var, ...], result: Var, origin: Origin) -> None:
    """The thread waits for its creation first, and says at its end that it is over."""
    state = temporary(graph, origin)
    origin = replace(origin, text=THREAD_BEGINS)
    ops: list[Op] = [Begin(), Load(state, cell(number, _STATE), "thread", "thread", order=ACQUIRE)]
    ops.append(Wait(build.eq(state, build.integer(_RUNNING))))
    ops += [Load(p, cell(number, _ARGUMENT), "argument", "thread") for p in parameters[:1]]
    entry, last = fresh(graph), fresh(graph)
    graph.steps[:0] = chain(graph, entry, [*ops, End()], graph.entry, origin)
    over: list[Op] = [
        Begin(),
        Store(cell(number, _RESULT), result, "result", "thread"),
        Store(cell(number, _STATE), build.integer(OVER), "thread", "thread", order=RELEASE),
        End(),
    ]
    graph.steps += chain(graph, graph.exit, over, last, replace(origin, text=THREAD_ENDS))
    graph.entry, graph.exit = entry, last


def ending(graph: Graph, origin: Origin) -> None:
    """The thread does not run any more."""
    origin, last = replace(origin, text=THREAD_ENDS), fresh(graph)
    graph.steps += chain(graph, graph.exit, [Begin(), *running(graph, origin, -1), End()], last, origin)
    graph.exit = last


def created(graph: Graph, step: Step, number: int, sign: int, one_more: list[Op]) -> list[Step]:
    """Create the thread with this number."""
    assert isinstance(step.op, Fork)
    ops = [Begin(), *_creating(step.op, number, sign, one_more), End()]
    return chain(graph, step.source, ops, step.target, step.origin)


def _creating(op: Fork, number: int, sign: int, one_more: list[Op]) -> list[Op]:
    return [
        Store(cell(number, _ARGUMENT), op.argument, "argument", "thread"),
        Store(cell(number, _STATE), build.integer(_RUNNING), "thread", "thread", order=RELEASE),
        *one_more,
        Set(op.result, build.integer(sign * number)),
    ]


def bounded(graph: Graph, step: Step, slots: list[int]) -> list[Step]:
    """Create the next one of these threads, which a register counts from the beginning of the creating thread on."""
    assert isinstance(step.op, Fork)
    made, entry, inside = temporary(graph, step.origin), fresh(graph), fresh(graph)
    steps = [Step(entry, Set(made, build.ZERO), graph.entry, step.origin)]
    graph.entry = entry
    steps.append(Step(step.source, Begin(), inside, step.origin))
    for place, number in enumerate(slots):
        ops: list[Op] = [Test(build.eq(made, build.integer(place))), *_creating(step.op, number, 1, [])]
        ops += [Set(made, build.integer(place + 1)), End()]
        steps += chain(graph, inside, ops, step.target, step.origin)
    more: list[Op] = [Test(build.le(build.integer(len(slots)), made)), Fail(MORE_COPIES)]
    return [*steps, *chain(graph, inside, more, fresh(graph), step.origin)]


def joined(graph: Graph, step: Step, sign: int) -> list[Step]:
    """Wait until a thread is over, and read its result."""
    assert isinstance(step.op, Join)
    state = temporary(graph, step.origin)
    row = build.add(base(THREADS), build.scale(sign * ROW, step.op.thread), build.integer(-ROW))
    ops: list[Op] = [Begin(), Load(state, row, "thread", NO_THREAD, order=ACQUIRE)]
    ops.append(Wait(build.eq(state, build.integer(OVER))))
    if step.op.result is not None:
        ops.append(Load(step.op.result, build.add(row, build.integer(_RESULT)), "result", "thread"))
    return chain(graph, step.source, [*ops, End()], step.target, step.origin)


def offered(graph: Graph, step: Step, number: int, counted: bool, one_more: list[Op]) -> list[Step]:
    """Create a copy of a family, which takes the offer at once: that it is there is nobody else's business."""
    assert isinstance(step.op, Fork)
    wanted = temporary(graph, step.origin)
    place = base(offer(number))
    taken: list[Op] = [Load(wanted, place, "thread", "thread"), Wait(build.eq(wanted, build.ZERO))]
    ops: list[Op] = [
        Begin(),
        *(taken if counted else ()),
        Store(build.add(place, build.ONE), step.op.argument, "argument", "thread"),
        Store(place, build.ONE, "thread", "thread", order=RELEASE),
        *one_more,
        Havoc(step.op.result, ANY),
        End(),
    ]
    return chain(graph, step.source, ops, step.target, step.origin)


def joining(graph: Graph, number: int, parameters: tuple[Var, ...], origin: Origin, counted: bool) -> None:
    """A copy begins by taking an offer."""
    origin = replace(origin, text=THREAD_BEGINS)
    wanted, place = temporary(graph, origin), base(offer(number))
    ops: list[Op] = [Begin(), Load(wanted, place, "thread", "thread", order=ACQUIRE), Wait(build.eq(wanted, build.ONE))]
    ops += [Load(p, build.add(place, build.ONE), "argument", "thread") for p in parameters[:1]]
    ops += [*([Store(place, build.ZERO, "thread", "thread")] if counted else ()), End()]
    entry = fresh(graph)
    graph.steps[:0] = chain(graph, entry, ops, graph.entry, origin)
    graph.entry = entry
