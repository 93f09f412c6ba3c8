"""The threads of a unit: one for `main` and one for each execution of a creation, each with its graph.

A thread has a row of three cells in the object `THREADS`: what it is at, its argument, and its result.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.components import on_cycles
from sa.automata.dataflow import forward
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.creations import (
    OVER,
    THREADS,
    bounded,
    created,
    ending,
    framed,
    joined,
    joining,
    offer,
    offered,
)
from sa.frontends.flow.first_thread import own_cells
from sa.frontends.flow.graph import (
    ANY,
    Begin,
    Cell,
    End,
    Fork,
    Graph,
    Havoc,
    Join,
    Node,
    Object,
    Range,
    Register,
    Self,
    Set,
    Skip,
    Step,
    Storage,
    Store,
    Test,
    Unit,
    code,
    outgoing,
)
from sa.frontends.flow.heap import MOST_BOUNDED, allocated
from sa.frontends.flow.inline import inline
from sa.frontends.flow.joins import loosened, running
from sa.frontends.flow.tables import without_tables
from sa.frontends.flow.unroll import unroll
from sa.frontends.flow.waiting import expand, objects_of, waiting_in
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.name import unused
from sa.terms.term import Term, Var

MAX_THREADS = 64

#: So many threads at most are created at one place in a program: more do not fit into any machine, and a counter of
#: them would wrap around.
MOST_THREADS = 2**30


class Thread(Struct, frozen=True):
    """A thread: its name, its number from 1 on, and what it does.

    A `family` is any number of threads that do the same; `identity` is the register that tells its copies apart. One
    that is `always` there runs from the beginning, and nobody creates it.
    """

    name: str
    number: int
    graph: Graph
    identity: Var | None = None
    always: bool = False


class _Creation(Struct, frozen=True):
    """A thread that is to be made: what it runs, whose creations led to it, and whether it is a family."""

    procedure: str
    above: tuple[str, ...]
    family: bool
    origin: Origin


class _Work(Struct):
    """What is to be made. `counted` are families of which there are no more copies than creations.

    Of the others there may be any number as soon as their creation is reached: it is all that a loop without end does.
    Where a join of any of them waits for all, it is known how many threads are `running`. If there are to be so many
    `copies` at most, there are no families: `slots` are then the threads that a creation can make, in their order.
    """

    unit: Unit
    creations: list[_Creation]
    created: dict[int, int] = field(default_factory=dict)
    counted: set[int] = field(default_factory=set)
    running: bool = False
    copies: int | None = None
    slots: dict[int, list[int]] = field(default_factory=dict)


IDENTITY = build.variable("__identity")


def threads_of(
    unit: Unit, deadlock: bool = False, copies: int | None = None
) -> tuple[tuple[Thread, ...], tuple[Object, ...]]:
    """All threads, the first one first, and the objects that their creation, end and waiting need. Raises InputError.

    A creation that may happen any number of times makes a family: one in a loop that is not unrolled, one by a copy
    of a family, or one by a thread that its own procedure has created. With a number of `copies` such a creation makes
    so many threads at most instead; one more is the failing step `MORE_COPIES`.
    """
    work = _Work(unit, [_Creation(unit.entry, (), False, unit.procedures[unit.entry].origin)], copies=copies)
    graphs = list[tuple[str, Graph, tuple[Var, ...], Var]]()
    names = set[str]()
    while len(graphs) < len(work.creations):
        creation = work.creations[len(graphs)]
        name = unused(creation.procedure, names)
        names.add(name)
        graph, parameters, result = inline(unit, creation.procedure, name)
        unroll(graph, MAX_THREADS - len(work.creations), {} if graphs else own_cells(unit))
        without_tables(graph, unit)
        graphs.append((name, graph, parameters, result))
        _creations(graph, creation, work)
    sign = -1 if any(c.family for c in work.creations) else 1
    counting = loosened(graphs[0][1]) if sign < 0 else ()
    if counting:
        work.running = True
        work.counted = set(range(1, len(work.creations) + 1))
    waiting = waiting_in({n: g for n, (_, g, _, _) in enumerate(graphs, 1)}, sign < 0, deadlock)
    found = list[Thread]()
    for number, ((name, graph, parameters, result), creation) in enumerate(zip(graphs, work.creations, strict=True), 1):
        if creation.family:
            graph.registers[IDENTITY] = Register(IDENTITY, ANY, creation.origin, temporary=True)
        own: Term = IDENTITY if creation.family else build.integer(sign * number)
        _rewritten(graph, own, sign, work)
        expand(graph, number, waiting)
        allocated(graph, creation.family, unit.heap, unit.reuses)
        if creation.family:
            joining(graph, number, parameters, unit.procedures[creation.procedure].origin, number in work.counted)
        elif number > 1:
            framed(graph, number, parameters, result, unit.procedures[creation.procedure].origin)
        if number > 1 and work.running:
            ending(graph, unit.procedures[creation.procedure].origin)
        found.append(Thread(name, number, graph, IDENTITY if creation.family else None))
    blocked = objects_of(waiting, {t.number: t.name for t in found}, work.creations[0].origin)
    return tuple(found), (*_objects(found, work), *counting, *blocked)


def _creations(graph: Graph, creation: _Creation, work: _Work) -> None:
    """Note the threads that a thread creates."""
    steps = outgoing(graph.steps)
    loops = on_cycles((graph.entry,), {n: [s.target for s in out] for n, out in steps.items()})
    chain = (*creation.above, creation.procedure)
    for step in graph.steps:
        if not isinstance(step.op, Fork):
            continue
        called = _procedure(step.op.procedure, work.unit, step.origin)
        family = creation.family or step.source in loops or called in chain
        if work.copies is not None:
            room = max(0, MOST_BOUNDED - len(work.creations))
            made = min(work.copies if family else 1, room)
            work.slots[id(step.op)] = [len(work.creations) + k for k in range(1, made + 1)]
            work.creations += [_Creation(called, chain, False, step.origin)] * made
            continue
        endless = family and not creation.family and step.source in loops and _is_endless(step, steps, loops)
        known = [n for n, c in enumerate(work.creations, 1) if c.family and c.procedure == called]
        if family and known:
            work.created[id(step.op)] = known[0]
            work.counted |= set() if endless else {known[0]}
            continue
        work.creations.append(_Creation(called, chain, family, step.origin))
        work.created[id(step.op)] = len(work.creations)
        work.counted |= set() if endless else {len(work.creations)}
        if len(work.creations) > MAX_THREADS:
            hint = "create fewer threads"
            raise InputError((error("SA723", f"more than {MAX_THREADS} threads", step.origin.span, hint),))


def _is_endless(step: Step, steps: dict[Node, list[Step]], loops: dict[Node, int]) -> bool:
    """Whether a loop does nothing but create threads with one argument, for as many rounds as it likes."""
    assert isinstance(step.op, Fork)
    inside = {n for n, number in loops.items() if number == loops[step.source]}
    found = [s for n in inside for s in steps[n] if s.target in inside]
    chosen = {s.op.var for s in found if isinstance(s.op, Havoc)} | {step.op.result}
    # What a variable was copied from: copies of one choice are one choice.
    free = {var: var for var in chosen}
    if any(not v.name.startswith("&") for v in step.op.argument.free):
        return False
    for other in found:
        match other.op:
            case Skip() | Begin() | End() | Havoc() | Fork():
                continue
            case Set(var, term):
                if not isinstance(term, Var) or term not in free:
                    return False
                free[var] = free[term]
            case Test(term):
                if not (len(term.free) == 1 and term.free <= free.keys() and _decides(term)):
                    return False
            case Store(_, term, _, _, _):
                if not term.free <= free.keys():
                    return False
                if isinstance(other.op, Store) and not all(
                    v.name.startswith("&") and "." in v.name for v in other.op.address.free
                ):
                    return False
            case _:
                return False
    tested = dict[Var, set[Node]]()
    for other in found:
        if isinstance(other.op, Test):
            (var,) = other.op.formula.free
            tested.setdefault(free[var], set()).add(other.source)
    # Of what is chosen one question is asked, at one place: so every answer is possible in each round.
    return all(len(places) == 1 for places in tested.values())


def _decides(term: Term) -> bool:
    """Whether 0 or 1, which every type has, satisfies the condition on its one variable, and the other one does not."""
    (var,) = term.free
    try:
        return holds(term, {var: 0}) != holds(term, {var: 1})
    except Unevaluable:
        return False


def _inside_regions(graph: Graph) -> set[Node]:
    """The nodes inside of atomic regions that the program opens: a creation is in one of its own."""
    leaving = outgoing(graph.steps)

    def follow(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
        return ((s.target, depth + isinstance(s.op, Begin) - isinstance(s.op, End)) for s in leaving.get(node, ()))

    depth = forward({graph.entry: 0}, follow, lambda before, _: before)
    return {node for node, number in depth.items() if number > 1}


def _refused(step: Step, number: int, work: _Work, inside: set[Node]) -> None:
    """Raises InputError for what is not accepted of families of any number."""
    if isinstance(step.op, Join) and step.op.thread.free and any(c.family for c in work.creations):
        hint = "it is not known which thread this waits for; only the first thread may join"
        raise InputError((error("SA721", "a join in a program with any number of threads", step.origin.span, hint),))
    counted = number in work.counted and work.creations[number - 1].family
    if isinstance(step.op, Fork) and counted and step.source in inside:
        hint = "create the thread before or after the region"
        raise InputError((error("SA723", "any number of threads created in an atomic region", step.origin.span, hint),))


def _rewritten(graph: Graph, own: Term, sign: int, work: _Work) -> None:
    """Creations, joins and the thread's own number as elementary steps."""
    steps = list[Step]()
    inside = _inside_regions(graph)
    for step in graph.steps:
        _refused(step, work.created.get(id(step.op), 0), work, inside)
        match step.op:
            case Fork() if work.copies is not None:
                steps += bounded(graph, step, work.slots[id(step.op)])
            case Fork():
                number = work.created[id(step.op)]
                one_more = running(graph, step.origin, 1) if work.running else []
                if work.creations[number - 1].family:
                    steps += offered(graph, step, number, number in work.counted, one_more)
                else:
                    steps += created(graph, step, number, sign, one_more)
            case Join():
                steps += joined(graph, step, sign)
            case Self(var):
                steps.append(replace(step, op=Set(var, own)))
            case _:
                steps.append(step)
    graph.steps = steps


def _procedure(target: object, unit: Unit, origin: Origin) -> str:
    for name in unit.procedures:
        if target is code(name):
            return name
    raise InputError((error("SA720", "which function the thread runs is not known here", origin.span),))


def _objects(found: list[Thread], work: _Work) -> tuple[Object, ...]:
    cells, offers = list[Cell](), list[Object]()
    zero, where = build.ZERO, work.creations[0].origin
    for thread in found:
        argument = Cell(f"__argument_{thread.name}", ANY, "argument", None, True)
        if thread.identity is not None:
            wanted = Cell(f"__new_{thread.name}", Range(0, 1), "thread", zero, True)
            offers.append(Object(offer(thread.number), (wanted, argument), Storage.STATIC, where))
        result = Cell(f"__result_{thread.name}", ANY, "result", None, True)
        cells += [Cell(f"__at_{thread.name}", Range(0, OVER), "thread", zero, True), argument, result]
    return Object(THREADS, tuple(cells), Storage.STATIC, where), *offers
