"""Plain shared variables of one function under permissions, as in SEQ (PLDI 2022), sections 2 and 3.

Each cell has a register for its value as this thread knows it, one for whether the thread may access it, and one for
whether it has written it since its last release. Nobody else changes any of them: an acquire may bring permissions,
with new values, a release may take some away, and both are actions with these values, chosen by the environment.

A column has arrays of values and permissions. Whether it was written, and what it has at the end, is asked of one
element, which the environment picks at the beginning. A source without choices has one run, whichever element that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import EXIT, Origin
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.debts import ENDS, in_any_case, is_element, of_other_types
from sa.frontends.flow.graph import (
    ANY,
    PLAIN,
    Begin,
    Cell,
    End,
    Fail,
    Graph,
    Halt,
    Havoc,
    Load,
    Node,
    Op,
    Range,
    Register,
    Set,
    Show,
    Skip,
    Step,
    Store,
    Sync,
    Test,
    fresh,
    outgoing,
)
from sa.frontends.flow.heap import OTHER_TYPE
from sa.frontends.flow.joins import chain
from sa.frontends.flow.layout import Column, element, is_at
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.naming import ARRAY
from sa.frontends.flow.regions import depths_of
from sa.frontends.flow.rows import chosen
from sa.frontends.flow.terms import written_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, pointed
from sa.frontends.flow.views import seen_as
from sa.terms import build
from sa.terms.sort import INT, Sort
from sa.terms.term import Term, Var

_BIT = Range(0, 1)
#: What an access without permission is.
RACE = "undefined"


class Held(Struct, frozen=True):
    """The registers of a cell: its value, whether it may be accessed, whether it was written, whether it will be.

    Values from outside are in `given`, for those that a thread computes are exact and may leave the type.
    What is `fixed` nobody changes, and everybody may read.
    Where a thread is the first one of all it has every permission, and the cell its `first` value if that is known.
    Of a `column`, the bits are about the element with the number `picked`.
    """

    cell: Cell
    given: Range
    value: Var
    may: Var
    wrote: Var
    owes: Var
    fixed: bool = False
    alone: bool = False
    first: Term | None = None
    column: Column | None = None
    picked: Var | None = None


class _Work(Struct):
    """A thread that is rewritten; the `source` of a comparison is undefined where it races, and may owe writes.

    By cell and node it is said when it is `owed`, and by node when the source is `doomed` to be undefined.
    """

    thread: Thread
    known: Accesses
    held: Mapping[int, Held]
    source: bool
    owed: Mapping[int, Mapping[Node, Term]]
    doomed: Mapping[Node, Term]
    depths: Mapping[Node, int]
    steps: list[Step] = field(default_factory=list)
    count: int = 0


def held(graph: Graph, cells: Mapping[int, tuple[str, Cell, Column | None]]) -> dict[int, Held]:
    """Registers for cells and columns, by their addresses; each with what it is called. The graph gets them."""
    found = dict[int, Held]()
    for address, (told, cell, column) in cells.items():

        def register(word: str, range_: Range, sort: Sort = INT, told: str = told, cell: Cell = cell) -> Var:
            var = build.variable(f"{word}.{told}", sort)
            text, words = (f"{word} {told}", PLAIN) if word else (told, cell.words)
            graph.registers[var] = Register(var, range_, Origin(None, text), told=text, words=words)
            return var

        sort = INT if column is None else ARRAY
        values, bits = (ANY, ANY) if column is not None else (cell.range, _BIT)
        found[address] = Held(
            cell,
            ANY if column is not None else given_range(cell.key, cell.range),
            register("", values, sort),
            register("may access", bits, sort),
            register("has written", _BIT),
            register("will write", _BIT),
            column=column,
            picked=None if column is None else register("picked of", Range(0, column.count - 1)),
        )
    return found


def given_range(key: str, range_: Range) -> Range:
    """The values that the environment may give a cell or register of a kind."""
    bits = re.fullmatch(r"int(\d+)", key)
    return range_ if bits is None else Range(-(2 ** (int(bits[1]) - 1)), 2 ** (int(bits[1]) - 1) - 1)


def under_permissions(thread: Thread, known: Accesses, cells: Mapping[int, Held], source: bool) -> None:
    """Rewrite the graph of a thread in place. Raises InputError for accesses of which too little is known."""
    graph = thread.graph
    debts = {a: in_any_case(thread, known, a) for a, h in cells.items() if h.column is None} if source else {}
    fate = in_any_case(thread, known, None) if source else {}
    work = _Work(thread, known, cells, source, debts, fate, depths_of(thread, outgoing(graph.steps)))
    for step in graph.steps:
        _rewritten(step, work)
    _doomed(work)
    graph.steps = work.steps


def _doomed(work: _Work) -> None:
    """Who will be undefined in any case is undefined as good as now: no acquire is between.

    So is who has no permission for what it will write in any case. SEQ calls this late undefined behaviour. Permissions
    go at releases, and what will be written is told where it becomes certain.
    """
    graph = work.thread.graph
    for node in dict.fromkeys(s.target for s in graph.steps):
        before = [s for s in graph.steps if s.target == node]
        if work.depths.get(node, 0):
            continue
        for address, cell in work.held.items():
            due = work.owed.get(address, {})
            if _is_news(node, before, due):
                _fail(node, build.land(build.eq(cell.may, build.ZERO), due[node]), before[0].origin, work)
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
    """When a cell will be written in any case."""
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
            ops = list(_shown(step, work))
            _add(step, ops if work.depths[step.source] else [Begin(), *ops, End()], work)
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
    bit = cell.may if column is None else build.select(cell.may, element(op.address, column))
    may = build.eq(bit, build.ONE)
    allowed, refused = Test(may), Test(build.lnot(may))
    match op:
        case Load(var, address, wanted, _, _):
            value = cell.value if column is None else _element(cell, element(address, column))
            yield [allowed, Set(var, seen_as(value, key, wanted))]
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
            yield [allowed, Set(cell.value, made), Set(cell.wrote, wrote)]
            yield [refused, Fail(RACE)]


def _shown(step: Step, work: _Work) -> Iterator[Op]:
    """An action with what it means for the variables."""
    assert isinstance(step.op, Show)
    action, values, sync = step.op.action, step.op.values, step.op.sync
    cells = list(work.held.items())
    seen: list[Term] = [c.value if c.picked is None else _element(c, c.picked) for _, c in cells]
    match sync:
        case Sync.BEGIN:
            # What is read before it is written has any value.
            unset = registers(work.thread.graph).get(work.thread.graph.entry, frozenset())
            yield from (Havoc(v, r.range) for v, r in work.thread.graph.registers.items() if v in unset)
            for _, cell in cells:
                known = cell.first if cell.alone else None
                yield Havoc(cell.value, cell.given) if known is None else Set(cell.value, known)
                yield _permission(cell)
                yield Set(cell.wrote, build.ZERO)
                yield Set(cell.owes, build.ZERO)
                if cell.picked is not None:
                    yield Havoc(cell.picked, work.thread.graph.registers[cell.picked].range)
            picked = (c.picked for _, c in cells if c.picked is not None)
            yield Show(action, (*values, *(c.may for _, c in cells), *picked, *(c.value for _, c in cells)))
        case Sync.NONE:
            yield Show(action, values)
        case Sync.ACQUIRE:
            yield Show(action, values)
            yield from _gained(work)
        case Sync.RELEASE:
            for number, (address, _) in enumerate(cells):
                if (owing := _owed(address, step.target, work)) is not build.FALSE:
                    # What is owed need not have its value yet.
                    any_ = _temporary(ANY, work)
                    seen[number] = build.ite(owing, any_, seen[number])
                    yield Havoc(any_, ANY)
            yield Show(action, (*values, *seen))
            yield from (Set(c.wrote, build.ZERO) for _, c in cells)
            yield from _lost(work)
        case Sync.UPDATE:
            yield Show(action, (*values, *seen))
            yield from _gained(work)
            yield from (Set(c.wrote, build.ZERO) for _, c in cells)
            yield from _lost(work)
        case Sync.CALL:
            yield Show(action, (*values, *seen))
            yield from (Set(c.wrote, build.ZERO) for _, c in cells)
            yield from _resumed(work)
        case Sync.END:
            yield Show(action, (*values, *seen))


def _element(cell: Held, index: Term) -> Term:
    """An element of a column: any number of the array that is given stands for one of the type."""
    return chosen(cell.value, index, replace(cell.cell, range=given_range(cell.cell.key, cell.cell.range)))


def _permission(cell: Held) -> Op:
    """The permission at the beginning."""
    if not cell.alone and not cell.fixed:
        return Havoc(cell.may, _BIT if cell.column is None else ANY)
    return Set(cell.may, build.ONE if cell.column is None else build.constant_array(ARRAY, build.ONE))


def _changing(work: _Work) -> list[Held]:
    """The cells that others may change."""
    return [c for c in work.held.values() if not c.fixed]


def _lost(work: _Work) -> Iterator[Op]:
    """Permissions are taken away."""
    kept = [(c, _temporary(_BIT, work)) for c in _changing(work)]
    if not kept:
        return
    yield from (End(), Begin())
    yield from (Havoc(k, _BIT) for _, k in kept)
    yield Test(build.land(*(build.le(k, c.may) for c, k in kept)))
    yield Show("keeps", tuple(k for _, k in kept))
    yield from (Set(c.may, k) for c, k in kept)


def _gained(work: _Work) -> Iterator[Op]:
    """Permissions are given, with new values; what the thread had keeps its value."""
    given = [(c, _temporary(_BIT, work), _temporary(c.given, work)) for c in _changing(work)]
    if not given:
        return
    yield from _arbitrary(given)
    yield Test(build.land(*(build.le(c.may, k) for c, k, _ in given)))
    yield Show("gains", (*(k for _, k, _ in given), *(v for _, _, v in given)))
    for cell, bit, value in given:
        yield Set(cell.value, build.ite(build.lt(cell.may, bit), value, cell.value))
        yield Set(cell.may, bit)


def _resumed(work: _Work) -> Iterator[Op]:
    """Behind a call permissions and values are what they are."""
    given = [(c, _temporary(_BIT, work), _temporary(c.given, work)) for c in _changing(work)]
    if not given:
        return
    yield from _arbitrary(given)
    yield Show("resumes", (*(k for _, k, _ in given), *(v for _, _, v in given)))
    for cell, bit, value in given:
        yield Set(cell.value, value)
        yield Set(cell.may, bit)


def _arbitrary(given: Sequence[tuple[Held, Var, Var]]) -> Iterator[Op]:
    """A new step, in which the environment chooses a permission and a value for each cell."""
    yield from (End(), Begin())
    for cell, bit, value in given:
        yield Havoc(bit, _BIT)
        yield Havoc(value, cell.given)


def _temporary(range_: Range, work: _Work) -> Var:
    work.count += 1
    var = build.variable(f"chosen.{work.count}")
    work.thread.graph.registers[var] = Register(var, range_, Origin(None), temporary=True)
    return var
