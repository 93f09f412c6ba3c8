"""Names and kinds of a program's variables: cells that several threads use are global, others local to their thread."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin, Shown, Variable
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.claims import manner
from sa.frontends.flow.cuts import Names
from sa.frontends.flow.graph import ANY, Range, Storage, Words
from sa.frontends.flow.layout import Layout, Place, addresses_in, cell_at, unset_value
from sa.frontends.flow.monitor import Monitor, carriers, fences_of, watchable
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values
from sa.terms import build
from sa.terms.name import unused
from sa.terms.sort import INT, ArraySort
from sa.terms.term import Term, Var

#: What follows the name of a lock where its owner is.
OWNER = ".__owner"

#: What follows the name of what threads synchronise with where it is told whether it can be used.
STATUS = ".__status"

#: So many addresses at most have names in what is told of a pointer.
MOST_TOLD = 1 << 12

#: The sort of the variable of a column.
ARRAY = ArraySort(INT, INT)


class Named(Struct, frozen=True):
    """The global variables, the local ones by thread number, where each cell is, and the names that steps use."""

    shared: tuple[Variable, ...]
    local: Mapping[int, tuple[Variable, ...]]
    cells: Mapping[int, Var]
    names: Mapping[int, Names]


def named(threads: Sequence[Thread], where: Layout, known: Accesses, reserved: frozenset[str]) -> Named:
    """Names for everything that steps speak of; words of the language are `reserved`."""
    cells, shared = dict[int, Var](), list[Variable]()
    local: dict[int, list[Variable]] = {t.number: [] for t in threads}
    taken = set(reserved)
    sign = -1 if any(t.identity is not None for t in threads) else 1
    owners = ((0, "free"), *((sign * t.number, f"held by {t.name}") for t in threads))
    used = {a: p for a, p in where.places.items() if a in known.loaded and a not in known.fixed}
    for several in (True, False):
        for address, place in used.items():
            users = known.users.get(address, frozenset())
            if (len(users) > 1) is not several:
                continue
            sort = ARRAY if address in where.columns else INT
            var = build.variable(unused(_plain(place, several), taken), sort)
            taken.add(var.name)
            cells[address] = var
            kind = Kind.GLOBAL if several else Kind.LOCAL
            range_ = ANY if address in where.columns else place.cell.range
            shown = _shown(told(place, several), place.cell.words, known.found.cells[address], where)
            if address in known.unset:
                unset = unset_value(place.cell)
                range_ = range_ if range_.low is None else Range(unset, range_.high)
                shown = replace(shown, values=(*shown.values, (unset, "never written")))
            if place.cell.path.endswith(OWNER):
                shown = Shown(shown.name.removesuffix(OWNER), owners)
            if place.cell.path.endswith(STATUS):
                shown = replace(shown, name=f"status of {shown.name.removesuffix(STATUS)}")
            # The state of a thread that others start.
            state = place.cell.key == "thread"
            made = Variable(var, kind, range_.low, range_.high, place.object.origin, False, shown, internal=state)
            if several:
                shared.append(made)
            else:
                local[next(iter(users))].append(made)
    addresses: dict[Var, Term] = {v: build.integer(a) for v, a in where.addresses.items()}
    names = dict[int, Names]()
    for thread in threads:
        own = set(taken)
        registers = dict[Var, Var]()
        for var, register in thread.graph.registers.items():
            name = unused(_legal(var.name), own)
            own.add(name)
            registers[var] = build.variable(name, var.sort)
            range_ = register.range
            held = known.found.registers[thread.number, var]
            shown = _shown(register.told or var.name, register.words, held, where)
            made = Variable(registers[var], Kind.LOCAL, range_.low, range_.high, register.origin, False, shown)
            local[thread.number].append(made)
        names[thread.number] = Names(registers, cells, addresses)
    return Named(tuple(shared), {n: tuple(vs) for n, vs in local.items()}, cells, names)


def with_monitor(found: Named, threads: Sequence[Thread], known: Accesses) -> Named:
    """The names with the variables of a monitor for races. Raises InputError."""
    taken = {v.var.name for own in (found.shared, *found.local.values()) for v in own}
    taken |= {v.name for names in found.names.values() for v in names.registers.values()}
    shared, local = list(found.shared), {number: list(own) for number, own in found.local.items()}

    def made(name: str, into: list[Variable], range_: Range, array: bool = False, shown: Shown | None = None) -> Var:
        var = build.variable(unused(name, taken), ARRAY if array else INT)
        taken.add(var.name)
        range_ = ANY if array else range_
        kind = Kind.GLOBAL if into is shared else Kind.LOCAL
        into.append(Variable(var, kind, range_.low, range_.high, Origin(None), False, shown))
        return var

    bit, where = Range(0, 1), known.found.layout
    numbers = {at: n for n, at in enumerate(watchable(known), 1)}
    done = Shown("watched", ((0, "nothing"), *((n, manner(*how)) for (_, how), n in numbers.items())))
    fences = {t.number: fences_of(t) for t in threads}
    monitor = Monitor(
        made("__watched", shared, Range(0, len(numbers)), shown=done),
        numbers,
        made("__watched_element", shared, ANY),
        {t.number: made(f"__seen_by_{t.name}", local[t.number], bit) for t in threads},
        {n: made("__seen_at_fence", local[n], bit) for n, fence in fences.items() if fence.releases},
        {n: made("__seen_by_reads", local[n], bit) for n, fence in fences.items() if fence.acquires},
        {
            c: {
                key: made(f"__seen_at_{_plain(where.places[c], True)}", shared, bit, c in where.columns) for key in keys
            }
            for c, keys in carriers(threads, known).items()
        },
    )
    names = {n: replace(own, monitor=monitor) for n, own in found.names.items()}
    return Named(tuple(shared), {n: tuple(own) for n, own in local.items()}, found.cells, names)


def name_of(cell: int, names: Named, where: Layout) -> str:
    """The name of a cell in claims: that of its variable if it has one."""
    return names.cells[cell].name if cell in names.cells else _plain(where.places[cell], True)


def told(place: Place, several: bool = True) -> str:
    """What a cell is called in C: the object's name, with the functions that it is in, and what follows it."""
    *scopes, name = place.object.name.split(".")
    if place.object.told:
        # What is allocated belongs to nobody.
        scopes, name = [] if place.object.storage is Storage.HEAP else scopes[:1], place.object.told
        if not scopes and not place.cell.path and not place.object.life_of:
            name = f"*{name}"
    if scopes and place.object.storage is not Storage.STATIC and not several:
        scopes = scopes[1:]
    return "::".join((*scopes, name)) + place.cell.path


def _shown(name: str, words: Words, held: Values, where: Layout) -> Shown:
    """How a variable is told that holds some of these values."""
    values = words.values
    if words.pointers:
        known = (v for v in held if v is not OTHER and v in where.homes)
        each = (a for v in known for a in (addresses_in(where.columns[v]) if v in where.columns else (v,)))
        objects = ((a, _object_at(a, where)) for a in islice(each, MOST_TOLD))
        values = ((0, "NULL"), *((v, text) for v, text in objects if text is not None))
    return Shown(name, values, words.letters, words.about)


def _object_at(address: int, where: Layout) -> str | None:
    number = cell_at(address, where)
    if number is None:
        return None
    place, column = where.places[number], where.columns.get(number)
    name, starts = told(place, True), where.homes[address][0] == address
    if place.object.storage is Storage.HEAP and starts:
        # As `malloc` returned it.
        return place.object.told or f"&{name.removesuffix(place.cell.path)}"
    if place.cell.path.startswith(".") and starts:
        return f"&{name.removesuffix(place.cell.path)}"
    index = "" if column is None else str((address - column.first) // column.stride)
    return f"&{name.replace('[]', f'[{index}]', 1)}"


def _plain(place: Place, several: bool) -> str:
    """The name of a cell: the object's without its thread where nobody else uses it, and what follows it."""
    name = place.object.name
    if place.object.storage is not Storage.STATIC and not several:
        name = name.split(".", 1)[1]
    if name.startswith("__") and place.cell.path.startswith("__"):
        name = ""
    return _legal(f"{name}{place.cell.path}".replace(".__", "__"))


def _legal(name: str) -> str:
    return re.sub(r"\W+", "_", name).rstrip("_") or "v"
