"""Objects of a function's own whose addresses others get to see: from then on they are shared.

Others can tell such objects apart only by the order in which they got to see them. So that is what the objects are
called in both files, and their addresses follow from it. Each must have one place in this order on all ways to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.base.diagnostic import InputError
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.actions import Show
from sa.frontends.flow.graph import Graph, Live, Node, Step, Storage, base, outgoing
from sa.frontends.flow.layout import Layout
from sa.frontends.flow.lives import Dead
from sa.frontends.flow.observables import PUBLISHED, not_compared
from sa.frontends.flow.terms import over
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values, evaluate
from sa.terms.term import Term, Var

#: The address of the first object that is published, and the distance to the next ones.
_FIRST, _APART = 0x6E40_0000_0000, 2**20

#: So many orders are looked at.
_MOST_ORDERS = 2000

#: The objects that were published, in their order, and whether each lives still.
_Order: TypeAlias = tuple[tuple[str, bool], ...]


def published(thread: Thread, known: Accesses) -> Mapping[str, str]:
    """By its name, what each object that is published is called. Raises InputError where the order is not known."""
    if not any(True for s in thread.graph.steps if isinstance(s.op, Show) for _ in handed_on(s, s.op, thread, known)):
        return {}
    following, first = outgoing(thread.graph.steps), (thread.graph.entry, tuple[tuple[str, bool], ...]())
    seen, pending = {first}, [first]
    numbers = dict[str, int]()
    while pending:
        node, order = pending.pop()
        for step in following.get(node, ()):
            after: tuple[Node, _Order] = step.target, _after(step, order, thread, known)
            if after in seen:
                continue
            for number, (name, _) in enumerate(after[1], 1):
                other = next((n for n, k in numbers.items() if k == number), name)
                if numbers.setdefault(name, number) != number or other != name or len(seen) > _MOST_ORDERS:
                    raise _unknown(step.origin)
            seen.add(after)
            pending.append(after)
    return {name: f"{PUBLISHED}{number}" for name, number in numbers.items()}


def _after(step: Step, order: _Order, thread: Thread, known: Accesses) -> _Order:
    match step.op:
        case Live(ended):
            return tuple((name, alive and name != ended) for name, alive in order)
        case Show():
            for name in handed_on(step, step.op, thread, known):
                if (name, False) in order:
                    raise _unknown(step.origin)
                order = order if (name, True) in order else (*order, (name, True))
            return order
        case _:
            return order


def handed_on(step: Step, show: Show, thread: Thread, known: Accesses) -> Iterator[str]:
    """The function's own objects whose addresses an action shows. Raises InputError where others may be meant, too."""
    places = known.found.layout
    for values in (evaluate(v, known.found, thread.number) for v in show.values):
        own = {name for v in values if v is not OTHER and (name := _own(v, places)) is not None}
        if own and (len(own) > 1 or not _are_in_one(values, places)):
            raise _unknown(step.origin)
        yield from own


def _own(value: int, where: Layout) -> str | None:
    """The name of the object of the function, or the published one, that has an address."""
    if value not in where.homes or not where.units[where.homes[value][0]]:
        return None
    obj = where.places[where.units[where.homes[value][0]][0]].object
    is_own = obj.storage in (Storage.AUTO, Storage.HEAP)
    return obj.name if is_own and not where.columns.keys() & {*where.units[where.homes[value][0]]} else None


def _are_in_one(values: Values, where: Layout) -> bool:
    return len({None if v is OTHER else where.homes.get(v) for v in values}) == 1 and OTHER not in values


def _unknown(where: Origin) -> InputError:
    what = "an address that others get to see, of one of several objects or in no fixed order,"
    return not_compared(what, where, "hand on one object at each place, each once, and always in the same order")


def renamed(graph: Graph, names: Mapping[str, str]) -> None:
    """Give objects other names, in place."""
    variables: dict[Var, Term] = {base(old): base(new) for old, new in names.items()}
    for number, step in enumerate(graph.steps):
        op = over(step.op, variables, lambda v: v)
        if isinstance(op, Live | Dead):
            op = replace(op, name=names.get(op.name, op.name))
        graph.steps[number] = replace(step, op=op)
    graph.objects = {names.get(n, n): replace(o, name=names.get(n, n)) for n, o in graph.objects.items()}


def addresses_of(names: Mapping[str, str]) -> Mapping[str, int]:
    """The addresses of published objects, which follow from their names."""
    return {name: _FIRST + _APART * int(name.removeprefix(PUBLISHED)) for name in names.values()}
