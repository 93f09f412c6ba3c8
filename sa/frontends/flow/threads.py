"""The threads of a unit: one for `main` and one for each execution of a creation, each with its graph.

A thread has a row of three cells in the object `THREADS`: what it is at, its argument, and its result.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.frontends.flow.graph import (
    ANY,
    Begin,
    Cell,
    End,
    Fork,
    Graph,
    Join,
    Load,
    Node,
    Object,
    Op,
    Range,
    Register,
    Self,
    Set,
    Step,
    Storage,
    Store,
    Unit,
    Wait,
    base,
    code,
    fresh,
)
from sa.frontends.flow.inline import inline
from sa.frontends.flow.unroll import bounded, unroll
from sa.terms import build
from sa.terms.term import Term, Var

THREADS = "__threads"
#: What the cells of a thread are for.
_STATE, _ARGUMENT, _RESULT = 0, 1, 2
_ROW = 3
#: What a thread is at: waiting for its creation, running, over.
_RUNNING, _OVER = 1, 2

MAX_THREADS = 64


class Thread(Struct, frozen=True):
    """A thread: its name, its number from 1 on, and what it does."""

    name: str
    number: int
    graph: Graph


def threads_of(unit: Unit) -> tuple[tuple[Thread, ...], Object]:
    """All threads, the first one first, and the object `THREADS`. Raises InputError for creation without bound."""
    found = list[Thread]()
    waiting: list[tuple[str, tuple[str, ...], Origin]] = [(unit.entry, (), unit.procedures[unit.entry].origin)]
    names = set[str]()
    while len(found) < len(waiting):
        procedure, above, origin = waiting[len(found)]
        name = _unused(procedure, names)
        names.add(name)
        number = len(found) + 1
        graph, parameters, result = inline(unit, procedure, name)
        unroll(graph)
        if not bounded(graph):
            raise InputError((_unbounded(graph),))
        if number > 1:
            _framed(graph, number, parameters, result, origin)
        steps = list[Step]()
        for step in graph.steps:
            match step.op:
                case Fork(target, _, _):
                    called = _procedure(target, unit, step.origin)
                    chain = (*above, procedure)
                    if called in chain:
                        message = f"`{called}` is run by threads that threads of `{called}` create"
                        raise InputError((error("SA723", message, step.origin.span, _HINT),))
                    waiting.append((called, chain, step.origin))
                    if len(waiting) > MAX_THREADS:
                        message = f"more than {MAX_THREADS} threads are created"
                        raise InputError((error("SA723", message, step.origin.span, _HINT),))
                    steps += _created(graph, step, len(waiting))
                case Join():
                    steps += _joined(graph, step)
                case Self(var):
                    steps.append(replace(step, op=Set(var, build.integer(number))))
                case _:
                    steps.append(step)
        graph.steps = steps
        found.append(Thread(name, number, graph))
    return tuple(found), _table(found, waiting)


_HINT = "create a number of threads that a constant bounds"


def _unused(name: str, taken: set[str]) -> str:
    number, made = 1, name
    while made in taken:
        number += 1
        made = f"{name}_{number}"
    return made


def _unbounded(graph: Graph) -> Diagnostic:
    where = next(s.origin for s in graph.steps if isinstance(s.op, Fork))
    return error("SA723", "threads are created in a loop without a constant number of rounds", where.span, _HINT)


def _procedure(target: object, unit: Unit, origin: Origin) -> str:
    for name in unit.procedures:
        if target is code(name):
            return name
    raise InputError((error("SA720", "which function the thread runs is not known here", origin.span),))


def cell(number: int, which: int) -> Term:
    """The address of a thread's cell."""
    return build.add(base(THREADS), build.integer(_ROW * (number - 1) + which))


def _table(found: list[Thread], waiting: list[tuple[str, tuple[str, ...], Origin]]) -> Object:
    cells = list[Cell]()
    for thread, (_, _, _) in zip(found, waiting, strict=True):
        zero = build.integer(0)
        cells += [
            Cell(f"__at_{thread.name}", Range(0, _OVER), "thread", zero, True),
            Cell(f"__argument_{thread.name}", ANY, "argument", None, True),
            Cell(f"__result_{thread.name}", ANY, "result", None, True),
        ]
    return Object(THREADS, tuple(cells), Storage.STATIC, waiting[0][2])


def _chain(graph: Graph, source: Node, ops: list[Op], target: Node, origin: Origin) -> list[Step]:
    made, here = list[Step](), source
    for number, op in enumerate(ops, 1):
        after = target if number == len(ops) else fresh(graph)
        made.append(Step(here, op, after, origin))
        here = after
    return made


def _temporary(graph: Graph, origin: Origin, range_: Range = ANY) -> Var:
    var = build.variable(_unused("__t", {v.name for v in graph.registers}))
    graph.registers[var] = Register(var, range_, origin, temporary=True)
    return var


def _framed(graph: Graph, number: int, parameters: tuple[Var, ...], result: Var, origin: Origin) -> None:
    """The thread waits for its creation first, and says at its end that it is over."""
    state = _temporary(graph, origin)
    origin = replace(origin, text="the thread begins")
    ops: list[Op] = [Begin(), Load(state, cell(number, _STATE), "thread", "thread")]
    ops.append(Wait(build.eq(state, build.integer(_RUNNING))))
    ops += [Load(p, cell(number, _ARGUMENT), "argument", "thread") for p in parameters[:1]]
    entry, last = fresh(graph), fresh(graph)
    graph.steps[:0] = _chain(graph, entry, [*ops, End()], graph.entry, origin)
    over: list[Op] = [
        Begin(),
        Store(cell(number, _RESULT), result, "result", "thread"),
        Store(cell(number, _STATE), build.integer(_OVER), "thread", "thread"),
        End(),
    ]
    graph.steps += _chain(graph, graph.exit, over, last, replace(origin, text="the end of the thread"))
    graph.entry, graph.exit = entry, last


def _created(graph: Graph, step: Step, number: int) -> list[Step]:
    assert isinstance(step.op, Fork)
    ops: list[Op] = [
        Begin(),
        Store(cell(number, _ARGUMENT), step.op.argument, "argument", "thread"),
        Store(cell(number, _STATE), build.integer(_RUNNING), "thread", "thread"),
        Set(step.op.result, build.integer(number)),
        End(),
    ]
    return _chain(graph, step.source, ops, step.target, step.origin)


def _joined(graph: Graph, step: Step) -> list[Step]:
    assert isinstance(step.op, Join)
    state = _temporary(graph, step.origin)
    row = build.add(base(THREADS), build.scale(_ROW, step.op.thread), build.integer(-_ROW))
    ops: list[Op] = [Begin(), Load(state, row, "thread", "a thread that there is not")]
    ops.append(Wait(build.eq(state, build.integer(_OVER))))
    if step.op.result is not None:
        ops.append(Load(step.op.result, build.add(row, build.integer(_RESULT)), "result", "thread"))
    return _chain(graph, step.source, [*ops, End()], step.target, step.origin)
