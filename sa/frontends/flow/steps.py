"""The edges of a thread: paths through its graph from each node that is kept to the next ones.

A node is kept where an access that others see, or an atomic region that has one or waits, comes next; once on each
cycle; and at the end. So a step has at most one of these, and what is local behind it. A path that stops is an edge
to `stopped` if it wrote anything that others see, and none otherwise: the thread may as well stay where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Edge, Failure, Fault, Label, Origin
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.actions import Show
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.cuts import Names, Work, kept_nodes, meetings
from sa.frontends.flow.endings import Wrong, begun, dead, freed, lost, recycled, seen_at, touching, used
from sa.frontends.flow.faults import FAULTS
from sa.frontends.flow.graph import (
    Begin,
    Divide,
    End,
    Fail,
    Halt,
    Havoc,
    Live,
    Load,
    Node,
    Room,
    Set,
    Step,
    Store,
    Stride,
    Test,
    Wait,
    outgoing,
)
from sa.frontends.flow.heap import BOUNDS, BYTE, JOINED, OTHER_TYPE, STRIDE
from sa.frontends.flow.layout import cell_at, is_at
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.lives import Dead, Free, Freeable, Recycle, Track
from sa.frontends.flow.memory import is_early, length, loaded, may_be_early, outside_extents, set_first, stored
from sa.frontends.flow.orders import Fence, Lock, Synchronise
from sa.frontends.flow.paths import (
    Passed,
    Path,
    Touched,
    alone,
    choice_of,
    condition_of,
    lines_of,
    now,
    passing,
    with_value,
)
from sa.frontends.flow.quotients import divided
from sa.frontends.flow.regions import depths_of
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.terms import read_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values, evaluate, pointed, room_at
from sa.frontends.flow.views import kin
from sa.frontends.flow.watching import acquired, fenced, given, races, synchronised, watched
from sa.terms import build
from sa.terms.term import Term, Var

#: Where a thread is that will not go on.
STOPPED = -1
FAILED = -2

#: Paths of one step, and elementary steps of one path.
_MOST_PATHS, _MOST_LENGTH = 32, 20_000


class Joint(Struct, frozen=True):
    """An edge between two nodes, or to STOPPED or FAILED, and the plain cells that others may access meanwhile."""

    source: Node
    target: Node
    edge: Edge
    touched: tuple[Touched, ...] = ()
    bound: bool = False


def joints(thread: Thread, known: Accesses, names: Names, asked: Asked) -> list[Joint]:
    """The edges of a thread. Raises InputError for atomic regions that do not end."""
    steps = outgoing(thread.graph.steps)
    depths = depths_of(thread, steps)
    read = frozenset(v for s in thread.graph.steps for t in read_by(s.op) for v in t.free)
    work = Work(thread, known, names, asked, steps, set(), read, registers(thread.graph))
    work.kept = kept_nodes(work, depths)
    while True:
        work.numbers = count(1)
        made, more = list[Joint](), set[Node]()
        pending, seen = [thread.graph.entry], {thread.graph.entry}
        while pending:
            source = pending.pop()
            ways = _from(source, work)
            found = list(islice(ways, _MOST_PATHS + 1))
            meeting = meetings(source, work, depths) - work.kept if len(found) > _MOST_PATHS else set[Node]()
            more |= meeting
            # All of this is done once more where paths meet at nodes that are kept then: the other paths wait for that.
            found += () if meeting else ways
            made += found
            for joint in found:
                if joint.target >= 0 and joint.target not in seen:
                    seen.add(joint.target)
                    pending.append(joint.target)
        if not more:
            return made
        work.kept |= more


def _from(source: Node, work: Work) -> Iterator[Joint]:
    """The edges from a kept node."""
    pending = [Path(source)]
    produced = 0
    while pending:
        path = pending.pop()
        if path.length and path.depth == 0 and path.node in work.kept:
            produced += 1
            yield _joint(source, path.node, path, work)
            continue
        if path.length > _MOST_LENGTH or len(pending) > 40 * _MOST_PATHS:
            where = path.origin.span if path.origin is not None else None
            raise InputError((error("SA722", "one step is too long, or has too many ways through it", where),))
        for step in reversed(work.steps.get(path.node, ())):
            for after in _through(step, path, source, work):
                if isinstance(after, Joint):
                    yield after
                else:
                    pending.append(after)


def _through(step: Step, path: Path, source: Node, work: Work) -> Iterator[Path | Joint]:
    """What an elementary step makes of a path."""
    origin = path.origin
    if origin is None or (not path.seen and not isinstance(step.op, Begin | Test)):
        origin = step.origin if not path.seen else origin
    on = replace(path, node=step.target, origin=origin, length=path.length + 1, passed=passing(step, path))
    match step.op:
        case Set(var, term):
            yield replace(on, store=with_value(path.store, work.names.registers[var], now(term, path, work)))
        case Divide():
            yield divided(step, path, on, work)
        case Havoc(var, range_):
            choice = choice_of(work.names.registers[var], range_, step.origin, work)
            store = with_value(path.store, work.names.registers[var], choice.var)
            yield replace(on, store=store, choices=(*path.choices, choice))
        case Load() | Store():
            yield from _access(step, on, source, work)
        case Test(formula) | Wait(formula):
            guard = build.land(path.guard, simplified(now(formula, path, work)))
            if guard is not build.FALSE:
                yield replace(on, guard=guard)
        case Room():
            yield from _room(step, path, on, source, work)
        case Stride():
            yield from _moved(step, on, source, work)
        case Begin():
            yield replace(on, depth=path.depth + 1, seen=path.seen)
        case End():
            yield replace(on, depth=path.depth - 1)
        case Fail(what):
            yield from _failed(path, path.guard, what, step.origin, source, work)
        case Halt(ends):
            yield from _stopped(path, source, work, ends)
        case Live(name):
            yield begun(name, seen_at(step, on, work), path, step, work)
        case Dead():
            yield dead(step, on, work)
        case Recycle():
            yield from (given(step, after, work) for after in recycled(step, on, work))
        case Track():
            choosing, wrong = lost(on, step, work)
            yield from _all_failed(wrong, choosing, step, source, work)
            yield on
        case Free():
            yield from _freed(step, on, source, work)
        case Freeable():
            wrong, after = freed(step, on, work)
            yield from _all_failed(wrong, on, step, source, work)
            yield from () if after is None else (after,)
        case Show(action, values):
            alone(path, step.origin)
            yield replace(on, label=Label(action, tuple(now(v, path, work) for v in values)), seen=True)
        case Fence(order):
            yield fenced(order, on, work)
        case Lock(address) | Synchronise(address):
            yield synchronised(step.op, now(address, path, work), step, on, work)
        case _:
            yield on


def _moved(step: Step, path: Path, source: Node, work: Work) -> Iterator[Path | Joint]:
    """An address that is moved by elements of another size than those of the object would be between its cells."""
    assert isinstance(step.op, Stride)
    where = work.known.found.layout
    values = values_of(step.op.address, work)
    cells = {n for v in values if v is not OTHER and (n := cell_at(v, where)) is not None}
    other = [n for n in sorted(cells) if not _as_large(where.places[n].cell.key, step.op.key)]
    if not other:
        yield path
        return
    if len(other) == len(cells):
        message = "this is pointer arithmetic with elements of another size than those of the object"
        raise InputError((error("SA714", message, step.origin.span, "use a pointer of the object's own type"),))
    address = now(step.op.address, path, work)
    there = simplified(build.lor(*(is_at(address, n, where) for n in other)))
    for condition, goes in ((there, False), (build.lnot(there), True)):
        guard = build.land(path.guard, condition)
        if guard is build.FALSE:
            continue
        if goes:
            yield replace(path, guard=guard)
        else:
            yield from _failed(path, guard, STRIDE, step.origin, source, work)


def _as_large(one: str, other: str) -> bool:
    return (
        kin(one, other) or {one, other} <= {"bool", "int8", "uint8"} or {one, other} <= {"pointer", "int64", "uint64"}
    )


def _room(step: Step, path: Path, on: Path, source: Node, work: Work) -> Iterator[Path | Joint]:
    """How large an object is. What begins in none of those that were allocated is no pointer."""
    assert isinstance(step.op, Room)
    where, address = work.known.found.layout, now(step.op.address, path, work)
    values = values_of(step.op.address, work)
    count: Term = build.ZERO
    known = list[Term]()
    for value in sorted(v for v in values if v is not OTHER):
        if (room := room_at(value, where)) is None:
            continue
        here = build.eq(address, build.integer(value))
        scalars: Term = build.integer(room[0])
        if room[1] is not None:
            scalars = build.scale(room[0], length(room[1], path, work))
        known.append(here)
        count = build.ite(here, scalars, count)
    wrong = build.land(path.guard, simplified(build.lnot(build.lor(*known))))
    if wrong is not build.FALSE:
        yield from _failed(path, wrong, "pointer", step.origin, source, work)
    right = build.land(path.guard, simplified(build.lor(*known)))
    if right is not build.FALSE:
        store = with_value(path.store, work.names.registers[step.op.var], count)
        yield replace(on, guard=right, store=store)


def _access(step: Step, path: Path, source: Node, work: Work) -> Iterator[Path | Joint]:
    assert isinstance(step.op, Load | Store)
    access = work.known.of[id(step)]
    address = now(step.op.address, path, work)
    if not access.sure:
        values = pointed(step.op.address, step.op.among, work.known.found, work.thread.number)
        if not access.cells and OTHER in values and any(OTHER in values_of(v, work) for v in step.op.address.free):
            message = "what this address is of is not known here"
            raise InputError((error("SA714", message, step.origin.span, "numbers cannot be used as pointers"),))
        meant = {cell_at(v, work.known.found.layout) for v in values if v is not OTHER}
        other = [n for n in meant if n is not None and n not in access.cells]
        byte = step.op.key in ("int8", "uint8")
        if other and (byte or step.op.wrong == "pointer"):
            what = BYTE if byte else OTHER_TYPE
            if not access.cells:
                hint = "access it by its own type"
                raise InputError((error("SA714", what, step.origin.span, hint),))
            # Objects have no bytes here: what this would be is not known.
            inside = build.lor(*(is_at(address, n, work.known.found.layout) for n in other))
            guard = build.land(path.guard, simplified(inside))
            if guard is not build.FALSE:
                yield from _failed(path, guard, what, step.origin, source, work)
            path = replace(path, guard=build.land(path.guard, simplified(build.lnot(inside))))
        outside = build.land(*(build.lnot(is_at(address, c, work.known.found.layout)) for c in access.cells))
        guard = build.land(path.guard, simplified(outside))
        if guard is not build.FALSE:
            yield from _failed(path, guard, step.op.wrong, step.origin, source, work)
        path = replace(path, guard=build.land(path.guard, simplified(build.lnot(outside))))
        if path.guard is build.FALSE:
            return
    if not access.cells:
        return
    beyond = simplified(outside_extents(address, access, path, work))
    if (guard := build.land(path.guard, beyond)) is not build.FALSE:
        what = JOINED if step.op.wrong == JOINED else "index"
        yield from _failed(path, guard, what, step.origin, source, work)
        path = replace(path, guard=build.land(path.guard, build.lnot(beyond)))
    path = acquired(step, address, path, work)
    yield from _raced(step, address, path, source, work)
    wrong, after = used(address, access, step.op.wrong == JOINED, path, work)
    yield from _all_failed(wrong, path, step, source, work)
    if after is None:
        return
    path = touching(step, address, after, work)
    for seen in watched(step, address, path, work):
        match step.op:
            case Load(var):
                for known in set_first(address, access, seen, step, work) if var in work.read else (seen,):
                    value = loaded(address, access, step.op.key, known, work)
                    yield replace(known, store=with_value(known.store, work.names.registers[var], value))
            case Store(_, term, key):
                yield stored(address, access, now(term, path, work), key, seen, work)


def values_of(term: Term, work: Work) -> Values:
    """The values that a term may have in the thread."""
    return evaluate(term, work.known.found, work.thread.number)


def _freed(step: Step, path: Path, source: Node, work: Work) -> Iterator[Path | Joint]:
    """Memory is given back, which is a write of all of it, and who gets it again happens after that (C11 7.22.3)."""
    assert isinstance(step.op, Free)
    address = now(step.op.address, path, work)
    yield from _raced(step, address, path, source, work)
    wrong, after = freed(step, path, work)
    yield from _all_failed(wrong, path, step, source, work)
    if after is not None:
        yield from watched(step, address, touching(step, address, after, work), work)


def _raced(step: Step, address: Term, path: Path, source: Node, work: Work) -> Iterator[Joint]:
    """The steps that race; what they say of the program is not known where the first thread is early."""
    for race in races(step, address, path, work):
        on, what = replace(path, guard=race.guard), f"data race on `{race.name}`"
        early = build.TRUE if is_early(step) else may_be_early(path, work)
        if (doubtful := build.land(on.guard, early)) is not build.FALSE:
            yield from _failed(on, doubtful, JOINED, step.origin, source, work)
        if (certain := build.land(on.guard, build.lnot(early))) is not build.FALSE:
            edge = _edge(replace(on, guard=certain, store={}, label=Label(FAIL)), FAILED, work)
            origin = replace(step.origin, passed=edge.origin.passed, text=what)
            failure = Failure(Fault.RACE, what, since=race.since, here=race.how)
            yield Joint(source, FAILED, replace(edge, origin=origin, failure=failure))


def _all_failed(wrong: Sequence[Wrong], path: Path, step: Step, source: Node, work: Work) -> Iterator[Joint]:
    """The steps that go wrong with objects that end."""
    for one in wrong:
        yield from _failed(path, one.guard, one.what, step.origin, source, work, one.told)


def _failed(
    path: Path, guard: Term, what: str, origin: Origin, source: Node, work: Work, told: str = ""
) -> Iterator[Joint]:
    """The step that goes wrong; the thread stops where that is no claim. What is `told` says more of it."""
    bound = what in BOUNDS
    if not bound and work.asked.kinds is not None and what not in work.asked.kinds:
        yield from _stopped(replace(path, guard=guard), source, work, True)
        return
    if not bound and (early := may_be_early(path, work)) is not build.FALSE:
        yield from _failed(path, build.land(guard, early), JOINED, origin, source, work)
        guard = build.land(guard, build.lnot(early))
    alone(path, origin)
    said = origin.text if what == "assertion" else f"{origin.text} ({f'{what}: {told}' if told else what})"
    text = f"{said} fails" if what == "assertion" else said
    # What others have seen before that stays: they may go on.
    store = path.store if path.seen else {}
    passed = path.passed if origin.span is None else Passed(origin.span, path.passed)
    edge = _edge(replace(path, guard=guard, store=store, label=Label(FAIL), passed=passed), FAILED, work)
    origin = replace(origin, passed=edge.origin.passed, remark=edge.origin.remark)
    failure = Failure(FAULTS.get(what, Fault.REACHED), origin.text, detail=what if bound else told)
    # What is accessed before it goes wrong may race, too.
    edge = replace(edge, origin=replace(origin, text=text), failure=failure)
    yield Joint(source, FAILED, edge, path.touched, bound)


def _stopped(path: Path, source: Node, work: Work, ends: bool) -> Iterator[Joint]:
    if (path.depth == 0 or ends) and (path.seen or work.asked.deadlock):
        yield _joint(source, STOPPED, path, work)


def _joint(source: Node, target: Node, path: Path, work: Work) -> Joint:
    return Joint(source, target, _edge(path, target, work), path.touched)


def _edge(path: Path, target: Node, work: Work) -> Edge:
    alive = work.alive.get(target, frozenset())
    idle = {var for v, var in work.names.registers.items() if v not in alive}
    idle -= {var for v, var in work.names.registers.items() if v in alive}
    chosen = frozenset(q.chosen.var for q in path.quotients)
    # What nothing reads any more needs no quotient.
    updates = tuple((v, t) for v, t in path.store.items() if v is not t and not (v in idle and t.free & chosen))
    values = () if path.label is None else path.label.values
    free = frozenset[Var]().union(*(t.free for _, t in updates), *(t.free for t in values))
    guard = condition_of(path, free.union(*(t.condition.free for t in path.touched)))
    used = tuple(c for c in path.choices if c.var in free | guard.free)
    origin = path.origin or work.thread.graph.steps[0].origin
    later = (s.origin.span for s in work.steps.get(target, ()) if s.origin.span is not None)
    origin = replace(origin, passed=lines_of(path.passed, origin.span, later))
    return Edge("", "", path.label, guard, updates, used, origin)
