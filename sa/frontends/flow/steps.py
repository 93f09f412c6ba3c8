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
from sa.frontends.flow.access import Access, Accesses, is_solo, seen_by_others
from sa.frontends.flow.graph import (
    Begin,
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
    Test,
    Wait,
    outgoing,
)
from sa.frontends.flow.order import on_cycles
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values, evaluate
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Where a thread is that will not go on.
STOPPED = -1
FAILED = -2

#: Paths of one step, and elementary steps of one path.
_MOST_PATHS, _MOST_LENGTH = 32, 20_000


class Names(Struct, frozen=True):
    """How registers of a thread and cells are called in its automaton, and the numbers of addresses."""

    registers: Mapping[Var, Var]
    cells: Mapping[int, Var]
    addresses: Mapping[Var, Term]


class Joint(Struct, frozen=True):
    """An edge between two nodes, or to STOPPED or FAILED. `accessed` are the cells that others see it access."""

    source: Node
    target: Node
    edge: Edge
    accessed: tuple[tuple[int, bool], ...] = ()


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


class _Work(Struct):
    thread: Thread
    known: Accesses
    names: Names
    steps: Mapping[Node, list[Step]]
    kept: set[Node]
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


def joints(thread: Thread, known: Accesses, names: Names) -> list[Joint]:
    """The edges of a thread. Raises InputError for atomic regions that do not end."""
    steps = outgoing(thread.graph.steps)
    depths = _depths(thread, steps)
    work = _Work(thread, known, names, steps, set())
    work.kept = _kept(work, depths)
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
        more = {n for source in crowded for n in _meetings(source, work, depths)} - work.kept
        if not more:
            return made
        work.kept |= more


def _depths(thread: Thread, steps: Mapping[Node, list[Step]]) -> dict[Node, int]:
    """How deep in atomic regions each node is."""
    depths = {thread.graph.entry: 0}
    pending = [thread.graph.entry]
    while pending:
        here = pending.pop()
        for step in steps.get(here, ()):
            depth = depths[here] + (1 if isinstance(step.op, Begin) else -1 if isinstance(step.op, End) else 0)
            if depth < 0 or depths.get(step.target, depth) != depth:
                if step.target == thread.graph.exit:
                    continue
                message = "atomic regions do not nest here: one ends that did not begin, or is jumped into"
                raise InputError((error("SA722", message, step.origin.span),))
            if step.target not in depths:
                depths[step.target] = depth
                pending.append(step.target)
    return depths


def _kept(work: _Work, depths: Mapping[Node, int]) -> set[Node]:
    kept = {work.thread.graph.entry, work.thread.graph.exit}
    for node, steps in work.steps.items():
        if depths.get(node) == 0 and any(_matters(s, work) for s in steps):
            kept.add(node)
    while True:
        successors = {
            n: [s.target for s in steps if s.target not in kept and n not in kept]
            for n, steps in work.steps.items()
            if depths.get(n) == 0 or n in depths
        }
        loops = on_cycles(tuple(n for n in depths if n not in kept), successors)
        if any(depths[n] for n in loops):
            node = next(n for n in loops if depths[n])
            where = work.steps[node][0].origin
            raise InputError((error("SA722", "a loop inside of an atomic region", where.span),))
        if not loops:
            return kept
        heads = {number: n for n, number in sorted(loops.items(), reverse=True)}
        kept |= set(heads.values())


def _matters(step: Step, work: _Work) -> bool:
    """Whether a step outside of atomic regions is one that a location comes before."""
    match step.op:
        case Load() | Store():
            return _is_seen(step, work)
        case Begin():
            return _region_matters(step, work)
        case Show():
            return True
        case _:
            return False


def _region_matters(begin: Step, work: _Work) -> bool:
    pending, seen = [(begin.target, 1)], {begin.target}
    while pending:
        node, depth = pending.pop()
        for step in work.steps.get(node, ()):
            if isinstance(step.op, Wait | Show) or (isinstance(step.op, Load | Store) and _is_seen(step, work)):
                return True
            after = depth + (1 if isinstance(step.op, Begin) else -1 if isinstance(step.op, End) else 0)
            if after > 0 and step.target not in seen:
                seen.add(step.target)
                pending.append((step.target, after))
    return False


def _is_seen(step: Step, work: _Work) -> bool:
    access = work.known.of[id(step)]
    if is_solo(work.thread, step, work.known.solo):
        return False
    return any(seen_by_others(c, work.thread.number, access.writes, work.known) for c in access.cells)


def _meetings(source: Node, work: _Work, depths: Mapping[Node, int]) -> set[Node]:
    """Nodes behind a kept one, before the next ones, at which paths meet."""
    pending, arrivals = [source], dict[Node, int]()
    seen = {source}
    while pending:
        for step in work.steps.get(pending.pop(), ()):
            arrivals[step.target] = arrivals.get(step.target, 0) + 1
            if step.target not in seen and step.target not in work.kept:
                seen.add(step.target)
                pending.append(step.target)
    return {n for n, number in arrivals.items() if number > 1 and depths.get(n) == 0}


def _from(source: Node, work: _Work) -> Iterator[Joint]:
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


def _through(step: Step, path: _Path, source: Node, work: _Work) -> Iterator[_Path | Joint]:
    """What an elementary step makes of a path."""
    origin = path.origin
    if origin is None or (not path.seen and not isinstance(step.op, Begin | Test)):
        origin = step.origin if not path.seen else origin
    on = replace(path, node=step.target, origin=origin, length=path.length + 1)
    match step.op:
        case Set(var, term):
            yield replace(on, store=_with(path.store, work.names.registers[var], _now(term, path, work)))
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
        case Begin():
            yield replace(on, depth=path.depth + 1, seen=path.seen)
        case End():
            yield replace(on, depth=path.depth - 1)
        case Fail(what):
            yield _failed(path, path.guard, what, step.origin, source, work)
        case Halt():
            if path.depth == 0 and path.seen:
                yield _joint(source, STOPPED, path, work)
        case Live(name):
            yield _alive(name, on, path, step, work)
        case Show(action, values):
            yield replace(on, label=Label(action, tuple(_now(v, path, work) for v in values)), seen=True)
        case _:
            yield on


def _with(store: Mapping[Var, Term], var: Var, term: Term) -> Mapping[Var, Term]:
    return {**store, var: term}


def _now(term: Term, path: _Path, work: _Work) -> Term:
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


def _only(values: Values | None) -> Term | None:
    """The one value that there is."""
    if values is None or len(values) != 1:
        return None
    value = next(iter(values))
    return None if value is OTHER else build.integer(value)


def _choice(var: Var, range_: Range, origin: Origin, work: _Work) -> Variable:
    name = f"{var.name.lstrip('_') or 'v'}?{next(work.numbers)}"
    return Variable(build.variable(name), Kind.LOCAL, range_.low, range_.high, origin)


def _access(step: Step, path: _Path, source: Node, work: _Work) -> Iterator[_Path | Joint]:
    assert isinstance(step.op, Load | Store)
    access = work.known.of[id(step)]
    address = _now(step.op.address, path, work)
    if not access.sure:
        values = evaluate(step.op.address, work.known.found, work.thread.number)
        if not access.cells and OTHER in values:
            message = "what this address is of is not known here"
            raise InputError((error("SA714", message, step.origin.span, "numbers cannot be used as pointers"),))
        wrong = build.land(*(build.ne(address, build.integer(c)) for c in access.cells))
        guard = build.land(path.guard, simplified(wrong))
        if guard is not build.FALSE:
            yield _failed(path, guard, step.op.wrong, step.origin, source, work)
        path = replace(path, guard=build.land(path.guard, simplified(build.lnot(wrong))))
        if path.guard is build.FALSE:
            return
    if not access.cells:
        return
    if _is_seen(step, work):
        path = replace(path, seen=True, origin=path.origin if path.seen else step.origin)
    match step.op:
        case Load(var, _, _, _):
            value = _loaded(address, access, path, work)
            yield replace(path, store=_with(path.store, work.names.registers[var], value))
        case Store(_, term, _, _):
            value = _now(term, path, work)
            store = dict(path.store)
            for at in access.cells:
                if at in work.names.cells:
                    cell = work.names.cells[at]
                    here = build.eq(address, build.integer(at)) if len(access.cells) > 1 else build.TRUE
                    store[cell] = build.ite(simplified(here), value, store.get(cell, cell))
            yield replace(path, store=store)


def _loaded(address: Term, access: Access, path: _Path, work: _Work) -> Term:
    value: Term | None = None
    for at in reversed(access.cells):
        if at in work.known.fixed:
            here: Term = build.integer(work.known.fixed[at])
        else:
            cell = work.names.cells[at]
            here = path.store.get(cell, cell)
        value = here if value is None else build.ite(build.eq(address, build.integer(at)), here, value)
    assert value is not None
    return value


def _alive(name: str, on: _Path, path: _Path, step: Step, work: _Work) -> _Path:
    """An object begins to live: what may be read of it before it is written gets any value."""
    store, choices = dict(path.store), list(path.choices)
    for at, place in work.known.found.layout.places.items():
        if place.object.name != name or at not in work.names.cells:
            continue
        if place.cell.initial is not None:
            store[work.names.cells[at]] = place.cell.initial
        elif at in work.known.arbitrary:
            choice = _choice(work.names.cells[at], place.cell.range, step.origin, work)
            store[work.names.cells[at]] = choice.var
            choices.append(choice)
    return replace(on, store=store, choices=tuple(choices))


#: What goes wrong by the words for it; `assert` of C is a call that must not be reached, as all others are.
_FAULTS = {"pointer": Fault.POINTER, "overflow": Fault.OVERFLOW, "undefined": Fault.UNDEFINED}


def _failed(path: _Path, guard: Term, what: str, origin: Origin, source: Node, work: _Work) -> Joint:
    edge = _edge(replace(path, guard=guard, store={}, label=Label(FAIL)), work)
    said = origin.text if what == "assertion" else f"{origin.text} ({what})"
    text = f"{said} fails" if what == "assertion" else said
    failure = Failure(_FAULTS.get(what, Fault.REACHED), said)
    return Joint(source, FAILED, replace(edge, origin=replace(origin, text=text), failure=failure))


def _joint(source: Node, target: Node, path: _Path, work: _Work) -> Joint:
    return Joint(source, target, _edge(path, work))


def _edge(path: _Path, work: _Work) -> Edge:
    updates = tuple((v, t) for v, t in path.store.items() if v is not t)
    values = () if path.label is None else path.label.values
    free = path.guard.free.union(*(t.free for _, t in updates), *(t.free for t in values))
    used = tuple(c for c in path.choices if c.var in free)
    origin = path.origin or work.thread.graph.steps[0].origin
    return Edge("", "", path.label, path.guard, updates, used, origin)
