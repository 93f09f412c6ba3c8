"""Addresses that outlive the objects of activations and blocks, in a function that is compared alone.

Such an object ends, and begins anew, at its `Live` steps. What knows its address there and is read later would be a
pointer to an object that does not live (C11 6.2.4), which has no meaning here.
"""

from __future__ import annotations

from collections.abc import Iterable

from sa.automata.automaton import Origin
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.graph import Live, Load, Step, Store, base
from sa.frontends.flow.liveness import live, registers
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values


def stale(thread: Thread, known: Accesses) -> tuple[str, Origin] | None:
    """An object that ends, and where, while a register or cell that is read later may have its address."""
    where, number, graph = known.found.layout, thread.number, thread.graph
    places = {a: p.object.name for a, p in where.places.items()}

    def read(step: Step) -> Iterable[int]:
        return known.of[id(step)].cells if isinstance(step.op, Load) else ()

    def killed(step: Step) -> Iterable[int]:
        match step.op:
            case Live(name):
                return [a for a, n in places.items() if n == name]
            case Store() if known.of[id(step)].sure and len(known.of[id(step)].cells) == 1:
                return [c for c in known.of[id(step)].cells if c not in where.columns]
            case _:
                return ()

    read_registers, read_cells = registers(graph), live(graph.steps, graph.entry, read, killed)
    none: Values = frozenset()
    for step in graph.steps:
        address = where.addresses.get(base(step.op.name)) if isinstance(step.op, Live) else None
        if not isinstance(step.op, Live) or address is None or address not in where.homes:
            continue
        home = where.homes[address]
        values = (known.found.registers.get((number, v), none) for v in read_registers.get(step.target, ()))
        kept = (known.found.cells.get(a, none) for a in read_cells.get(step.target, ()))
        if any(v is not OTHER and where.homes.get(v) == home for found in (*values, *kept) for v in found):
            return step.op.name, step.origin
    return None
