"""Arrays of a middle size: kept whole where some access may mean many of their elements, as large ones always are.

A variable for each element is best where indices are known; where one is not, each access is a choice between all
elements, and the work of reading a program grows with their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sa.frontends.flow.access import Access, looked_at
from sa.frontends.flow.graph import Object, Row, base
from sa.frontends.flow.layout import Layout, layout
from sa.frontends.flow.threads import Thread

#: An access that may mean more elements of an array has it kept whole.
MOST_CHOICES = 16


def with_chosen_arrays(threads: Sequence[Thread], shared: Sequence[Object], codes: Sequence[str]) -> tuple[Object, ...]:
    """The shared objects, and in place those of threads, with the arrays kept whole that accesses choose from."""
    own = [o for t in threads for o in t.graph.objects.values()]
    if not any(o.middling for o in (*shared, *own)):
        return tuple(shared)
    where = layout((*shared, *own), codes)
    _, of, _ = looked_at(threads, where)
    for thread in threads:
        thread.graph.objects.update({n: _whole(o, of, where) for n, o in thread.graph.objects.items()})
    return tuple(_whole(o, of, where) for o in shared)


def _whole(obj: Object, of: Mapping[int, Access], where: Layout) -> Object:
    chosen = tuple(r for r in obj.middling if _is_chosen(r, where.addresses[base(obj.name)], of))
    return replace(obj, rows=(*obj.rows, *chosen), middling=()) if obj.middling else obj


def _is_chosen(row: Row, first: int, of: Mapping[int, Access]) -> bool:
    """Whether an access may mean many elements of a row in the object that lies there."""
    width = len(row.paths)
    start = first + row.start
    inside = range(start, start + row.count * width)
    return any(len({(c - start) // width for c in a.cells if c in inside}) > MOST_CHOICES for a in of.values())
