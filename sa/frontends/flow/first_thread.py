"""Shared variables that the first thread alone writes: what it reads of them follows from its own steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sa.frontends.flow.graph import Call, Load, Op, Procedure, Storage, Store, Unit, base, code
from sa.frontends.flow.terms import read_by
from sa.terms import build
from sa.terms.term import Int, Term, Var


def chosen(unit: Unit) -> frozenset[str]:
    """The objects of which not all accesses are of a cell that is known."""
    # Where an address is the first value of a pointer, accesses through it are not known.
    found = {v.name.removeprefix("&") for t in _first(unit) for v in t.free}
    for step in (s for p in unit.procedures.values() for s in p.steps):
        found |= {v.name.removeprefix("&") for t in _elsewhere_than_accessed(step.op) for v in t.free}
    return frozenset(found)


def _elsewhere_than_accessed(op: Op) -> tuple[Term, ...]:
    """The terms of an operation but for the address of a cell that it loads or stores, if the cell is known."""
    match op:
        case Load(_, address) if _is_known(address):
            return ()
        case Store(address, value) if _is_known(address):
            # The value may be the same term as the address.
            return (value,)
        case _:
            return read_by(op)


def _is_known(address: Term) -> bool:
    """Whether an address is so many cells from the start of an object."""
    return len(address.free) == 1 and isinstance(build.sub(address, *address.free), Int)


def own_cells(unit: Unit) -> Mapping[Term, Int]:
    """The first values, by their addresses, of static cells that only procedures of the first thread write."""
    known, elsewhere = chosen(unit), _elsewhere(unit)
    written = {v for name in elsewhere for v in _written(unit.procedures[name])}
    cells = dict[Term, Int]()
    for obj in unit.objects:
        if obj.storage is Storage.STATIC and obj.name not in known and base(obj.name) not in written and not obj.rows:
            for offset, cell in enumerate(obj.cells):
                if isinstance(cell.initial, Int):
                    cells[build.add(base(obj.name), build.integer(offset))] = cell.initial
    return cells


def _written(procedure: Procedure) -> Iterator[Var]:
    return (v for s in procedure.steps if isinstance(s.op, Store) for v in s.op.address.free)


def _first(unit: Unit) -> list[Term]:
    """The first values of static objects, and of those of activations."""
    own = (o for p in unit.procedures.values() for o in p.objects)
    return [c.initial for o in (*unit.objects, *own) for c in o.cells if c.initial is not None]


def _elsewhere(unit: Unit) -> frozenset[str]:
    """The procedures that another thread may run: those whose code is a value, and what they call."""
    codes = {code(name): name for name in unit.procedures}
    steps = [(name, s) for name, p in unit.procedures.items() for s in p.steps]
    found = {codes[v] for _, s in steps for t in read_by(s.op) for v in t.free if v in codes}
    found |= {codes[v] for t in _first(unit) for v in t.free if v in codes}
    calls = [(name, s.op.procedure) for name, s in steps if isinstance(s.op, Call)]
    while more := {called for caller, called in calls if caller in found and called in unit.procedures} - found:
        found |= more
    return frozenset(found)
