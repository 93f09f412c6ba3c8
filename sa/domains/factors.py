"""Sets as products: variables of which a set says something by themselves, whatever it says of others.

On a canonical diagram independence can be seen. A variable is independent of all others if every way goes through a
node of its level, and all these nodes are alike; a range of levels is independent of what comes later if all ways
leave it at one node. Each look at a diagram is linear in its size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from sa.domains.store import FALSE, LAST, TRUE, Node, Store, reachable, reduced

#: Levels, and what is said of them.
Factor: TypeAlias = tuple[frozenset[int], Node]


def factors(store: Store, node: Node) -> tuple[Factor, ...]:
    """Sets about different levels whose product this one is; none for everything and for nothing."""
    found = store.factors.get(node)
    if found is None:
        alone, rest = split(store, node)
        found = (*((frozenset((level,)), n) for level, n in alone.items()), *_ranges(store, rest))
        store.factors[node] = found
    return found


def split(store: Store, node: Node) -> tuple[Mapping[int, Node], Node]:
    """What is said of levels that are independent of all others, in order, and what is said of the others."""
    if node <= TRUE:
        return {}, node
    by_level = _by_level(store, node)
    alone = dict[int, Node]()
    later = dict(zip(by_level, (*list(by_level)[1:], LAST), strict=True))
    for level, nodes in by_level.items():
        first = nodes[0]
        wanted = (store.cuts[first], _open(store, first))
        if all(len(set(store.kids[n]) - {FALSE}) == 1 and (store.cuts[n], _open(store, n)) == wanted for n in nodes):
            alone[level] = reduced(store, level, wanted[0], wanted[1])
    # A way that skips a level may have any value there.
    for level, nodes in by_level.items():
        for kid in {k for n in nodes for k in store.kids[n] if k != FALSE}:
            skipped = later[level]
            while skipped < store.levels[kid]:
                alone.pop(skipped, None)
                skipped = later[skipped]
    return alone, _without(store, node, alone, {}) if alone else node


def _by_level(store: Store, node: Node) -> dict[int, list[Node]]:
    found = dict[int, list[Node]]()
    for n in sorted(reachable(store, (node,)), key=lambda n: store.levels[n]):
        found.setdefault(store.levels[n], []).append(n)
    return found


def _open(store: Store, node: Node) -> list[Node]:
    """Which values of a node's variable are possible."""
    return [FALSE if k == FALSE else TRUE for k in store.kids[node]]


def _without(store: Store, node: Node, levels: Mapping[int, Node], done: dict[Node, Node]) -> Node:
    """The set without what is said of independent levels."""
    if node <= TRUE:
        return node
    if node not in done:
        kids = store.kids[node]
        if store.levels[node] in levels:
            done[node] = _without(store, next(k for k in kids if k != FALSE), levels, done)
        else:
            below = [_without(store, k, levels, done) for k in kids]
            done[node] = reduced(store, store.levels[node], store.cuts[node], below)
    return done[node]


def _ranges(store: Store, node: Node) -> list[Factor]:
    """Ranges of levels that all ways leave at one node."""
    found, inside = list[Factor](), list[int]()
    entry, ahead = node, {node}
    for level, nodes in _by_level(store, node).items() if node > TRUE else ():
        inside.append(level)
        ahead.difference_update(nodes)
        ahead.update(k for n in nodes for k in store.kids[n] if k != FALSE)
        if len(ahead) == 1:
            (end,) = ahead
            found.append((frozenset(inside), _until(store, entry, end, {})))
            entry = end
            inside.clear()
    return found


def _until(store: Store, node: Node, end: Node, done: dict[Node, Node]) -> Node:
    """The set with nothing said from a node on."""
    if node == end:
        return TRUE
    if node <= TRUE:
        return node
    if node not in done:
        below = [_until(store, k, end, done) for k in store.kids[node]]
        done[node] = reduced(store, store.levels[node], store.cuts[node], below)
    return done[node]
