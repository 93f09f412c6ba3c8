"""What one thread does: its procedure with all calls replaced by what is called."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import EXIT, THREAD_ENDS, Link, Origin
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import (
    ANY,
    Allocate,
    Call,
    Exit,
    Fail,
    Graph,
    Halt,
    Live,
    Node,
    Op,
    Procedure,
    Register,
    Set,
    Skip,
    Step,
    Storage,
    Unit,
    base,
    fresh,
)
from sa.frontends.flow.heap import DEEPER
from sa.frontends.flow.lives import Dead, Track
from sa.frontends.flow.terms import over
from sa.terms import build
from sa.terms.name import unused
from sa.terms.term import Term, Var

#: A thread that has more elementary steps is not translated.
MAX_STEPS = 100_000

#: How often a function may be inside of itself, as long as the thread has no more steps than that.
_DEPTHS, _MOST_RECURSIVE = (8, 5, 3, 2, 1), 1_500


class _Thread(Struct, frozen=True):
    """What all activations of a thread share; `result` is the register of what it ends with.

    A function is at most `deep` times inside of itself; a call beyond that is the failing step `DEEPER`. `leaving` are
    the steps by which the thread ends from within functions.
    """

    unit: Unit
    name: str
    graph: Graph
    result: Var
    deep: int
    leaving: list[Step] = field(default_factory=list)


class _Frame(Struct, frozen=True):
    """An activation: who called whom, what its names begin with, where its steps are shown, and the calls around."""

    chain: tuple[str, ...]
    prefix: str
    shown: Origin | None
    calls: tuple[Link, ...] = ()

    def place(self, origin: Origin) -> Origin:
        """Where a step of this activation is shown."""
        if self.shown is not None:
            return self.shown
        return replace(origin, chain=(*origin.chain, *self.calls)) if self.calls else origin


def inline(unit: Unit, procedure: str, thread: str) -> tuple[Graph, tuple[Var, ...], Var]:
    """The graph of a thread that runs a procedure, the registers of its parameters, and the one of its result.

    Objects of a thread are named `thread.name`. Recursive calls are inlined as deep as there is room for them.
    Raises InputError for what is too long.
    """
    for deep in _DEPTHS:
        try:
            made = _inlined(unit, procedure, thread, deep)
        except _TooLong:
            continue
        if deep == _DEPTHS[-1] or len(made[0].steps) <= _MOST_RECURSIVE or not any(map(_is_deeper, made[0].steps)):
            return made
    message = f"`{thread}` has more than {MAX_STEPS} elementary steps when its calls are inlined"
    raise InputError((error("SA713", message, unit.procedures[procedure].origin.span),))


class _TooLong(Exception):
    """There are more than MAX_STEPS, or too many for a recursion of this depth."""


def _is_deeper(step: Step) -> bool:
    return isinstance(step.op, Fail) and step.op.what == DEEPER


def _inlined(unit: Unit, procedure: str, thread: str, deep: int) -> tuple[Graph, tuple[Var, ...], Var]:
    graph, result = Graph(), build.variable("__result")
    graph.entry, graph.exit = fresh(graph), fresh(graph)
    called = unit.procedures[procedure]
    graph.registers[result] = Register(result, ANY, called.origin, temporary=True)
    own = [o for o in unit.objects if o.storage is Storage.THREAD]
    graph.objects = {f"{thread}.{o.name}": replace(o, name=f"{thread}.{o.name}") for o in own}
    shared: dict[Var, Term] = {base(o.name): base(f"{thread}.{o.name}") for o in own}
    inside = _Thread(unit, thread, graph, result, deep)
    frame = _Frame((procedure,), "", called.origin if called.hidden else None)
    names = _renamed(called, inside, frame, shared)
    last = graph.exit
    if unit.tracks and procedure == unit.entry:
        last = fresh(graph)
        graph.steps.append(Step(last, Track(), graph.exit, replace(called.origin, text="the end of the program")))
    if unit.last is not None and procedure != unit.entry:
        last = _with_last(inside, frame, graph.exit, shared)
    if unit.ends and procedure == unit.entry:
        last = fresh(graph)
        graph.steps.append(Step(last, Halt(), fresh(graph), called.origin))
    if unit.shows and procedure == unit.entry:
        last, over = fresh(graph), fresh(graph)
        values = () if called.result is None else (result,)
        graph.steps.append(Step(last, Show("returns", values, Sync.END), over, called.origin))
        graph.steps.append(Step(over, Show(EXIT, ()), graph.exit, called.origin))
    _copy(called, inside, frame, names, (graph.entry, last), result, frame.place(called.origin))
    if unit.last is not None and inside.leaving:
        left, after = [s.source for s in inside.leaving], fresh(graph)
        first = _with_last(inside, frame, after, shared)
        graph.steps += [Step(source, Skip(), first, called.origin) for source in left]
        inside.leaving[: len(left)] = [Step(after, Skip(), graph.exit, called.origin)]
    _end_with_thread(inside, [f"{thread}.{o.name}" for o in own], procedure == unit.entry)
    return graph, tuple(_var(names[p]) for p in called.parameters), result


def _with_last(thread: _Thread, frame: _Frame, after: Node, shared: dict[Var, Term]) -> Node:
    """The node where the procedure begins that threads call last, which leads on to another node."""
    start, last = fresh(thread.graph), thread.unit.last
    assert last is not None
    where = replace(thread.unit.procedures[frame.chain[0]].origin, text=THREAD_ENDS)
    _call(Call(last, (), None), thread, frame, (start, after), where, shared)
    return start


def _end_with_thread(thread: _Thread, own: Sequence[str], first: bool) -> None:
    """What ends with a thread: its `own` objects, and all that activations have where it leaves them.

    The process ends with the `first` thread, unless that one leaves by itself.
    """
    graph = thread.graph
    activations = [name for name, o in graph.objects.items() if o.storage is Storage.AUTO]
    for step in thread.leaving:
        ended = (*activations, *own) if first else activations
        graph.steps += _dead(graph, step.source, ended, step.target, step.origin)
    if own and not first:
        before, graph.exit = graph.exit, fresh(graph)
        where = replace(thread.unit.procedures[thread.unit.entry].origin, text=THREAD_ENDS)
        graph.steps += _dead(graph, before, own, graph.exit, where)


def _dead(graph: Graph, source: Node, names: Sequence[str], target: Node, origin: Origin) -> list[Step]:
    """Steps by which objects end, one behind the other."""
    made, here = list[Step](), source
    for name in names:
        after = fresh(graph)
        made.append(Step(here, Dead(name), after, origin))
        here = after
    return [*made, Step(here, Skip(), target, origin)]


def _var(term: Term) -> Var:
    assert isinstance(term, Var)
    return term


def _renamed(called: Procedure, thread: _Thread, frame: _Frame, shared: dict[Var, Term]) -> dict[Var, Term]:
    """Registers and objects of an activation under names of their own."""
    graph = thread.graph
    names = dict(shared)
    taken = {v.name for v in graph.registers} | {o.split(".", 1)[1] for o in graph.objects}
    scope = f"{called.told or called.name}::" if frame.prefix else ""
    for register in called.registers:
        made_up = register.temporary or called.hidden
        plain = register.var.name.removeprefix("__")
        own = build.variable(unused(f"__{plain}" if made_up else f"{frame.prefix}{plain}", taken))
        taken.add(own.name)
        graph.registers[own] = replace(register, var=own, temporary=made_up, told=f"{scope}{plain}")
        names[register.var] = own
    for obj in called.objects:
        name = unused(f"{frame.prefix}{obj.name}", taken)
        taken.add(name)
        graph.objects[f"{thread.name}.{name}"] = replace(
            obj, name=f"{thread.name}.{name}", told=obj.told or f"{scope}{obj.name}"
        )
        names[base(obj.name)] = base(f"{thread.name}.{name}")
    return names


def _copy(
    called: Procedure,
    thread: _Thread,
    frame: _Frame,
    names: dict[Var, Term],
    ends: tuple[Node, Node],
    result: Var | None,
    back: Origin,
) -> None:
    """Put a procedure between two nodes of the thread's graph; what it returns is taken where it leads `back` to."""
    graph = thread.graph
    last = fresh(graph)
    nodes: dict[Node, Node] = {called.entry: ends[0], called.exit: last}

    def node(n: Node) -> Node:
        if n not in nodes:
            nodes[n] = fresh(graph)
        return nodes[n]

    returned: Op = Skip()
    if result is not None and called.result is not None:
        returned = Set(result, names[called.result])
    graph.steps.append(Step(last, returned, ends[1], back))
    for step in called.steps:
        source, target, origin = node(step.source), node(step.target), frame.place(step.origin)
        match step.op:
            case Live(name) | Dead(name):
                own = _var(names[base(name)]).name.removeprefix("&")
                graph.steps.append(Step(source, replace(step.op, name=own), target, origin))
            case Allocate(var, name):
                own = _var(names[base(name)]).name.removeprefix("&")
                graph.steps.append(Step(source, Allocate(_var(names[var]), own), target, origin))
            case Exit(_):
                op = over(step.op, names, lambda v: _var(names[v]))
                assert isinstance(op, Exit)
                left = fresh(graph)
                graph.steps.append(Step(source, Set(thread.result, op.term), left, origin))
                thread.leaving.append(Step(left, Skip(), graph.exit, origin))
            case Call():
                op = over(step.op, names, lambda v: _var(names[v]))
                assert isinstance(op, Call)
                _call(op, thread, frame, (source, target), origin, names)
            case _:
                op = over(step.op, names, lambda v: _var(names[v]))
                graph.steps.append(Step(source, op, target, origin))
    if len(graph.steps) > MAX_STEPS:
        raise _TooLong


def _call(
    op: Call, thread: _Thread, frame: _Frame, ends: tuple[Node, Node], origin: Origin, names: dict[Var, Term]
) -> None:
    called, graph = thread.unit.procedures[op.procedure], thread.graph
    if frame.chain.count(op.procedure) > thread.deep:
        if len(graph.steps) > _MOST_RECURSIVE and thread.deep > _DEPTHS[-1]:
            raise _TooLong
        graph.steps.append(Step(ends[0], Fail(DEEPER), fresh(graph), origin))
        return
    # What the library calls is shown at its own lines.
    shown = (frame.shown or origin) if called.hidden else None
    prefix = frame.prefix if called.hidden else f"{called.told or called.name}_"
    calls = () if origin.span is None else (Link(origin.span), *origin.chain)
    inner = _Frame((*frame.chain, op.procedure), prefix, shown, calls)
    known = {v: t for v, t in names.items() if v.name.startswith("&") and _is_shared(v, thread)}
    own = _renamed(called, thread, inner, known)
    here = ends[0]
    for parameter, value in zip(called.parameters, op.arguments, strict=True):
        after = fresh(graph)
        graph.steps.append(Step(here, Set(_var(own[parameter]), value), after, origin))
        here = after
    _copy(called, thread, inner, own, (here, ends[1]), op.result, origin)


def _is_shared(var: Var, thread: _Thread) -> bool:
    """Whether it is the address of an object that every thread has one of."""
    name = var.name.removeprefix("&")
    return any(o.storage is Storage.THREAD and o.name == name for o in thread.unit.objects)
