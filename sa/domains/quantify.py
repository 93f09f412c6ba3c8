"""Existential quantification, the smallest box, and the boxes that a diagram is a union of.

Forgetting is exact because on a canonical diagram no kid covers an empty range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from sa.domains.diagram import join_all
from sa.domains.store import FALSE, TRUE, Node, Store, between, reduced
from sa.terms import interval
from sa.terms.interval import Interval

#: Intervals by level; a level that is not there is unbounded.
Box: TypeAlias = Mapping[int, Interval]


def forget(store: Store, node: Node, levels: frozenset[int]) -> Node:
    """The states that agree outside of `levels` with one in the set."""
    if node <= TRUE or not levels:
        return node
    return _forget(store, node, levels, max(levels))


def _forget(store: Store, node: Node, levels: frozenset[int], deepest: int) -> Node:
    level = store.levels[node]
    if level > deepest:
        return node
    key = (node, levels)
    found = store.forgotten.get(key)
    if found is None:
        kids = [k if store.levels[k] > deepest else _forget(store, k, levels, deepest) for k in store.kids[node]]
        found = join_all(store, kids) if level in levels else reduced(store, level, store.cuts[node], kids)
        store.forgotten[key] = found
    return found


def segments(store: Store, node: Node) -> Iterator[tuple[Interval, Node]]:
    """The ranges of an inner node and their kids, in order."""
    low: int | None = None
    for cut, kid in zip(store.cuts[node], store.kids[node], strict=False):
        yield (low, cut), kid
        low = cut + 1
    yield (low, None), store.kids[node][-1]


def hull(store: Store, node: Node) -> Box | None:
    """The smallest box around the set; None if it is empty."""
    return None if node == FALSE else _hull(store, node)


def _hull(store: Store, node: Node) -> Box:
    found = store.hulls.get(node)
    if found is None:
        spans = [span for span, kid in segments(store, node) if kid != FALSE]
        below, *others = (_hull(store, kid) for kid in dict.fromkeys(store.kids[node]) if kid != FALSE)
        box = dict(below)
        for other in others:
            if other != box:
                # A level that one kid leaves out is unbounded there.
                box = {v: interval.hull(i, other[v]) for v, i in box.items() if v in other}
        own = spans[0][0], spans[-1][1]
        box[store.levels[node]] = own
        found = store.hulls[node] = {v: i for v, i in box.items() if i != interval.WHOLE}
    return found


def box_of(store: Store, box: Box) -> Node:
    """The diagram of one box."""
    node = TRUE
    for level in sorted(box, reverse=True):
        node = between(store, level, box[level], node)
    return node


def count_boxes(store: Store, node: Node) -> int:
    """How many disjoint boxes make up the set, one for each way through the diagram."""
    counts = {FALSE: 0, TRUE: 1}

    def count(n: Node) -> int:
        if n not in counts:
            counts[n] = sum(count(k) for k in store.kids[n])
        return counts[n]

    return count(node)
