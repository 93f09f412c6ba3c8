"""Waiting for conditions: who is blocked on which one, whom a signal wakes, and which waits end by themselves.

A thread that waits for conditions has a cell with the address of the one on which it is blocked, 0 if there is none. A
signal clears the cell of any one thread that is blocked on the condition, a broadcast those of all (POSIX,
`pthread_cond_signal`). A wait that has begun ends when the cell is clear; or the thread clears it itself, which is a
spurious wake-up, or in a timed wait the timeout. Of deadlocks only runs without spurious wake-ups are meant: a bit
says that there was one.

Where nothing looks at the cells there are none: with spurious wake-ups a wait may end at any time anyway. Copies of a
family have no cells that others could clear; there only the threads that wait are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.frontends.flow.chains import chain, temporary
from sa.frontends.flow.graph import (
    Begin,
    Cell,
    End,
    Fail,
    Graph,
    Havoc,
    Load,
    Node,
    Object,
    Op,
    Range,
    Set,
    Skip,
    Step,
    Storage,
    Store,
    Test,
    Words,
    base,
    fresh,
)
from sa.frontends.flow.heap import WAITING_COPIES
from sa.frontends.flow.orders import RELAXED
from sa.frontends.flow.waits import Block, Signal, TimeOut, Unblock, Waited
from sa.terms import build
from sa.terms.term import Term, Var

#: The objects of the cells, of the number of threads that wait, and of the bit.
BLOCKED, WAITERS, SPURIOUS = "__blocked", "__waiters", "__spurious"
_KEY = "waiting"


class Waiting(Struct, frozen=True):
    """Which threads have cells, by their numbers: the places of these in `BLOCKED`.

    `watched`: somebody looks at the cells. `marked`: spurious wake-ups set the bit. `counted`: the threads that wait
    are counted instead.
    """

    cells: Mapping[int, int]
    watched: bool
    marked: bool
    counted: bool


def waiting_in(graphs: Mapping[int, Graph], families: bool, deadlock: bool) -> Waiting:
    """What is to be known of waiting in threads with these numbers; with `families` they are only counted."""
    waits = [n for n, graph in graphs.items() if any(isinstance(s.op, Block) for s in graph.steps)]
    asked = any(isinstance(s.op, Waited) for graph in graphs.values() for s in graph.steps)
    watched = bool(waits) and (deadlock or asked) and not families
    counted = bool(waits) and asked and families
    return Waiting({n: k for k, n in enumerate(waits)}, watched, watched and deadlock, counted)


def objects_of(waiting: Waiting, names: Mapping[int, str], where: Origin) -> Iterator[Object]:
    """The objects that waiting needs, for threads with these names."""
    if waiting.watched:
        words = Words(pointers=True)
        told = (Cell(f"__blocked_{names[n]}", Range(), _KEY, build.ZERO, True, words) for n in waiting.cells)
        yield Object(BLOCKED, tuple(told), Storage.STATIC, where)
    if waiting.marked:
        yield Object(SPURIOUS, (Cell("", Range(0, 1), _KEY, build.ZERO, True),), Storage.STATIC, where)
    if waiting.counted:
        yield Object(WAITERS, (Cell("", Range(), "count", build.ZERO, True),), Storage.STATIC, where)


def expand(graph: Graph, number: int, waiting: Waiting) -> None:
    """Replace the words about waiting of the thread with this number by elementary steps, in place."""
    steps = list[Step]()
    for step in graph.steps:
        match step.op:
            case Block():
                steps += _blocked(graph, step, number, waiting)
            case Unblock():
                steps += _unblocked(graph, step, number, waiting)
            case TimeOut():
                steps += _timed(graph, step, number, waiting)
            case Signal():
                steps += _signalled(graph, step, number, waiting)
            case Waited():
                steps += _looked(graph, step, number, waiting)
            case _:
                steps.append(step)
    graph.steps = steps


def _cell(place: int) -> Term:
    return build.add(base(BLOCKED), build.integer(place))


def _read(var: Var, place: int) -> Load:
    # Signals order nothing (C11 7.26.3): what threads do is ordered by the mutex.
    return Load(var, _cell(place), _KEY, "thread", order=RELAXED)


def _written(place: int, value: Term) -> Store:
    return Store(_cell(place), value, _KEY, "thread")


def _counted(graph: Graph, origin: Origin, more: int) -> list[Op]:
    """That there are `more` threads now that wait."""
    var = temporary(graph, origin)
    after = build.add(var, build.integer(more))
    return [Load(var, base(WAITERS), "count", "thread"), Store(base(WAITERS), after, "count", "thread")]


def _blocked(graph: Graph, step: Step, number: int, waiting: Waiting) -> list[Step]:
    assert isinstance(step.op, Block)
    ops: list[Op] = [Skip()]
    if waiting.watched:
        ops = [_written(waiting.cells[number], step.op.address)]
    elif waiting.counted:
        ops = _counted(graph, step.origin, 1)
    return chain(graph, step.source, ops, step.target, step.origin)


def _unblocked(graph: Graph, step: Step, number: int, waiting: Waiting) -> list[Step]:
    """The region can begin where a signal has come, or the wait ends by itself."""
    if not waiting.watched:
        ops = _counted(graph, step.origin, -1) if waiting.counted else [Skip()]
        return chain(graph, step.source, ops, step.target, step.origin)
    place, own = waiting.cells[number], temporary(graph, step.origin)
    woken: list[Op] = [Skip(), _read(own, place), Test(build.eq(own, build.ZERO))]
    by_itself: list[Op] = [Skip(), _read(own, place), Test(build.ne(own, build.ZERO)), _written(place, build.ZERO)]
    if waiting.marked:
        by_itself.append(Store(base(SPURIOUS), build.ONE, _KEY, "thread"))
    told = replace(step.origin, remark="spurious wake-up")
    return [
        *chain(graph, step.source, woken, step.target, step.origin),
        *chain(graph, step.source, by_itself, step.target, told),
    ]


def _timed(graph: Graph, step: Step, number: int, waiting: Waiting) -> list[Step]:
    """Until the wait ends in another way, time may be over: a step of its own, behind which no signal is taken."""
    assert isinstance(step.op, TimeOut)
    if not waiting.watched:
        return [replace(step, op=Havoc(step.op.var, Range(0, 1)))]
    place, own = waiting.cells[number], temporary(graph, step.origin)
    ops: list[Op] = [
        Begin(),
        _read(own, place),
        Test(build.ne(own, build.ZERO)),
        _written(place, build.ZERO),
        Set(step.op.var, build.ONE),
        End(),
    ]
    told = replace(step.origin, remark="times out")
    return [replace(step, op=Set(step.op.var, build.ZERO)), *chain(graph, step.target, ops, step.target, told)]


def _others(graph: Graph, step: Step, number: int, waiting: Waiting) -> tuple[dict[int, Var], list[Op]]:
    """Registers for the cells of the other threads, and the loads that fill them."""
    read = {place: temporary(graph, step.origin) for n, place in waiting.cells.items() if n != number}
    return read, [_read(var, place) for place, var in read.items()]


def _signalled(graph: Graph, step: Step, number: int, waiting: Waiting) -> list[Step]:
    assert isinstance(step.op, Signal)
    condition = step.op.address
    if not waiting.watched:
        return [replace(step, op=Skip())]
    read, loads = _others(graph, step, number, waiting)
    if step.op.every:
        for place, var in read.items():
            loads.append(_written(place, build.ite(build.eq(var, condition), build.ZERO, var)))
        return chain(graph, step.source, [*loads, Skip()], step.target, step.origin)
    here: Node = fresh(graph)
    steps = chain(graph, step.source, [*loads, Skip()], here, step.origin)
    none = build.land(*(build.ne(var, condition) for var in read.values()))
    steps.append(Step(here, Test(none), step.target, step.origin))
    for place, var in read.items():
        woken: Sequence[Op] = (Test(build.eq(var, condition)), _written(place, build.ZERO))
        steps += chain(graph, here, woken, step.target, step.origin)
    return steps


def _looked(graph: Graph, step: Step, number: int, waiting: Waiting) -> list[Step]:
    """Whether somebody is blocked. Of copies of a family that is not known exactly, but whether nobody waits is."""
    assert isinstance(step.op, Waited)
    nobody = Set(step.op.var, build.ZERO)
    if waiting.counted:
        var, here = temporary(graph, step.origin), fresh(graph)
        load = Load(var, base(WAITERS), "count", "thread")
        some: Sequence[Op] = (Test(build.lt(build.ZERO, var)), Fail(WAITING_COPIES))
        return [
            Step(step.source, load, here, step.origin),
            *chain(graph, here, some, fresh(graph), step.origin),
            *chain(graph, here, (Test(build.le(var, build.ZERO)), nobody), step.target, step.origin),
        ]
    if not waiting.watched:
        return [replace(step, op=nobody)]
    read, loads = _others(graph, step, number, waiting)
    some_one = build.lor(*(build.eq(var, step.op.address) for var in read.values()))
    ops: list[Op] = [*loads, Set(step.op.var, build.ite(some_one, build.ONE, build.ZERO))]
    return chain(graph, step.source, ops, step.target, step.origin)
