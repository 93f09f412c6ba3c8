"""What the rest of a function pays for in any case: the cells that it writes before it acquires anything or ends.

SEQ (PLDI 2022), section 4, lets the source owe what the target has written already. A debt must be paid, so it may be
made only where every way on leads to a store of the cell, through finitely many steps and without an acquire. That
is a property of the graph: the least solution of `owed(n) = every step from n pays or leads to where it is owed`.
"""

from __future__ import annotations

from collections.abc import Mapping

from sa.frontends.flow.access import Accesses
from sa.frontends.flow.graph import Exit, Fail, Graph, Halt, Node, Show, Step, Store, Sync, outgoing

#: Failing steps that are visible ends; all others are undefined, and an undefined program pays whatever it owes.
ENDS = ("assertion", "reached")


def owed(graph: Graph, known: Accesses, cells: frozenset[int]) -> Mapping[Node, frozenset[int]]:
    """By node the cells that are written on every way on before an acquire, a call or the end."""
    following = outgoing(graph.steps)
    found = dict[Node, frozenset[int]]()
    none = frozenset[int]()
    changed = True
    while changed:
        changed = False
        for node, steps in following.items():
            if node == graph.exit:
                continue
            now = frozenset.intersection(*(_along(s, known, cells, found.get(s.target, none)) for s in steps))
            if now != found.get(node, none):
                found[node] = now
                changed = True
    return found


def _along(step: Step, known: Accesses, cells: frozenset[int], later: frozenset[int]) -> frozenset[int]:
    match step.op:
        case Store():
            access = known.of[id(step)]
            return later | (frozenset(access.cells) & cells if access.sure and len(access.cells) == 1 else frozenset())
        case Fail(what):
            return frozenset() if what in ENDS else cells
        case Show(sync=sync):
            return later if sync in (Sync.NONE, Sync.RELEASE) else frozenset()
        case Halt() | Exit():
            return frozenset()
        case _:
            return later
