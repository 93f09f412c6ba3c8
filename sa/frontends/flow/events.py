"""What visible actions mean for plain variables, as in SEQ (PLDI 2022), section 2.

An acquire may bring permissions, with new values, and a release may take some away: both are actions of their own with
these values, chosen by the environment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import ANY, Begin, End, Graph, Havoc, Op, Range, Register, Set, Test
from sa.frontends.flow.held import ENDED, HIDDEN, SEEN, Held, full, given_range, is_seen
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.naming import ARRAY
from sa.frontends.flow.rows import chosen
from sa.terms import build
from sa.terms.sort import INT, Sort
from sa.terms.term import Term, Var


class Events(Struct):
    """The graph that is rewritten, and what it holds of cells by their addresses; choices so far are counted.

    The `source` of a comparison may show anything where it has poison.
    """

    graph: Graph
    held: Mapping[int, Held]
    source: bool
    count: int = 0


class Event(Struct, frozen=True):
    """An action and its values. By cell it is said when it is `owed` behind it.

    The value of one cell may be `known` by the action itself. Others get to see the addresses of cells that are
    `published`.
    """

    action: str
    values: Sequence[Term]
    sync: Sync
    owed: Mapping[int, Term]
    known: int | None
    published: Collection[int]


def shown(event: Event, work: Events) -> Iterator[Op]:
    """An action with what it means for the variables."""
    action, values, sync, known = event.action, event.values, event.sync, event.known
    cells = list(work.held.values())
    yield from (Set(own.seen, build.integer(SEEN)) for a in event.published if (own := work.held[a].own) is not None)
    match sync:
        case Sync.BEGIN:
            yield from _begun(work)
            picked = (c.picked for c in cells if c.picked is not None)
            yield Show(action, (*values, *(c.may for c in cells), *picked, *(c.value for c in cells)))
        case Sync.NONE:
            yield Show(action, tuple(values))
        case Sync.ACQUIRE:
            yield Show(action, tuple(values))
            yield from _gained(known, work)
        case Sync.RELEASE:
            yield from _released(event, work)
            yield from _lost(work)
        case Sync.UPDATE:
            # First it acquires, then it releases: what is owed behind it is not acquired any more.
            yield from _released(event, work)
            yield from _gained(known, work)
            yield from _lost(work)
        case Sync.CALL:
            yield from _released(replace(event, owed={}), work)
            yield from _resumed(work)
        case Sync.END:
            yield from _seen(replace(event, owed={}), work)


def _begun(work: Events) -> Iterator[Op]:
    # What is read before it is written has any value.
    unset = registers(work.graph).get(work.graph.entry, frozenset())
    yield from (Havoc(v, r.range) for v, r in work.graph.registers.items() if v in unset)
    for cell in work.held.values():
        if cell.own is not None:
            yield from (Set(v, build.ZERO) for v in (cell.value, cell.own.seen, cell.own.has, cell.wrote, cell.owes))
            yield Set(cell.may, build.integer(full(cell)))
            continue
        known = cell.first if cell.alone else None
        yield Havoc(cell.value, cell.given) if known is None else Set(cell.value, known)
        yield _permission(cell)
        yield Set(cell.wrote, build.ZERO)
        yield Set(cell.owes, build.ZERO)
        if cell.picked is not None:
            yield Havoc(cell.picked, work.graph.registers[cell.picked].range)


def begun(cell: Held, initial: Term | None, source: bool) -> Iterator[Op]:
    """A cell that is the function's own begins to live, or ends: others that have its address must not follow it."""
    assert cell.own is not None
    is_hidden = build.eq(cell.own.seen, build.integer(HIDDEN))
    yield Set(cell.wrote, build.ite(is_hidden, build.ZERO, build.ONE) if source else build.ZERO)
    yield Havoc(cell.value, cell.given) if initial is None else Set(cell.value, initial)
    yield Set(cell.may, build.integer(full(cell)))
    yield Set(cell.own.seen, build.ite(is_hidden, build.integer(HIDDEN), build.integer(ENDED)))
    yield Set(cell.own.has, build.ZERO if initial is None else build.ONE)


def _released(event: Event, work: Events) -> Iterator[Op]:
    """The values are shown, and what was written is forgotten."""
    yield from _seen(event, work)
    yield from (Set(c.wrote, _forgotten(c)) for c in work.held.values())


def _forgotten(cell: Held) -> Term:
    """Whether a cell counts as written behind a release: one that has ended does, for nobody accesses it."""
    if cell.own is None:
        return build.ZERO
    return build.ite(build.eq(cell.own.seen, build.integer(ENDED)), build.ONE, build.ZERO)


def _seen(event: Event, work: Events) -> Iterator[Op]:
    """The values are shown. What is owed need not have its value yet, and what has none has any."""
    seen = list[Term]()
    for address, cell in work.held.items():
        value: Term = cell.value if cell.picked is None else element_of(cell, cell.picked)
        any_ = build.lor(event.owed.get(address, build.FALSE), _is_nothing(cell, event.sync))
        if work.source and cell.cell.poison is not None:
            any_ = build.lor(any_, build.eq(value, build.integer(cell.cell.poison)))
        if any_ is not build.FALSE:
            chosen = _temporary(ANY, work)
            yield Havoc(chosen, ANY)
            if cell.picked is not None:
                # Beside a column nothing is chosen that is not shown.
                yield Test(build.lor(any_, build.eq(chosen, value)))
            value = build.ite(any_, chosen, value) if cell.picked is None else chosen
        hidden = build.FALSE if cell.own is None else build.eq(cell.own.seen, build.integer(HIDDEN))
        seen.append(build.ite(hidden, build.ZERO, value))
    yield Show(event.action, (*event.values, *seen))


def _is_nothing(cell: Held, sync: Sync) -> Term:
    """That nobody may read the cell: it never got a value, or it has ended."""
    if cell.own is None:
        return build.FALSE
    ended = build.TRUE if cell.own.ends and sync is Sync.END else build.eq(cell.own.seen, build.integer(ENDED))
    return build.lor(ended, build.ne(cell.own.has, build.ONE))


def element_of(cell: Held, index: Term) -> Term:
    """An element of a column: any number of the array that is given stands for one of the type."""
    return chosen(cell.value, index, replace(cell.cell, range=given_range(cell.cell.key, cell.cell.range)))


def _permission(cell: Held) -> Op:
    """The permission at the beginning."""
    if not cell.alone and not cell.fixed:
        return Havoc(cell.may, _bits(cell))
    most = build.integer(full(cell))
    return Set(cell.may, most if cell.column is None else build.constant_array(ARRAY, most))


def _bits(cell: Held) -> Range:
    return Range(0, full(cell)) if cell.column is None else ANY


def _changing(work: Events, loses: bool) -> list[tuple[int, Held]]:
    """The cells of which others may take or give permissions, as far as anybody can tell."""
    return [
        (a, c)
        for a, c in work.held.items()
        if not c.fixed and (c.column is None or (c.changes.lost if loses else c.changes.gained))
    ]


def _either(cell: Held, may: Term, one: Term, other: Term) -> Term:
    """The array that has the elements of `one` that there are permissions for, and the others of the other one."""
    assert cell.column is not None
    made = other
    for number in map(build.integer, range(cell.column.count)):
        allowed = build.eq(build.select(may, number), build.ONE)
        made = build.store(made, number, build.ite(allowed, build.select(one, number), build.select(other, number)))
    return made


def _lost(work: Events) -> Iterator[Op]:
    """Permissions are taken away."""
    kept = [(c, _temporary(_bits(c), work, c.may.sort)) for _, c in _changing(work, True)]
    if not kept:
        return
    yield from (End(), Begin())
    yield from (Havoc(k, _bits(c)) for c, k in kept)
    single = [(c, k) for c, k in kept if c.column is None]
    yield Test(build.land(*(build.le(k, c.may) for c, k in single)))
    yield Test(build.land(*(build.lor(is_seen(c), build.eq(k, c.may)) for c, k in single)))
    yield Show("keeps", tuple(k for _, k in kept))
    yield from (Set(c.may, k if c.column is None else _left(c, k)) for c, k in kept)


def _left(cell: Held, kept: Term) -> Term:
    """The permissions for elements that there were and that are kept."""
    return _either(cell, kept, cell.may, build.constant_array(ARRAY, build.ZERO))


def _gained(known: int | None, work: Events) -> Iterator[Op]:
    """Permissions are given, with new values; what the thread could read keeps its value, and so does what is known."""
    given = _given(work)
    if not given:
        return
    yield from _arbitrary(given)
    yield Test(build.land(*(build.le(c.may, k) for _, c, k, _ in given if c.column is None)))
    yield Show("gains", (*(k for _, _, k, _ in given), *(v for _, _, _, v in given)))
    for address, cell, bit, value in given:
        if cell.column is not None and not cell.changes.merged:
            # Nobody has looked at what there was before.
            yield from (Set(cell.value, value), Set(cell.may, bit))
            continue
        if cell.column is not None:
            yield Set(cell.value, _either(cell, cell.may, cell.value, value))
            yield Set(cell.may, _either(cell, cell.may, cell.may, bit))
            continue
        if address != known:
            is_new = build.land(build.eq(cell.may, build.ZERO), build.le(build.ONE, bit))
            yield Set(cell.value, build.ite(is_new, value, cell.value))
            yield from [] if cell.own is None else [Set(cell.own.has, build.ite(is_new, build.ONE, cell.own.has))]
        yield Set(cell.may, bit)


def _resumed(work: Events) -> Iterator[Op]:
    """Behind a call permissions and values are what they are."""
    given = _given(work)
    if not given:
        return
    yield from _arbitrary(given)
    yield Show("resumes", (*(k for _, _, k, _ in given), *(v for _, _, _, v in given)))
    for _, cell, bit, value in given:
        yield Set(cell.value, build.ite(is_seen(cell), value, cell.value))
        yield Set(cell.may, build.ite(is_seen(cell), bit, cell.may))
        yield from [] if cell.own is None else [Set(cell.own.has, build.ite(is_seen(cell), build.ONE, cell.own.has))]


def _given(work: Events) -> list[tuple[int, Held, Var, Var]]:
    return [
        (a, c, _temporary(_bits(c), work, c.may.sort), _temporary(c.given, work, c.value.sort))
        for a, c in _changing(work, False)
    ]


def _arbitrary(given: Sequence[tuple[int, Held, Var, Var]]) -> Iterator[Op]:
    """A new step, in which the environment chooses a permission and a value for each cell, or arrays of them."""
    yield from (End(), Begin())
    for _, cell, bit, value in given:
        yield Havoc(bit, _bits(cell))
        yield Havoc(value, cell.given)


def _temporary(range_: Range, work: Events, sort: Sort = INT) -> Var:
    work.count += 1
    var = build.variable(f"chosen.{work.count}", sort)
    work.graph.registers[var] = Register(var, range_, Origin(None), temporary=True)
    return var
