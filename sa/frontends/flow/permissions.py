"""Plain shared variables of one function under permissions, as in SEQ (PLDI 2022), sections 2 and 3.

Each cell has a register for its value as this thread knows it, one for whether the thread may access it, and one for
whether it has written it since its last release. Nobody else changes any of them: an acquire may bring permissions,
with new values, a release may take some away, and both are actions with these values, chosen by the environment.

A column has arrays of values and permissions. Whether it was written, and what it has at the end, is asked of one
element, which the environment picks at the beginning. A source without choices has one run, whichever element that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import EXIT, Origin
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.actions import Atomic, Show, Sync, Thing
from sa.frontends.flow.chains import chain
from sa.frontends.flow.events import Event, Events, begun, element_of, shown
from sa.frontends.flow.graph import (
    Begin,
    End,
    Fail,
    Halt,
    Havoc,
    Live,
    Load,
    Node,
    Op,
    Set,
    Skip,
    Step,
    Store,
    Test,
    fresh,
    outgoing,
)
from sa.frontends.flow.heap import OTHER_TYPE
from sa.frontends.flow.held import Held, given_range, is_allowed, is_lacking, is_seen
from sa.frontends.flow.layout import element, is_at
from sa.frontends.flow.must_execute import ENDS, Due, in_any_case, is_element, of_other_types
from sa.frontends.flow.published import handed_on
from sa.frontends.flow.regions import depths_of
from sa.frontends.flow.terms import written_by
from sa.frontends.flow.things import Spelling, found_at, spelled
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, pointed
from sa.frontends.flow.views import seen_as
from sa.terms import build
from sa.terms.term import Term

#: What an access without permission is.
RACE = "undefined"


class _Work(Struct):
    """A thread that is rewritten; the `source` of a comparison is undefined where it races, and may owe writes.

    By cell and node it is said when it is `owed`, and of mixed ones when it will be `accessed` plainly; of columns when
    an element will be written without permission (`lacking`); by node when the source is `doomed` to be undefined.
    """

    thread: Thread
    known: Accesses
    held: Mapping[int, Held]
    source: bool
    spelling: Spelling
    owed: Mapping[int, Mapping[Node, Term]]
    accessed: Mapping[int, Mapping[Node, Term]]
    lacking: Mapping[int, Mapping[Node, Term]]
    doomed: Mapping[Node, Term]
    depths: Mapping[Node, int]
    events: Events
    steps: list[Step] = field(default_factory=list)


def under_permissions(
    thread: Thread, known: Accesses, cells: Mapping[int, Held], source: bool, spelling: Spelling
) -> None:
    """Rewrite the graph of a thread in place. Raises InputError for accesses of which too little is known."""
    graph = thread.graph
    debts = {a: in_any_case(thread, known, Due(a, picked=h.picked)) for a, h in cells.items()} if source else {}
    # What reads poison where it races is not undefined yet.
    mixed = [a for a, h in cells.items() if h.mixed and h.cell.poison is None]
    reads = {a: in_any_case(thread, known, Due(a, True)) for a in mixed} if source else {}
    columns = {a: h.may for a, h in cells.items() if h.column is not None}
    lacking = {a: in_any_case(thread, known, Due(a, may=may)) for a, may in columns.items()} if source else {}
    fate = in_any_case(thread, known, Due()) if source else {}
    depths = depths_of(thread, outgoing(graph.steps))
    events = Events(graph, cells, source)
    work = _Work(thread, known, cells, source, spelling, debts, reads, lacking, fate, depths, events)
    for step in graph.steps:
        _rewritten(step, work)
    _doomed(work)
    graph.steps = work.steps


def _doomed(work: _Work) -> None:
    """A function that is certain to become undefined is undefined now: there is no acquire between.

    So is who has no permission for what it will write in any case, or will read if it is mixed: an atomic load before
    that need not be shown then. SEQ calls this late undefined behaviour. Permissions go at releases, and what will be
    written is told where it becomes certain.
    """
    graph = work.thread.graph
    for node in dict.fromkeys(s.target for s in graph.steps):
        before = [s for s in graph.steps if s.target == node]
        if work.depths.get(node, 0):
            continue
        for address, cell in work.held.items():
            due, read = work.owed.get(address, {}), work.accessed.get(address, {})
            lacking = work.lacking.get(address, {})
            if _is_news(node, before, lacking):
                _fail(node, lacking[node], before[0].origin, work)
            if cell.column is None and _is_news(node, before, due):
                _fail(node, build.land(is_lacking(cell), due[node]), before[0].origin, work)
            if _is_news(node, before, read):
                _fail(node, build.land(build.eq(cell.may, build.ZERO), read[node]), before[0].origin, work)
        if _is_news(node, before, work.doomed):
            _fail(node, work.doomed[node], before[0].origin, work)


def _is_news(node: Node, before: Sequence[Step], conditions: Mapping[Node, Term]) -> bool:
    """Whether the condition at a node is not the one before the steps to it, or nothing was done about that one."""

    def is_new(step: Step) -> bool:
        if isinstance(step.op, Show | End) or step.source not in conditions:
            return True
        # A condition before a test or an assignment is one behind it, in other words.
        return conditions[step.source] is not conditions[node] and not isinstance(step.op, Test | Set)

    return node in conditions and any(map(is_new, before))


def _owed(address: int, node: Node, work: _Work) -> Term:
    """When a cell is certain to be written."""
    return work.owed.get(address, {}).get(node, build.FALSE)


def _fail(node: Node, formula: Term, origin: Origin, work: _Work) -> None:
    """The source is undefined where a formula holds."""
    here = fresh(work.thread.graph)
    work.steps += chain(work.thread.graph, node, [Test(formula)], here, origin)
    work.steps.append(Step(here, Fail(RACE), fresh(work.thread.graph), origin))


def _rewritten(step: Step, work: _Work) -> None:
    match step.op:
        case Load() | Store():
            _accessed(step, work)
        case Show(action) if action == EXIT:
            _add(step, [Skip()], work)
        case Show():
            _shown(step, step.op, work)
        case Havoc(found=Thing() as thing):
            _found(step, step.op, thing, work)
        case Live():
            _lives(step, step.op, work)
        case Fail(what) if what in ENDS:
            here = fresh(work.thread.graph)
            work.steps += chain(work.thread.graph, step.source, [Show("fails", (), Sync.NONE)], here, step.origin)
            work.steps.append(Step(here, Halt(), step.target, step.origin))
        case _:
            _add(step, [step.op], work)


def _add(step: Step, ops: list[Op], work: _Work) -> None:
    """The steps in place of one, with what is owed behind it."""
    changed = list[Op]()
    for address, cell in work.held.items():
        before, after = (_owed(address, n, work) for n in (step.source, step.target))
        if before is not after or written_by(step.op) in after.free:
            changed.append(Set(cell.owes, build.ite(after, build.ONE, build.ZERO)))
    work.steps += chain(work.thread.graph, step.source, [*ops, *changed], step.target, step.origin)


def _accessed(step: Step, work: _Work) -> None:
    """An access, cell by cell."""
    assert isinstance(step.op, Load | Store)
    access, where = work.known.of[id(step)], work.known.found.layout
    values = pointed(step.op.address, step.op.among, work.known.found, work.thread.number)
    mine = [c for c in access.cells if c in work.held]
    if OTHER in values and not is_element(step.op.address, work.thread, work.known.found):
        message = "which variable is accessed here is not known where a function is compared alone"
        hint = "access a variable by its name, or what a parameter of its type points to, of at most 64 numbers"
        raise InputError((error("SA718", message, step.origin.span, hint),))
    others = [c for c in access.cells if c not in work.held]
    if not mine:
        _add(step, [step.op], work)
        return
    alone = access.sure and len(access.cells) == 1
    for address in mine:
        here = build.TRUE if alone else is_at(step.op.address, address, where)
        for ops in _alternatives(step.op, work.held[address], work):
            _add(step, [Test(here), *ops], work)
    elsewhere = build.land(*(build.lnot(is_at(step.op.address, a, where)) for a in mine))
    if others:
        _add(step, [Test(elsewhere), step.op], work)
    elif not access.sure:
        for address in of_other_types(step.op, access, values, where):
            # That is defined for bytes; what they are is not known here.
            there = is_at(step.op.address, address, where)
            elsewhere = build.land(elsewhere, build.lnot(there))
            _add(step, [Test(there), Fail(OTHER_TYPE)], work)
        _add(step, [Test(elsewhere), Fail(step.op.wrong)], work)


def _alternatives(op: Load | Store, cell: Held, work: _Work) -> Iterator[list[Op]]:
    """What an access of a cell does where there is permission, and where there is none."""
    key, column = cell.cell.key, cell.column
    may = is_allowed(cell, op.address, isinstance(op, Store))
    allowed, refused = Test(may), Test(build.lnot(may))
    match op:
        case Load(var, address, wanted, _, _):
            value = cell.value if column is None else element_of(cell, element(address, column))
            yield [allowed, Set(var, seen_as(value, key, wanted))]
            if cell.cell.poison is not None:
                # Such a language defines what races to read poison, on both sides.
                yield [refused, Set(var, build.integer(cell.cell.poison))]
                return
            # The target of a comparison reads something; what it does with that must be right for every value.
            anything = Havoc(var, given_range(wanted, work.thread.graph.registers[var].range))
            yield [refused, Fail(RACE)] if work.source else [refused, anything]
        case Store(_, term, stored, _, _):
            made: Term = seen_as(term, stored, key)
            wrote: Term = build.ONE
            if column is not None:
                assert cell.picked is not None
                index = element(op.address, column)
                made = build.store(cell.value, index, made)
                wrote = build.ite(build.eq(index, cell.picked), wrote, cell.wrote)
            yield [allowed, Set(cell.value, made), *_noted(cell, wrote)]
            yield [refused, Fail(RACE)]


def _noted(cell: Held, wrote: Term) -> list[Op]:
    """That a cell is written: by its own function before others know of it, or since the last release."""
    if cell.own is None:
        return [Set(cell.wrote, wrote)]
    return [Set(cell.wrote, build.ite(is_seen(cell), build.ONE, cell.wrote)), Set(cell.own.has, build.ONE)]


def _found(step: Step, op: Havoc, thing: Thing, work: _Work) -> None:
    """What an atomic access reads: of a cell that nobody else may write it is the value that is known."""
    elsewhere = list[Term]()
    for address in found_at(thing, work.thread, work.known, _mixed(work)):
        cell = work.held[address]
        here = build.land(is_at(thing.address, address, work.known.found.layout), build.le(build.ONE, cell.may))
        _add(step, [Test(here), Set(op.var, seen_as(cell.value, cell.cell.key, thing.key))], work)
        elsewhere.append(build.lnot(here))
    _add(step, [Test(build.land(*elsewhere)), replace(op, found=None)], work)


def _shown(step: Step, op: Show, work: _Work) -> None:
    """A visible action. An atomic access that nobody else can see or disturb is none."""
    elsewhere = list[Term]()
    for address in found_at(op.things[0], work.thread, work.known, _mixed(work)) if op.atomic is not None else ():
        cell, thing = work.held[address], op.things[0]
        here = is_at(thing.address, address, work.known.found.layout)
        value = Set(cell.value, seen_as(op.values[-1], thing.key, cell.cell.key))
        least = 1 if op.atomic is Atomic.LOAD else 2
        quiet = build.le(build.integer(least), cell.may)
        done = [] if op.atomic is Atomic.LOAD else [value, *_noted(cell, build.ONE)]
        _add(step, [Test(build.land(here, quiet)), *done], work)
        seen = [Test(build.land(here, build.lnot(quiet))), value, *_event(step, op, address, work)]
        _add(step, seen, work)
        elsewhere.append(build.lnot(here))
    if build.land(*elsewhere) is not build.FALSE:
        _add(step, [Test(build.land(*elsewhere)), *_event(step, op, None, work)], work)


def _event(step: Step, op: Show, known: int | None, work: _Work) -> list[Op]:
    owed = {a: _owed(a, step.target, work) for a in work.held}
    names = {*handed_on(step, op, work.thread, work.known)}
    published = [a for a in work.held if (name := _name(a, work)) is not None and name in names]
    action, values = spelled(op, work.known.found.layout, work.spelling)
    ops = list(shown(Event(action, values, op.sync, owed, known, published), work.events))
    return ops if work.depths[step.source] else [Begin(), *ops, End()]


def _name(address: int, work: _Work) -> str | None:
    """The object of a cell, if this function knows it."""
    place = work.known.found.layout.places.get(address)
    return None if place is None else place.object.name


def _lives(step: Step, op: Live, work: _Work) -> None:
    """An object of the function's own begins to live, or ends: others cannot access it, or must not."""
    ops: list[Op] = [op]
    for address, cell in work.held.items():
        if cell.own is not None and _name(address, work) == op.name:
            ops += begun(cell, work.known.found.layout.places[address].cell.initial, work.source)
    _add(step, ops, work)


def _mixed(work: _Work) -> Mapping[int, str]:
    return {a: c.cell.key for a, c in work.held.items() if c.mixed}
