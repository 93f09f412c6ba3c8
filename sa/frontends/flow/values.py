"""Which constants a register or a cell may hold: points-to, for addresses are numbers.

Flow-insensitive, over inlined threads, so that it is about activations and not procedures. A set with `OTHER` also
stands for any value that is not listed; a set without it is all there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import gcd, prod
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct, field

from sa.frontends.flow.division import quotient
from sa.frontends.flow.graph import Among, Divide, Havoc, Live, Load, Range, Room, Set, Step, Storage, Store, base
from sa.frontends.flow.layout import Layout, cell_at, extent_of, near
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.lives import Dead, Free, Freeable, Recycle
from sa.frontends.flow.terms import read_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.views import kin, seen_number
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.substitute import substitute
from sa.terms.term import Int, Ite, Sum, Term, Var

#: Any value that is not listed. Addresses are positive, and so is no value of this sort.
OTHER = None
Values: TypeAlias = frozenset[int | None]

K = TypeVar("K")

_MOST, _MOST_COMBINATIONS, _MOST_OF_COLUMN = 64, 4096, 16
#: So often one step may give something new values before numbers among them are forgotten.
_MOST_GROWTHS = 8
_UNKNOWN: Values = frozenset({OTHER})
_NOTHING: Values = frozenset()
_ALIVE: Values = frozenset({0})


class Found(Struct):
    """What is known: of registers by thread number, and of cells by address. `sums` are values that no step changes."""

    layout: Layout
    registers: dict[tuple[int, Var], Values] = field(default_factory=dict)
    cells: dict[int, Values] = field(default_factory=dict)
    sums: dict[Term, Values] = field(default_factory=dict)


def constants(threads: Sequence[Thread], where: Layout, arbitrary: frozenset[int]) -> Found:
    """The least solution. Cells without an initial value have none unless they are among the `arbitrary` ones."""
    found = Found(where)
    for address, place in where.places.items():
        cell = place.cell
        if cell.initial is not None:
            found.cells[address] = _initial(address, cell.initial, found)
        else:
            static = place.object.storage is Storage.STATIC and cell.key not in ("argument", "result")
            found.cells[address] = _range(cell.range) if static or address in arbitrary else _NOTHING
    for thread in threads:
        first = registers(thread.graph).get(thread.graph.entry, frozenset())
        for var in thread.graph.registers:
            found.registers[thread.number, var] = _UNKNOWN if var in first else _NOTHING
    _solve([(t.number, s) for t in threads for s in t.graph.steps if isinstance(s.op, _MOVING)], found)
    return found


#: What a step depends on or changes: a register of a thread, or a cell.
_Key: TypeAlias = tuple[int, Var] | int
_MOVING = Set | Divide | Havoc | Load | Store | Room | Live | Free | Dead | Recycle


def _solve(steps: Sequence[tuple[int, Step]], found: Found) -> None:
    """Go over the steps until nothing changes; a step is looked at again if what it depends on has changed since."""
    reads: list[list[_Key]] = [[(t, v) for term in read_by(s.op) for v in term.free] for t, s in steps]
    loaded: list[Sequence[_Key]] = [()] * len(steps)
    last, stamps, now, changed = [-1] * len(steps), dict[_Key, int](), 0, True
    grown = [0] * len(steps)
    while changed:
        changed = False
        for number, (thread, step) in enumerate(steps):
            before = last[number]
            if before >= 0 and all(stamps.get(k, 0) <= before for k in (*reads[number], *loaded[number])):
                continue
            last[number] = now
            loaded[number], more = _transfer(step, thread, found)
            if more:
                grown[number] += 1
                if grown[number] >= _MOST_GROWTHS:
                    _widen(more, found)
                now, changed = now + 1, True
                stamps.update(dict.fromkeys(more, now))


def _widen(keys: Sequence[_Key], found: Found) -> None:
    """What a step gives new values again and again is counted: its numbers are any, its addresses are as they are."""
    for key in keys:
        values = found.cells[key] if isinstance(key, int) else found.registers[key]
        wide = _UNKNOWN | frozenset(v for v in values if v in found.layout.homes or v in found.layout.codes)
        if len(values) > len(wide):
            table: dict[Any, Values] = found.cells if isinstance(key, int) else found.registers
            table[key] = wide


def _initial(number: int, initial: Term, found: Found) -> Values:
    """The values that a cell, or one of a column, has at first."""
    column = found.layout.columns.get(number)
    terms = {initial} if column is None else set(column.initials)
    values = (evaluate(t, found, 0) for t in terms if t is not None)
    return _settled(frozenset[int | None]().union(*values), found.layout)


def _range(range_: Range) -> Values:
    if range_.low is None or range_.high is None or range_.high - range_.low >= _MOST:
        return _UNKNOWN
    return frozenset(range(range_.low, range_.high + 1))


def _transfer(step: Step, thread: int, found: Found) -> tuple[Sequence[_Key], list[_Key]]:
    """Take a step into account: the cells that it loads, and what has more values now."""
    loaded: Sequence[int] = ()
    match step.op:
        case Set(var, term):
            values = evaluate(term, found, thread)
        case Divide(var, sign, dividend, divisor):
            one, two = evaluate(dividend, found, thread), evaluate(divisor, found, thread)
            values = _NOTHING if not one or not two else frozenset({_divided(sign, one, two)})
        case Havoc(var, range_):
            values = _range(range_)
        case Room(var, address):
            rooms = [room_at(v, found.layout) for v in evaluate(address, found, thread) if v is not OTHER]
            loaded = [extent for room in rooms if room is not None and (extent := room[1]) is not None]
            counts = (room[0] if room[1] is None else OTHER for room in rooms if room is not None)
            values = frozenset[int | None](counts)
        case Load(var, address, key, _, among):
            values, loaded = _NOTHING, targets(pointed(address, among, found, thread), key, found.layout)
            for at in loaded:
                values |= _viewed(found.cells[at], found.layout.places[at].cell.key, key)
        case Store(address, term, key, _, among):
            values, grown = evaluate(term, found, thread), list[_Key]()
            for at in written(step.op, pointed(address, among, found, thread), found.layout):
                stored = _viewed(values, key, found.layout.places[at].cell.key)
                grown += [at] if _grow(found.cells, at, stored, found.layout) else []
            return (), grown
        case Recycle(var, name):
            values = recyclable(name, found.layout)
        case Live(name):
            life = found.layout.lives.get(found.layout.addresses[base(name)])
            return (), [] if life is None or not _grow(found.cells, life, _ALIVE, found.layout) else [life]
        case Free() | Dead():
            lives = found.layout.lives
            ended = {lives[first] for first in ended_by(step.op, found, thread) & lives.keys()}
            return (), [a for a in ended if _grow(found.cells, a, frozenset({step.op.site}), found.layout)]
        case _:
            return (), []
    changed = _grow(found.registers, (thread, var), values, found.layout)
    return loaded, [(thread, var)] if changed else []


def ended_by(op: Free | Freeable | Dead, found: Found, thread: int) -> frozenset[int]:
    """The first addresses of the objects that an operation may end."""
    if isinstance(op, Dead):
        return frozenset({found.layout.addresses[base(op.name)]})
    return frozenset(v for v in evaluate(op.address, found, thread) if v in found.layout.allocated)


def recyclable(name: str, where: Layout) -> frozenset[int]:
    """The first addresses of the allocated objects that may end and are like the one with this name."""
    like = _form(where.addresses[base(name)], where)
    return frozenset(first for first in where.allocated & where.lives.keys() if _fits(_form(first, where), like))


def _form(first: int, where: Layout) -> tuple[tuple[str, str, bool], ...]:
    """What tells kinds of objects apart: the names and types of their cells, and whether these have first values."""
    cells = (where.places[n].cell for n in where.units[first])
    return tuple((cell.path, cell.key, cell.initial is not None) for cell in cells)


def _fits(old: tuple[tuple[str, str, bool], ...], new: tuple[tuple[str, str, bool], ...]) -> bool:
    """Whether an object may become a new one: what has first values gets those of the new one, which must have some."""
    return len(old) == len(new) and all(a[:2] == b[:2] and a[2] <= b[2] for a, b in zip(old, new, strict=True))


def room_at(value: int, where: Layout) -> tuple[int, int | None] | None:
    """How many scalars an allocated object has that begins here; None if none does.

    Where a cell says how many elements there are, it is that cell, and how many scalars an element has.
    """
    if value == 0:
        return 0, None
    first, end = where.homes.get(value, (None, 0))
    if first != value or not where.units[value]:
        return None
    if where.places[where.units[value][0]].object.storage is not Storage.HEAP:
        return None
    column = next((c for n in where.units[value] if (c := where.columns.get(n)) is not None), None)
    extent = extent_of(where.units[value][0], where) if column is None else column.extent
    if extent is None:
        return end - value, None
    if column is None:
        return 1, extent
    return (column.stride, extent) if column.first == value else None


def _divided(sign: str, one: Values, two: Values) -> int | None:
    """The quotient or remainder where both operands are known."""
    a, b = next(iter(one)), next(iter(two))
    if len(one) > 1 or len(two) > 1 or a is OTHER or b is OTHER or b == 0:
        return OTHER
    made = quotient(sign, build.integer(a), b, {})
    return made.value if isinstance(made, Int) else OTHER


def pointed(address: Term, among: Among | None, found: Found, thread: int) -> Values:
    """The values of an address that is one of some cells, if that is said."""
    if among is None:
        return evaluate(address, found, thread)
    start, offsets = among
    result = set[int | None]()
    for first in evaluate(start, found, thread):
        home = None if first is OTHER else found.layout.homes.get(first)
        if first is OTHER:
            result.add(OTHER)
            continue
        if home is None:
            # What is no address is none at any distance: the access fails there.
            result |= {first + o for o in offsets}
            continue
        if first in found.layout.columns:
            result |= {OTHER, *(n for o in offsets for n in near(first, o, 0, found.layout))}
            continue
        result |= {first + o if home[0] <= first + o <= home[1] else OTHER for o in offsets}
    return frozenset(result)


def targets(values: Values, key: str, where: Layout) -> list[int]:
    """The numbers of cells and columns of this kind that the values mean."""
    found = {cell_at(v, where) for v in values if v is not OTHER}
    return sorted(n for n in found if n is not None and kin(where.places[n].cell.key, key))


def written(store: Store, values: Values, where: Layout) -> list[int]:
    """The same of what a store may write: constants get their first values only."""
    found = targets(values, store.key, where)
    return found if store.first else [n for n in found if not where.places[n].object.kept]


def _viewed(values: Values, stored: str, wanted: str) -> Values:
    return frozenset(v if v is OTHER else seen_number(v, stored, wanted) for v in values)


def _grow(table: dict[K, Values], key: K, more: Values, where: Layout) -> bool:
    before = table[key]
    after = _settled(before | more, where)
    table[key] = after
    return after != before


def _settled(values: Values, where: Layout) -> Values:
    """A set that is not too large: what is known of numbers that are no addresses is forgotten.

    Many addresses of a column are the column.
    """
    if crowded := _crowded(values, where) if where.members else set[int]():
        alone = frozenset(v for v in values if v is OTHER or where.members.get(v) not in crowded)
        values = alone | crowded | _UNKNOWN
    if OTHER not in values and len(values) <= _MOST:
        return values
    known = frozenset(v for v in values if v is not OTHER and (v in where.homes or v in where.codes))
    return known if known == values else known | _UNKNOWN


def _crowded(values: Values, where: Layout) -> set[int]:
    """The columns that stand for their addresses: those that are there already, and those of many addresses."""
    counts = Counter(where.members[v] for v in values if v is not OTHER and v in where.members)
    many = {number for number, count in counts.items() if count > _MOST_OF_COLUMN}
    return many | {v for v in values if v is not OTHER and v in where.columns}


def evaluate(term: Term, found: Found, thread: int) -> Values:
    """The values that a term may have."""
    match term:
        case Int(value):
            return frozenset({value})
        case Var():
            address = found.layout.addresses.get(term)
            return frozenset({address}) if address is not None else found.registers.get((thread, term), _UNKNOWN)
        case _ if (folded := _folded(term, found, thread)) is not None:
            return frozenset({folded})
        case Ite(condition, positive, negative):
            decided = _decided(condition, found, thread)
            one = _NOTHING if decided is build.FALSE else evaluate(positive, found, thread)
            other = _NOTHING if decided is build.TRUE else evaluate(negative, found, thread)
            return _settled(one | other, found.layout)
        case Sum():
            if (known := found.sums.get(term)) is not None:
                return known
            values = _settled(_sum(term, found, thread), found.layout)
            if all(v in found.layout.addresses for v in term.free):
                found.sums[term] = values
            return values
        case _:
            return _UNKNOWN


def _decided(condition: Term, found: Found, thread: int) -> Term:
    """What is left of a condition where registers have one value, addresses too: who takes two locks compares them."""
    known = dict[Var, Term]()
    for var in condition.free:
        values = evaluate(var, found, thread)
        # The number of a column may stand for any address in it.
        if len(values) == 1 and (value := next(iter(values))) is not OTHER and value not in found.layout.columns:
            known[var] = build.integer(value)
    return substitute(condition, known)


def _folded(term: Term, found: Found, thread: int) -> int | None:
    """The value of a term all of whose registers have one that is no address."""
    if isinstance(term, Sum) or any(v in found.layout.addresses for v in term.free):
        return None
    known = dict[Var, Term]()
    for var in term.free:
        values = found.registers.get((thread, var), _UNKNOWN)
        if len(values) != 1:
            return None
        value = next(iter(values))
        if value is OTHER or value in found.layout.homes or value in found.layout.codes:
            return None
        known[var] = build.integer(value)
    made = substitute(term, known)
    return made.value if isinstance(made, Int) else None


def _sum(term: Sum, found: Found, thread: int) -> Values:
    const, parts = linear_parts(term)
    values = [(evaluate(part, found, thread), factor) for part, factor in parts.items()]
    if any(not v for v, _ in values):
        return _NOTHING
    known = [[v for v in vs if v is not OTHER] for vs, _ in values]
    factors = [factor for _, factor in values]
    result = set[int | None]({OTHER}) if any(OTHER in vs for vs, _ in values) else set[int | None]()
    columns = found.layout.columns
    if many := prod(map(len, known)) > _MOST_COMBINATIONS:
        result.add(OTHER)
    else:
        for chosen in product(*known):
            result.add(_shifted(const, chosen, factors, found.layout))
    # An address with an unknown offset, or one of a column: any cell of its object at these distances.
    for number, (vs, factor) in enumerate(zip(known, factors, strict=True)):
        if factor != 1:
            continue
        others = [(v, f) for i, (v, f) in enumerate(values) if i != number]
        fixed = sum(f * (only or 0) for v, f in others if len(v) == 1 for only in v)
        around = gcd(*(f for v, f in others if len(v) > 1 or OTHER in v))
        unknown = many or any(OTHER in v for v, _ in others)
        for address in vs:
            if address in found.layout.homes and (unknown or address in columns):
                result |= {OTHER, *near(address, const + fixed, around, found.layout)}
    return frozenset(result)


def _shifted(const: int, chosen: tuple[int, ...], factors: list[int], where: Layout) -> int | None:
    """A sum of constants; one that leads out of the object whose address is in it is no address that is known."""
    if any(v in where.columns for v in chosen):
        return OTHER
    total = const + sum(v * f for v, f in zip(chosen, factors, strict=True))
    homes = [where.homes[v] for v, f in zip(chosen, factors, strict=True) if f == 1 and v in where.homes]
    against = any(v in where.homes for v, f in zip(chosen, factors, strict=True) if f != 1)
    if against:
        return total if len(homes) == 1 else OTHER
    if len(homes) > 1:
        return OTHER
    return total if not homes or homes[0][0] <= total <= homes[0][1] else OTHER
