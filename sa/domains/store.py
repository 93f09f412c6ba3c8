"""The nodes of interval decision diagrams, hash-consed: equal sets of states are one number.

A node tests the variable of its level: kid i covers the values above cut i-1 up to and including cut i, the first
and the last are unbounded. In canonical form neighbouring kids differ and kids test later levels. A node is a number
into the parallel lists of a `Store`, which also holds the caches of the operations. Nothing is ever removed;
`copied` moves what is still needed into a fresh store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import eq
from typing import TypeAlias

from msgspec import Struct, field

from sa.terms.interval import Interval

#: A node's number in its store.
Node: TypeAlias = int

FALSE: Node = 0
TRUE: Node = 1

#: The level of the two terminals: after every variable.
LAST = 1 << 60


class Store(Struct, eq=False):
    """Nodes by number, and what operations have already computed on them."""

    levels: list[int] = field(default_factory=lambda: [LAST, LAST])
    cuts: list[tuple[int, ...]] = field(default_factory=lambda: [(), ()])
    kids: list[tuple[Node, ...]] = field(default_factory=lambda: [(), ()])
    unique: dict[tuple[int, tuple[int, ...], tuple[Node, ...]], Node] = field(default_factory=dict)
    meets: dict[tuple[Node, Node], Node] = field(default_factory=dict)
    joins: dict[tuple[Node, Node], Node] = field(default_factory=dict)
    differences: dict[tuple[Node, Node], Node] = field(default_factory=dict)
    inclusions: dict[tuple[Node, Node], bool] = field(default_factory=dict)
    forgotten: dict[tuple[Node, frozenset[int]], Node] = field(default_factory=dict)
    hulls: dict[Node, Mapping[int, Interval]] = field(default_factory=lambda: {TRUE: {}})
    factors: dict[Node, tuple[tuple[frozenset[int], Node], ...]] = field(default_factory=dict)


def reduced(store: Store, level: int, cuts: Sequence[int], kids: Sequence[Node]) -> Node:
    """The node with these kids, all of later levels, after joining equal neighbours."""
    if True in map(eq, kids, kids[1:]):
        kept = [i for i in range(len(cuts)) if kids[i] != kids[i + 1]]
        cuts, kids = [cuts[i] for i in kept], [*(kids[i] for i in kept), kids[-1]]
    if not cuts:
        return kids[0]
    entry = (level, tuple(cuts), tuple(kids))
    found = store.unique.get(entry)
    if found is None:
        found = store.unique[entry] = len(store.levels)
        store.levels.append(level)
        store.cuts.append(entry[1])
        store.kids.append(entry[2])
    return found


def between(store: Store, level: int, interval: Interval, inside: Node = TRUE) -> Node:
    """The states whose variable of this level is in the interval and whose later ones are in `inside`."""
    low, high = interval
    cuts, kids = list[int](), [inside]
    if low is not None:
        cuts, kids = [low - 1], [FALSE, inside]
    if high is not None:
        cuts.append(high)
        kids.append(FALSE)
    return reduced(store, level, cuts, kids)


def reachable(store: Store, roots: Iterable[Node]) -> set[Node]:
    """The inner nodes below some nodes, themselves included."""
    found = set[Node]()
    waiting = [r for r in roots if r > TRUE]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(k for k in store.kids[node] if k > TRUE)
    return found
