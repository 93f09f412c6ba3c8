"""Size control: a coarser set when a diagram stands for too many boxes.

Collapsing is no part of widening and can undo what a chain of widenings has gained: a collapsed value is joined with
the old iterate again, and only so many collapses are allowed in one chain.
"""

from __future__ import annotations

from sa.domains.diagram import join, join_all
from sa.domains.quantify import box_of, count_boxes, hull
from sa.domains.store import FALSE, TRUE, Node, Store, reachable, reduced


def collapsed(store: Store, node: Node, most: int) -> Node:
    """A superset of at most `most` boxes, 1 or more: the variable with most cuts gets coarser, again and again."""
    while count_boxes(store, node) > max(1, most):
        level, cuts = _busiest(store, node)
        # The outer cuts bound the variable: they go last.
        kept = cuts[::2] if len(cuts) > 3 else cuts[:: len(cuts) - 1] if len(cuts) > 2 else []
        coarser = _without(store, node, level, frozenset(cuts) - frozenset(kept), {})
        if coarser == node or not kept:
            box = hull(store, node)
            return FALSE if box is None else box_of(store, box)
        node = coarser
    return node


def _busiest(store: Store, node: Node) -> tuple[int, list[int]]:
    cuts = dict[int, set[int]]()
    for n in reachable(store, (node,)):
        cuts.setdefault(store.levels[n], set()).update(store.cuts[n])
    level = max(cuts, key=lambda v: (len(cuts[v]), v))
    return level, sorted(cuts[level])


def _without(store: Store, node: Node, level: int, dropped: frozenset[int], done: dict[Node, Node]) -> Node:
    """The smallest superset in which no node of the level has one of the dropped cuts."""
    if node <= TRUE or store.levels[node] > level:
        return node
    if node not in done:
        cuts, kids = store.cuts[node], store.kids[node]
        if store.levels[node] < level:
            below = [_without(store, k, level, dropped, done) for k in kids]
            done[node] = reduced(store, store.levels[node], cuts, below)
        else:
            kept, runs = list[int](), [[kids[0]]]
            for cut, kid in zip(cuts, kids[1:], strict=True):
                if cut in dropped:
                    runs[-1].append(kid)
                else:
                    kept.append(cut)
                    runs.append([kid])
            done[node] = reduced(store, level, kept, [join_all(store, run) for run in runs])
    return done[node]


def controlled(store: Store, old: Node, new: Node, most: int, done: int, allowed: int) -> tuple[Node, int]:
    """`new`, collapsed and joined with the old iterate if it has more than `most` boxes, and collapses so far.

    After `allowed` of them the value is left as it is, so that they cannot keep a chain from ending.
    """
    if done >= allowed or count_boxes(store, new) <= most:
        return new, done
    return join(store, old, collapsed(store, new, most)), done + 1
