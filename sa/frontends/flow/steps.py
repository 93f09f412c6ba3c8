"""The edges of a thread: paths through its graph from each node that is kept to the next ones.

A node is kept where an access that others see, or an atomic region that has one or waits, comes next; once on each
cycle; and at the end. So a step has at most one of these, and what is local behind it. A path that stops is an edge
to `stopped` if it wrote anything that others see, and none otherwise: the thread may as well stay where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Edge, Failure, Fault, Kind, Label, Origin, Variable
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Access, Accesses
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.cuts import Names, Work, depths_of, is_seen, kept_nodes, meetings
from sa.frontends.flow.division import MOST_DIVISORS, by_cases, unknown_quotient
from sa.frontends.flow.graph import (
    ANY,
    Begin,
    Divide,
    End,
    Fail,
    Halt,
    Havoc,
    Live,
    Load,
    Node,
    Range,
    Set,
    Show,
    Step,
    Store,
    Stride,
    Test,
    Wait,
    outgoing,
)
from sa.frontends.flow.heap import BOUND
from sa.frontends.flow.layout import Column, cell_at, element, is_at
from sa.frontends.flow.rows import changed, chosen, filled
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values, evaluate, pointed
from sa.frontends.flow.views import kin, seen_as
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var

#: Where a thread is that will not go on.
STOPPED = -1
FAILED = -2

#: Paths of one step, and elementary steps of one path.
_MOST_PATHS, _MOST_LENGTH = 32, 20_000


class Touched(Struct, frozen=True):
    """An access of a plain cell, under a condition on the state before the step; of a column which `element`."""

    cell: int
    writes: bool
    atomic: bool
    condition: Term
    element: Term | None = None


class Joint(Struct, frozen=True):
    """An edge between two nodes, or to STOPPED or FAILED, and the plain cells that others may access meanwhile."""

    source: Node
    target: Node
    edge: Edge
    touched: tuple[Touched, ...] = ()
    bound: bool = False


class _Path(Struct, frozen=True):
    """A path so far: all terms are over the state before the step and the choices."""

    node: Node
    store: Mapping[Var, Term] = field(default_factory=dict)
    guard: Term = build.TRUE
    choices: tuple[Variable, ...] = ()
    depth: int = 0
    label: Label | None = None
    seen: bool = False
    origin: Origin | None = None
    length: int = 0
    touched: tuple[Touched, ...] = ()


def joints(thread: Thread, known: Accesses, names: Names, asked: Asked) -> list[Joint]:
    """The edges of a thread. Raises InputError for atomic regions that do not end."""
    steps = outgoing(thread.graph.steps)
    depths = depths_of(thread, steps)
    work = Work(thread, known, names, asked, steps, set())
    work.kept = kept_nodes(work, depths)
    while True:
        work.numbers = count(1)
        made, crowded = list[Joint](), set[Node]()
        pending, seen = [thread.graph.entry], {thread.graph.entry}
        while pending:
            source = pending.pop()
            found = list(_from(source, work))
            if len(found) > _MOST_PATHS:
                crowded.add(source)
            made += found
            for joint in found:
                if joint.target >= 0 and joint.target not in seen:
                    seen.add(joint.target)
                    pending.append(joint.target)
        more = {n for source in crowded for n in meetings(source, work, depths)} - work.kept
        if not more:
            return made
        work.kept |= more


def _from(source: Node, work: Work) -> Iterator[Joint]:
    """The edges from a kept node."""
    pending = [_Path(source)]
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


def _through(step: Step, path: _Path, source: Node, work: Work) -> Iterator[_Path | Joint]:
    """What an elementary step makes of a path."""
    origin = path.origin
    if origin is None or (not path.seen and not isinstance(step.op, Begin | Test)):
        origin = step.origin if not path.seen else origin
    on = replace(path, node=step.target, origin=origin, length=path.length + 1)
    match step.op:
        case Set(var, term):
            yield replace(on, store=_with(path.store, work.names.registers[var], _now(term, path, work)))
        case Divide():
            yield _divided(step, path, on, work)
        case Havoc(var, range_):
            choice = _choice(work.names.registers[var], range_, step.origin, work)
            store = _with(path.store, work.names.registers[var], choice.var)
            yield replace(on, store=store, choices=(*path.choices, choice))
        case Load() | Store():
            yield from _access(step, on, source, work)
        case Test(formula) | Wait(formula):
            guard = build.land(path.guard, simplified(_now(formula, path, work)))
            if guard is not build.FALSE:
                yield replace(on, guard=guard)
        case Stride(address, key):
            _moved(step, address, key, work)
            yield on
        case Begin():
            yield replace(on, depth=path.depth + 1, seen=path.seen)
        case End():
            yield replace(on, depth=path.depth - 1)
        case Fail(what):
            yield from _failed(path, path.guard, what, step.origin, source, work)
        case Halt(ends):
            yield from _stopped(path, source, work, ends)
        case Live(name):
            yield _alive(name, on, path, step, work)
        case Show(action, values):
            _alone(path, step.origin)
            yield replace(on, label=Label(action, tuple(_now(v, path, work) for v in values)), seen=True)
        case _:
            yield on


def _alone(path: _Path, origin: Origin) -> None:
    """Raises InputError if a step is to show a second thing, for which it has no label."""
    if path.label is not None:
        message = "one step with several visible actions"
        raise InputError((error("SA722", message, origin.span, "end the atomic region between them"),))


def _moved(step: Step, address: Term, key: str, work: Work) -> None:
    """Raises InputError if an address is moved by elements of another size than those of the object there."""
    places = work.known.found.layout.places
    values = evaluate(address, work.known.found, work.thread.number)
    cells = {cell_at(v, work.known.found.layout) for v in values if v is not OTHER}
    if any(n is not None and not _as_large(places[n].cell.key, key) for n in cells):
        message = "this address is moved by elements of another size than those of the object"
        raise InputError((error("SA714", message, step.origin.span, "use a pointer of the object's own type"),))


def _as_large(one: str, other: str) -> bool:
    return (
        kin(one, other) or {one, other} <= {"bool", "int8", "uint8"} or {one, other} <= {"pointer", "int64", "uint64"}
    )


def _with(store: Mapping[Var, Term], var: Var, term: Term) -> Mapping[Var, Term]:
    return {**store, var: term}


def _now(term: Term, path: _Path, work: Work) -> Term:
    """A term over registers as one over the state before the step."""
    names: dict[Var, Term] = {}
    for v in term.free:
        if v in work.names.addresses:
            names[v] = work.names.addresses[v]
        elif (constant := _only(work.known.found.registers.get((work.thread.number, v)))) is not None:
            names[v] = constant
        else:
            var = work.names.registers[v]
            names[v] = path.store.get(var, var)
    return substitute(term, names)


def _divided(step: Step, path: _Path, on: _Path, work: Work) -> _Path:
    """A division, by the values that the divisor may have; by any number its quotient is chosen."""
    assert isinstance(step.op, Divide)
    sign, var = step.op.sign, work.names.registers[step.op.var]
    a, b = _now(step.op.dividend, path, work), _now(step.op.divisor, path, work)
    known = evaluate(step.op.divisor, work.known.found, work.thread.number)
    values = [b.value] if isinstance(b, Int) else sorted(v for v in known if v is not OTHER)
    if isinstance(b, Int) or (OTHER not in known and len(values) <= MOST_DIVISORS):
        term = by_cases(sign, a, b, values, lambda _: ANY)
    else:
        choice = _choice(var, ANY, step.origin, work)
        term, condition = unknown_quotient(sign, a, b, choice.var)
        on = replace(on, guard=build.land(path.guard, condition), choices=(*path.choices, choice))
    return replace(on, store=_with(path.store, var, term))


def _only(values: Values | None) -> Term | None:
    """The one value that there is."""
    if values is None or len(values) != 1:
        return None
    value = next(iter(values))
    return None if value is OTHER else build.integer(value)


def _choice(var: Var, range_: Range, origin: Origin, work: Work) -> Variable:
    name = f"{var.name.lstrip('_') or 'v'}?{next(work.numbers)}"
    return Variable(build.variable(name, var.sort), Kind.LOCAL, range_.low, range_.high, origin)


def _access(step: Step, path: _Path, source: Node, work: Work) -> Iterator[_Path | Joint]:
    assert isinstance(step.op, Load | Store)
    access = work.known.of[id(step)]
    address = _now(step.op.address, path, work)
    if not access.sure:
        values = pointed(step.op.address, step.op.among, work.known.found, work.thread.number)
        if not access.cells and OTHER in values:
            message = "what this address is of is not known here"
            raise InputError((error("SA714", message, step.origin.span, "numbers cannot be used as pointers"),))
        meant = {cell_at(v, work.known.found.layout) for v in values if v is not OTHER}
        if step.op.key in ("int8", "uint8") and meant - {None, *access.cells}:
            message = "a byte of an object of a larger type"
            raise InputError((error("SA714", message, step.origin.span, "access it by its own type"),))
        wrong = build.land(*(build.lnot(is_at(address, c, work.known.found.layout)) for c in access.cells))
        guard = build.land(path.guard, simplified(wrong))
        if guard is not build.FALSE:
            yield from _failed(path, guard, step.op.wrong, step.origin, source, work)
        path = replace(path, guard=build.land(path.guard, simplified(build.lnot(wrong))))
        if path.guard is build.FALSE:
            return
    if not access.cells:
        return
    if is_seen(step, work):
        origin = path.origin if path.seen else step.origin
        path = replace(path, seen=True, origin=origin, touched=(*path.touched, *_touched(address, access, path, work)))
    match step.op:
        case Load(var, _, _, _, _):
            value = _loaded(address, access, step.op.key, path, work)
            yield replace(path, store=_with(path.store, work.names.registers[var], value))
        case Store(_, term, key, _, _):
            value = _now(term, path, work)
            store = dict(path.store)
            for at in access.cells:
                if at in work.names.cells:
                    cell = work.names.cells[at]
                    stored = seen_as(value, key, _key(at, work))
                    here = simplified(_is_meant(address, at, access, work))
                    store[cell] = changed(store.get(cell, cell), address, here, stored, _column(at, work))
            yield replace(path, store=store)


def _touched(address: Term, access: Access, path: _Path, work: Work) -> Iterator[Touched]:
    """The plain cells of an access that others may access meanwhile."""
    if not work.asked.races:
        return
    chosen = {c.var for c in path.choices}
    for at in access.cells:
        if not work.known.found.layout.places[at].cell.synchronises:
            here = _is_meant(address, at, access, work)
            known = (c for c in build.conjuncts(build.land(path.guard, here)) if not c.free & chosen)
            column = _column(at, work)
            index = None if column is None else element(address, column)
            if index is not None and index.free & chosen:
                message = "which element of a large array this is is chosen in the same step"
                raise InputError((error("SA724", message, None if path.origin is None else path.origin.span),))
            yield Touched(at, access.writes, path.depth > 0, build.land(*known), index)


def _is_meant(address: Term, number: int, access: Access, work: Work) -> Term:
    """That it is this cell of an access, or in this column."""
    return is_at(address, number, work.known.found.layout) if len(access.cells) > 1 else build.TRUE


def _column(number: int, work: Work) -> Column | None:
    return work.known.found.layout.columns.get(number)


def _loaded(address: Term, access: Access, key: str, path: _Path, work: Work) -> Term:
    value: Term | None = None
    for at in reversed(access.cells):
        if at in work.known.fixed:
            here: Term = build.integer(work.known.fixed[at])
        else:
            cell = work.names.cells[at]
            here = path.store.get(cell, cell)
            if (column := _column(at, work)) is not None:
                here = chosen(here, address, column, work.known.found.layout.places[at].cell)
        here = seen_as(here, _key(at, work), key)
        value = here if value is None else build.ite(is_at(address, at, work.known.found.layout), here, value)
    assert value is not None
    return value


def _addressed(initial: Term, work: Work) -> Term:
    return substitute(initial, {v: work.names.addresses[v] for v in initial.free if v in work.names.addresses})


def _key(cell: int, work: Work) -> str:
    return work.known.found.layout.places[cell].cell.key


def _alive(name: str, on: _Path, path: _Path, step: Step, work: Work) -> _Path:
    """An object begins to live: what may be read of it before it is written gets any value."""
    store, choices = dict(path.store), list(path.choices)
    for at, place in work.known.found.layout.places.items():
        if place.object.name != name or at not in work.names.cells:
            continue
        column = _column(at, work)
        if place.cell.initial is not None:
            initial = place.cell.initial if column is None else filled(column.initials)
            store[work.names.cells[at]] = _addressed(initial, work)
        elif at in work.known.arbitrary:
            range_ = place.cell.range if column is None else ANY
            choice = _choice(work.names.cells[at], range_, step.origin, work)
            store[work.names.cells[at]] = choice.var
            choices.append(choice)
    return replace(on, store=store, choices=tuple(choices))


#: What goes wrong by the words for it; `assert` of C is a call that must not be reached, as all others are.
_FAULTS = {"pointer": Fault.POINTER, "overflow": Fault.OVERFLOW, "undefined": Fault.UNDEFINED}


def _failed(path: _Path, guard: Term, what: str, origin: Origin, source: Node, work: Work) -> Iterator[Joint]:
    """The step that goes wrong; the thread stops where that is no claim."""
    bound = what == BOUND
    if not bound and work.asked.kinds is not None and what not in work.asked.kinds:
        yield from _stopped(replace(path, guard=guard), source, work, True)
        return
    _alone(path, origin)
    said = origin.text if what == "assertion" else f"{origin.text} ({what})"
    text = f"{said} fails" if what == "assertion" else said
    # What others have seen by then stays: they may go on.
    store = path.store if path.seen else {}
    edge = _edge(replace(path, guard=guard, store=store, label=Label(FAIL)), work)
    failure = Failure(_FAULTS.get(what, Fault.REACHED), said)
    yield Joint(source, FAILED, replace(edge, origin=replace(origin, text=text), failure=failure), bound=bound)


def _stopped(path: _Path, source: Node, work: Work, ends: bool) -> Iterator[Joint]:
    if (path.depth == 0 or ends) and (path.seen or work.asked.deadlock):
        yield _joint(source, STOPPED, path, work)


def _joint(source: Node, target: Node, path: _Path, work: Work) -> Joint:
    return Joint(source, target, _edge(path, work), path.touched)


def _edge(path: _Path, work: Work) -> Edge:
    updates = tuple((v, t) for v, t in path.store.items() if v is not t)
    values = () if path.label is None else path.label.values
    free = path.guard.free.union(*(t.free for _, t in updates), *(t.free for t in values))
    used = tuple(c for c in path.choices if c.var in free)
    origin = path.origin or work.thread.graph.steps[0].origin
    return Edge("", "", path.label, path.guard, updates, used, origin)
